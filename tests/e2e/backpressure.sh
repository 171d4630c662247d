#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a sender whose queue is shorter than its window loses no packet on its own machine, for every kind of traffic
# timeout: 300
# cites: issue 21.2
# easy: counts alone
. "$(dirname "$0")/../lib.sh"

# One queue holds 25 super-packets of 4 KiB, the other 10 packets of any size. Either processor may
# take packets out of it. By RPS they all get into one receive queue, and stay in order: veth has one
# for each processor.
for queue in "tbf rate 400mbit burst 64kb limit 100kb" \
	"tbf rate 400mbit burst 64kb limit 1mb|pfifo limit 10"; do
	say "$queue"
	inner=()
	[[ $queue != *"|"* ]] || inner=(--qdisc "${queue#*|}")
	testbed up --rps 1 --qdisc "${queue%|*}" "${inner[@]}"
	for name in ib_write_bw ib_send_bw ib_read_bw; do
		tool $name -s 65536 -n 200
	done
	tool ib_write_bw -s 65536 -n 50 -q 8
	tool ib_write_bw -c UC -s 65536 -n 100
	# The receiver counts datagrams: it never ends if one is missing
	before=$(count_of b srnic1 rdma_recvs)
	tool ib_send_bw -c UD -r 2500 -s 1024 -n 2000
	expect_count b srnic1 rdma_recvs -ge $((before + 2000))
	neither send_err out_of_seq_request rcvd_seq_err
	testbed down
done
