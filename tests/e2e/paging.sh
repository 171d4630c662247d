#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: both
# what: regions that are paged on demand follow the process's memory, in the clear and sealed, and no byte goes to pages that it has lost
# timeout: 400
# cites: R12, R14, R18, R32
. "$(dirname "$0")/../lib.sh"

# of each of five kinds
times=${SRNIC_INVALIDATIONS:-400}
sealed_times=${SRNIC_SEALED_INVALIDATIONS:-100}
on_debug_kernel && times=$((times / 4)) sealed_times=$((sealed_times / 4))

# on_testbed POLICY INVALIDATIONS
on_testbed()
{
	local sealed
	say "${1:-in the clear}"
	srnic-paging srnic0 srnic1
	expect_sealed "$1" 40
	sealed=$(counter srnic0 sth_sealed)
	say "$2 invalidations of each kind"
	srnic-paging srnic0 srnic1 "$2"
	expect_sealed "$1" $((sealed + 40))
	testbed down
}

testbed up --flat
say "processes that are killed, before all others"
killed srnic-paging
on_testbed '' "$times"

testbed up --flat --policy require:aead:aes-gcm-128
on_testbed require:aead:aes-gcm-128 "$sealed_times"
