# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#
# The provider's unit tests: the whole provider linked with a fake kernel, in four builds:
# as shipped; as if built with the verbs.h of another rdma-core than the running library's,
# see other-verbs; and under the address and the thread sanitizer, with fewer rounds of the
# races. The build as shipped also runs under valgrind. All take about 5 s. More, by hand:
#
#	SRNIC_TEST_ROUNDS=10000000 build/.../tests/plain/provider-test wakeup
#
# Included by userspace-provider/Makefile.

test_builds := plain other address thread
test_srcs   := $(notdir $(wildcard $(tests)/*.c))
wrap	    := -Wl,--wrap=write,--wrap=syscall,--wrap=mmap,--wrap=mmap64,--wrap=munmap

# The thread sanitizer does not model fences. It need not, since all shared words are
# atomic.
san_plain   :=
san_other   := -I$(out)/tests/other/include
san_address := -fsanitize=address,undefined -fno-sanitize-recover=undefined
san_thread  := -fsanitize=thread $(if $(findstring clang,$(CC)),,-Wno-tsan)

rounds_plain   := 300000
rounds_other   := 10000
rounds_address := 100000
rounds_thread  := 100000
rounds_valgrind := 1000

define test_build
test_objs_$(1) := $$(srcs:%.c=$$(out)/tests/$(1)/provider/%.o) $$(test_srcs:%.c=$$(out)/tests/$(1)/cases/%.o)

$$(out)/tests/$(1)/provider-test: $$(test_objs_$(1))
	$$(call quiet,LD)$$(CC) $$(CFLAGS) $$(san_$(1)) $$(wrap) -o $$@ $$^ $$(LDFLAGS) $$(libs)

$$(out)/tests/$(1)/provider/%.o: $$(here)/provider/%.c $$(here)/Makefile $$(tests)/tests.mk
	@mkdir -p $$(@D)
	$$(call quiet,CC)$$(CC) $$(cflags) $$(CFLAGS) $$(san_$(1)) -c -o $$@ $$<

$$(out)/tests/$(1)/cases/%.o: $$(tests)/%.c $$(here)/Makefile $$(tests)/tests.mk
	@mkdir -p $$(@D)
	$$(call quiet,CC)$$(CC) $$(cflags) $$(CFLAGS) $$(san_$(1)) -c -o $$@ $$<

-include $$(test_objs_$(1):.o=.d)
endef
$(foreach build,$(test_builds),$(eval $(call test_build,$(build))))

$(filter $(out)/tests/other/%,$(test_objs_other)): $(out)/tests/other/include/infiniband/verbs.h

$(out)/tests/other/include/infiniband/verbs.h: $(tests)/other-verbs
	@mkdir -p $(@D)
	$(call quiet,GEN)echo '#include <infiniband/verbs.h>' | $(CC) $(CPPFLAGS) -E -M - | \
		$(tests)/other-verbs >$@

test_programs := $(test_builds:%=$(out)/tests/%/provider-test)

$(out)/tests/load: $(tests)/abi/load.c $(here)/Makefile $(tests)/tests.mk
	@mkdir -p $(@D)
	$(call quiet,CCLD)$(CC) $(cflags) $(CFLAGS) -rdynamic -o $@ $< $(LDFLAGS)

check: all $(test_programs) $(out)/tests/load
	@$(tests)/abi/run $(out) $(PABI)
	@$(tests)/run $(foreach build,$(test_builds),$(rounds_$(build)):$(out)/tests/$(build)/provider-test) \
		valgrind=$(rounds_valgrind):$(out)/tests/plain/provider-test
