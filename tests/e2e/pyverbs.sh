#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the pyverbs suite of the installed rdma-core has no failure and no error, and at least 145 tests pass
# core: pyverbs
# easy: yes
# timeout: 300
# cites: issue 2
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../pyverbs.sh"

docs=/usr/share/doc/rdma-core/tests
[ -d $docs ] || docs=/usr/share/doc/python3-pyverbs/tests
[ -d $docs ] || fail "the pyverbs tests are not installed (python3-pyverbs)"
least=145
if [ "$(getconf LONG_BIT)" -eq 32 ]; then
	# pyverbs takes operands of atomics as an unsigned long. The library asks for a region's
	# length as a size_t, which the kernel refuses, when it imports the region. Skipped are
	# three tests of implicit paging and three of huge pages of 2 MiB.
	least=125
	pyverbs_without=(
		test_atomic_cmp_and_swap test_atomic_fetch_and_add test_atomic_invalid_lkey
		test_atomic_invalid_mr_access test_atomic_invalid_qp_access test_atomic_invalid_rkey
		test_atomic_non_aligned_addr test_xrc_atomic_cmp_and_swap test_xrc_atomic_fetch_and_add
		test_odp_rc_atomic_cmp_and_swp test_odp_rc_atomic_fetch_and_add
		test_qp_ex_rc_atomic_cmp_swp test_qp_ex_rc_atomic_fetch_add test_imported_rc_ex_rdma_write
	)
fi
testbed up --flat
run_pyverbs $docs $least /usr/bin/python3
testbed down
