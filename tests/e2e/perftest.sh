#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: perftest measures bandwidth and latency of send, write, read and atomics, clear and sealed
# core: perftest
# easy: yes
# timeout: 420
# cites: issue 2.7
. "$(dirname "$0")/../lib.sh"

# With a retry interval of 4 seconds a busy machine causes no retransmission: only lost
# packets are retransmitted
patient=(-u 20)

# patiently NAME OPTION...: run a tool with that interval
patiently()
{
	tool "$@" "${patient[@]}"
}

expect_clean()
{
	sent_once a srnic0
	sent_once b srnic1
	expect_count b srnic1 icrc_errors -eq 0
	expect_count b srnic1 sth_auth_failed -eq 0
}

testbed up
for name in ib_send_bw ib_write_bw ib_read_bw; do
	patiently $name -s 65536 -n 200
done
for name in ib_send_lat ib_write_lat ib_read_lat ib_atomic_lat; do
	patiently $name -n 500
done
patiently ib_atomic_bw -n 1000 -A FETCH_AND_ADD
say "several QPs, both directions; events; inline"
patiently ib_send_bw -b -q 4 -n 200
patiently ib_send_bw -e -n 200
patiently ib_write_bw -n 200 -I 64 -s 64
say "rdma_cm"
pair in b ib_send_bw -R -F -n 200 -- in a ib_send_bw -R -F -n 200 10.77.0.2
expect_clean
testbed down

# under emulation sealing reaches 10 MB/s
say "sealed, aead"
testbed up --policy require:aead:aes-gcm-128
for name in ib_send_bw ib_write_bw ib_read_bw; do
	patiently $name -s 65536 -n 50
done
patiently ib_atomic_lat -n 200
patiently ib_send_bw -b -q 4 -n 50
expect_clean
testbed down
