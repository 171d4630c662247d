# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Tests. lib-test runs without a kernel: kernel.c stands in its place. It is built
# twice, with the library as shipped, and with all of it under the sanitizers. live is
# for the real one; scripts/tests/e2e/libsrnic.sh runs it. Included by ../Makefile.

test_srcs  := $(here)/tests/lib_test.c $(here)/tests/kernel.c
test_deps  := $(test_srcs) $(here)/tests/kernel.h $(here)/include/srnic/srnic.h
test_flags  = $(filter-out -MMD -MP,$(cflags)) $(CFLAGS) $(CPPFLAGS)
sanitizers := -fsanitize=address,undefined -fno-sanitize-recover=undefined

live := $(out)/tests/srnic-live

all: $(live)

$(live): $(here)/tests/live.c $(here)/include/srnic/srnic.h $(out)/$(soname) $(out)/libsrnic.so
	@mkdir -p $(@D)
	$(call quiet,CCLD)$(CC) $(test_flags) -o $@ $< -L$(out) $(LDFLAGS) -lsrnic

$(out)/tests/lib-test: $(test_deps) $(out)/$(soname) $(out)/libsrnic.so
	@mkdir -p $(@D)
	$(call quiet,CCLD)$(CC) $(test_flags) -o $@ $(test_srcs) -L$(out) $(LDFLAGS) -lsrnic \
		$(mnl_libs) -lpthread

$(out)/tests/lib-test-address: $(test_deps) $(srcs:%=$(here)/%) $(wildcard $(here)/*.h)
	@mkdir -p $(@D)
	$(call quiet,CCLD)$(CC) $(test_flags) $(sanitizers) -o $@ $(test_srcs) \
		$(srcs:%=$(here)/%) $(LDFLAGS) $(mnl_libs) -lpthread

check-library: all $(out)/tests/lib-test $(out)/tests/lib-test-address
	@CC="$(CC)" MAKE="$(MAKE)" $(here)/tests/run $(out)

check-manual:
	@$(here)/tests/manual

install-live: $(live)
	$(INSTALL) -D -m 755 $(live) $(DESTDIR)$(testdir)/srnic-live

install: install-live

.PHONY: check-library check-manual install-live
