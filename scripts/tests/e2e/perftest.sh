#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: perftest's bandwidth and latency of send, write, read and atomics, clear and sealed
# timeout: 420
# cites: issue 2.7
. "$(dirname "$0")/../lib.sh"

round()
{
	local ga gb tool
	ga=$(gid_of a srnic0)
	gb=$(gid_of b srnic1)
	for tool in ib_send_bw ib_write_bw ib_read_bw; do
		say "$tool 64 KiB"
		pair in b $tool -d srnic1 -x "$gb" -F -s 65536 -n 200 -- \
			in a $tool -d srnic0 -x "$ga" -F -s 65536 -n 200 10.77.0.2
	done
	for tool in ib_send_lat ib_write_lat ib_read_lat ib_atomic_lat; do
		say "$tool"
		pair in b $tool -d srnic1 -x "$gb" -F -n 500 -- \
			in a $tool -d srnic0 -x "$ga" -F -n 500 10.77.0.2
	done
	say "ib_atomic_bw"
	pair in b ib_atomic_bw -d srnic1 -x "$gb" -F -n 1000 -A FETCH_AND_ADD -- \
		in a ib_atomic_bw -d srnic0 -x "$ga" -F -n 1000 -A FETCH_AND_ADD 10.77.0.2
	say "several QPs, both directions; events; inline"
	pair in b ib_send_bw -d srnic1 -x "$gb" -F -b -q 4 -n 200 -- \
		in a ib_send_bw -d srnic0 -x "$ga" -F -b -q 4 -n 200 10.77.0.2
	pair in b ib_send_bw -d srnic1 -x "$gb" -F -e -n 200 -- \
		in a ib_send_bw -d srnic0 -x "$ga" -F -e -n 200 10.77.0.2
	pair in b ib_write_bw -d srnic1 -x "$gb" -F -n 200 -I 64 -s 64 -- \
		in a ib_write_bw -d srnic0 -x "$ga" -F -n 200 -I 64 -s 64 10.77.0.2
	expect_count a srnic0 retransmits -eq 0
	expect_count b srnic1 retransmits -eq 0
	expect_count b srnic1 icrc_errors -eq 0
}

testbed up
round
say "rdma_cm"
pair in b ib_send_bw -R -F -n 200 -- in a ib_send_bw -R -F -n 200 10.77.0.2
testbed down
say "sealed, aead"
testbed up --policy require:aead:aes-gcm-128
round
expect_count b srnic1 sth_auth_failed -eq 0
testbed down
