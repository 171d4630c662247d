# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Tests. lib-test and verbs-test run without a kernel, on the stand-ins kernel.c and
# uverbs.c. Each is built twice: with the library as shipped, and with all code under the
# sanitizers. live runs against the kernel, by tests/e2e/libsrnic.sh. Included by
# userspace-provider/libsrnic/Makefile.

lib_test_srcs	:= $(tests)/lib_test.c $(tests)/kernel.c
verbs_test_srcs	:= $(tests)/verbs_test.c $(tests)/uverbs.c
test_programs	:= $(out)/tests/lib-test $(out)/tests/verbs-test
test_deps	:= $(wildcard $(tests)/*.h) $(top)/kunit/vectors/memory.h $(headers)
test_flags	 = $(filter-out -MMD -MP,$(cflags)) -I$(top)/kunit $(CFLAGS) $(CPPFLAGS)
sanitizers	:= -fsanitize=address,undefined -fno-sanitize-recover=undefined

live := $(out)/tests/srnic-live

all: $(live)

$(live): $(tests)/live.c $(headers) $(out)/$(soname) $(out)/libsrnic.so
	@mkdir -p $(@D)
	$(call quiet,CCLD)$(CC) $(test_flags) -o $@ $< -L$(out) $(LDFLAGS) -lsrnic

$(out)/tests/lib-test $(out)/tests/lib-test-address: $(lib_test_srcs)
$(out)/tests/verbs-test $(out)/tests/verbs-test-address: $(verbs_test_srcs)

$(test_programs): $(test_deps) $(out)/$(soname) $(out)/libsrnic.so
	@mkdir -p $(@D)
	$(call quiet,CCLD)$(CC) $(test_flags) -o $@ $(filter %.c,$^) -L$(out) $(LDFLAGS) -lsrnic \
		$(libs)

$(test_programs:%=%-address): $(srcs:%=$(here)/%) $(test_deps) $(wildcard $(here)/*.h)
	@mkdir -p $(@D)
	$(call quiet,CCLD)$(CC) $(test_flags) $(sanitizers) -o $@ $(filter %.c,$^) $(LDFLAGS) $(libs)

check-library: all $(test_programs) $(test_programs:%=%-address)
	@CC="$(CC)" MAKE="$(MAKE)" $(tests)/run $(out)

check-manual:
	@$(tests)/../library_manual srnic_ libsrnic.7 include/srnic/*.h

install-live: $(live)
	$(INSTALL) -D -m 755 $(live) $(DESTDIR)$(testdir)/srnic-live

# INSTALL_TESTS=1: for the test bed
install: $(if $(INSTALL_TESTS),install-live)

.PHONY: check-library check-manual install-live
