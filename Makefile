# SPDX-License-Identifier: GPL-2.0
#
# The entry point: 'make help' lists the targets. Scripts in scripts/ do the
# work; Kbuild has the rules for the module.

MAKEFLAGS += --no-print-directory

# The kernel to build for: the given one, else the running one, else Debian's
# from the cache.
KDIR ?= $(firstword $(wildcard /lib/modules/$(shell uname -r)/build))
T ?=
B ?=
FUZZ ?=
comma := ,

.DEFAULT_GOAL := all

## all: the module for KDIR (default: the running kernel, else the cached one), provider, library, tools
all: provider tools programs
ifneq ($(KDIR),)
	scripts/build-module host "$(KDIR)"
else
	scripts/build-module stock
endif

## module: the module for Debian's kernel in the cache
module:
	scripts/build-module stock

## module-debug: the module and the KUnit tests for the test kernel
module-debug:
	scripts/build-module debug

## module-uml: the module for the user-mode kernel
## module-uml-debug: the module and the KUnit tests for the user-mode test kernel
module-uml:
	scripts/build-module uml
module-uml-debug:
	scripts/build-module uml-debug

## provider: the user-space driver, libsrnic and librdma_pipeline
## tools: the srnic command and its relatives
## programs: the programs that the end-to-end tests run
provider:
	@scripts/build-user userspace-provider
	@scripts/build-user userspace-provider/libsrnic
	@scripts/build-user userspace-provider/pipeline
tools:
	@scripts/build-user tools
programs:
	@scripts/build-user tests/programs

# The files that scripts/vm and scripts/uml install in their guests
guest-stock: module provider tools programs
guest-debug: module-debug provider tools programs
guest-uml: module-uml provider tools programs
guest-uml-debug: module-uml-debug provider tools programs
# Debian's other kernels, by their names in scripts/kernels.list
guest-%:
	@scripts/build-guest "$*"

## install: as root: the module, the provider, the library, the tools; DESTDIR= for packages
install: all
	scripts/install "$(KDIR)"

## packages: Debian packages, into build/packages
packages:
	scripts/setup build packages
	scripts/build-packages

## demo: see it work, in a virtual machine; installs what is missing
demo:
	scripts/demo

## check: all tests; T=pattern for those whose suite/name matches; K=name: the core on another kernel
check:
	$(if $(K),scripts/kernels --test "$(K)",scripts/check $(if $(T),"$(T)"))

## soak: the tests that take too long for 'make check'
soak:
	scripts/check --soak $(if $(T),"$(T)")

## mutate: take each enforcement out in turn, and see that a test notices; T=pattern for some
mutate:
	scripts/mutate $(if $(T),"$(T)")

## price: the cost of RFC 5042's demands on the fast path, in instructions
price:
	scripts/price

## fuzz: fuzz what builds in user space; FUZZ=target,... and for each FUZZ_TIME=s or FUZZ_RUNS=n
fuzz:
	@kunit/host/fuzz/run $(if $(FUZZ_RUNS),--runs "$(FUZZ_RUNS)") \
		$(if $(FUZZ_TIME),--time "$(FUZZ_TIME)") $(subst $(comma), ,$(FUZZ))

## bench: benchmarks beside rxe, siw, TCP and IPsec, into build/bench; B=name,... for some
bench:
	scripts/bench $(if $(B),"$(B)")

## profile: where a benchmark's time goes: flame graph, table by room; B=name, C=contender
profile:
	scripts/profile $(if $(B),"$(B)",write_4k) $(if $(C),"$(C)")

## kernels: the module for every kernel of Debian's archives, and a table of the results
kernels:
	scripts/kernels

## sparse: the module under sparse
sparse:
	scripts/check static/sparse

## clean: remove build/ (kernels in the cache stay)
clean:
	scripts/clean

## help: this list
help:
	@sed -n 's/^## //p' Makefile | sed 's/: /\t/' | expand -t 16

.PHONY: all install module module-debug module-uml module-uml-debug provider tools programs guest-stock \
	guest-debug guest-uml guest-uml-debug demo \
	packages check soak mutate price fuzz bench profile kernels sparse clean help
