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

# on_testbed POLICY [INVALIDATIONS]
on_testbed()
{
	local policy=$1
	shift
	testbed up --flat ${policy:+--policy "$policy"}
	srnic-paging srnic0 srnic1 "$@"
	expect_sealed "$policy" 40
	testbed down
}

for policy in '' require:aead:aes-gcm-128; do
	say "${policy:-in the clear}"
	on_testbed "$policy"
done

say "processes that are killed"
testbed up --flat
for i in 1 2 3; do
	timeout -s KILL "$i" srnic-paging srnic0 srnic1 100000 || [ $? -eq 137 ]
done
gone() { [ "$(rdma resource show mr | grep -c srnic-paging)" = 0 ]; }
soon gone || fail "regions of killed processes are left"
srnic-paging srnic0 srnic1
testbed down

say "$times invalidations of each kind"
on_testbed '' "$times"
say "$sealed_times of each kind, sealed"
on_testbed require:aead:aes-gcm-128 "$sealed_times"
