#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a peer or process that tries to use another's objects or memory fails, over the wire and by system call, and changes nothing
# easy: yes
# timeout: 180
# cites: R2, R7, R8, R9, R10, R12, R13, R16, R22, R26, R27, R28, R29
. "$(dirname "$0")/../lib.sh"

testbed up
on a "$repo/tests/programs/isolation.py" srnic0

# These programs size their CQs correctly: they never hit the check that a safe CQ adds
export SRNIC_SAFE_CQ=1
for tool in ibv_rc_pingpong ibv_srq_pingpong; do
	say "$tool, with safe completion queues"
	pair in b $tool -d srnic1 -g "$(gid_of b srnic1)" -n 500 -- \
		in a $tool -d srnic0 -g "$(gid_of a srnic0)" -n 500 10.77.0.2
done
pair in b srnic-verify -d srnic1 --ops send,write,read -- \
	in a srnic-verify -d srnic0 --ops send,write,read 10.77.0.2

say "one that is misspelt"
! on a env SRNIC_SAFE_CQ=yes ibv_devinfo -d srnic0 >/run/test/misspelt 2>&1 || fail "it is ignored"
grep -q "SRNIC_SAFE_CQ is 'yes'" /run/test/misspelt || fail "$(cat /run/test/misspelt)"
testbed down
