# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# Tests. They run without a device, on the stand-in fake_cm.c. Each is built with the library
# as shipped, and with all code under sanitizers: of addresses and undefined behaviour, and of
# races. parts-test has the parts that need no CM. live runs on devices, by
# tests/e2e/pipeline.sh. Included by userspace-provider/pipeline/Makefile.

test_programs	:= $(out)/tests/lib-test $(out)/tests/listen-test
test_deps	:= $(wildcard $(tests)/*.h $(here)/*.h) $(headers)
test_flags	 = $(filter-out -MMD -MP,$(cflags)) -I$(here) $(CFLAGS) $(CPPFLAGS)
part_srcs	:= $(patsubst %,$(here)/%.c,error illegal keys replay request window)
san_address	:= -fsanitize=address,undefined -fno-sanitize-recover=undefined
san_thread	:= -fsanitize=thread

# Programs for devices; connecting is for tools/bench
live := $(out)/tests/pipeline-live $(out)/tests/pipeline-connecting

all: $(live)

$(live): $(out)/tests/pipeline-%: $(tests)/%.c $(headers) $(out)/$(soname) \
		$(out)/librdma_pipeline.so
	@mkdir -p $(@D)
	$(call quiet,CCLD)$(CC) $(test_flags) -o $@ $< -L$(out) $(LDFLAGS) -lrdma_pipeline \
		$(rdma_libs)

# The stand-in uses a part of the library that is not exported
$(test_programs): $(out)/tests/%-test: $(tests)/%_test.c $(tests)/fake_cm.c $(here)/request.c \
		$(test_deps) $(out)/$(soname) $(out)/librdma_pipeline.so
	@mkdir -p $(@D)
	$(call quiet,CCLD)$(CC) $(test_flags) -o $@ $(filter %.c,$^) -L$(out) $(LDFLAGS) \
		-lrdma_pipeline $(libs)

# sanitized NAME SANITIZER
define sanitized
$(out)/tests/$(1)-test-$(2): $(tests)/$(1)_test.c $(tests)/fake_cm.c $(srcs:%=$(here)/%) $(test_deps)
	@mkdir -p $$(@D)
	$$(call quiet,CCLD)$$(CC) $$(test_flags) $$(san_$(2)) -o $$@ $$(filter %.c,$$^) \
		$$(LDFLAGS) $$(libs)
endef
$(foreach san,address thread,$(foreach name,lib listen,$(eval $(call sanitized,$(name),$(san)))))

$(out)/tests/vectors.h: $(tests)/vectors.py
	@mkdir -p $(@D)
	$(call quiet,GEN)$< >$@

$(out)/tests/parts-test $(out)/tests/parts-test-address: $(tests)/parts_test.c $(part_srcs) \
		$(out)/tests/vectors.h $(test_deps)
	$(call quiet,CCLD)$(CC) $(test_flags) $(if $(findstring address,$@),$(san_address)) \
		-I$(out)/tests -o $@ $(filter %.c,$^) $(LDFLAGS) $(libs)

# For programs that have the library already: preload it
$(out)/tests/libfake-cm.so: $(tests)/fake_cm.c $(tests)/sizes.c $(here)/request.c $(test_deps)
	@mkdir -p $(@D)
	$(call quiet,LD)$(CC) -shared $(test_flags) -o $@ $(filter %.c,$^) $(LDFLAGS) $(libs)

check-library: all $(out)/tests/libfake-cm.so $(test_programs) $(test_programs:%=%-address) $(test_programs:%=%-thread) \
		$(out)/tests/parts-test $(out)/tests/parts-test-address
	@CC="$(CC)" MAKE="$(MAKE)" $(tests)/run $(out)

# Quick, for one program: check-parts, check-lib, check-listen
check-parts check-lib check-listen: check-%: $(out)/tests/%-test
	@LD_LIBRARY_PATH=$(out) $<

check-manual:
	@$(tests)/../library_manual rdma_pipeline_ rdma_pipeline.7 include/rdma/*.h

install-live: $(live)
	$(INSTALL) -D -m 755 -t $(DESTDIR)$(testdir) $(live)

# INSTALL_TESTS=1: for the test bed
install: $(if $(INSTALL_TESTS),install-live)

.PHONY: check-library check-parts check-lib check-listen check-manual install-live
