#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: behind a queue that is shorter than a window nothing is lost on the sender's machine, whatever is sent
# timeout: 300
# cites: issue 21.2
# easy: counts alone
. "$(dirname "$0")/../lib.sh"

# tool NAME OPTION...: one run of it, the same options at both ends
tool()
{
	local name=$1
	shift
	say "$name $*"
	pair in b "$name" -d srnic1 -x "$gb" -F "$@" -- \
		in a "$name" -d srnic0 -x "$ga" -F "$@" 10.77.0.2
}

nothing_is_lost()
{
	local end
	for end in "a srnic0" "b srnic1"; do
		# shellcheck disable=SC2086 # two words
		expect_count $end send_err -eq 0
		# shellcheck disable=SC2086
		expect_count $end out_of_seq_request -eq 0
		# shellcheck disable=SC2086
		expect_count $end rcvd_seq_err -eq 0
	done
}

# 25 super-packets of 4 KiB fill the one; 10 packets of any size the other
for queue in "tbf rate 400mbit burst 64kb limit 100kb" \
	"tbf rate 400mbit burst 64kb limit 1mb|pfifo limit 10"; do
	say "$queue"
	inner=()
	[[ $queue != *"|"* ]] || inner=(--qdisc "${queue#*|}")
	testbed up --qdisc "${queue%|*}" "${inner[@]}"
	ga=$(gid_of a srnic0)
	gb=$(gid_of b srnic1)
	for name in ib_write_bw ib_send_bw ib_read_bw; do
		tool $name -s 65536 -n 200
	done
	tool ib_write_bw -s 65536 -n 50 -q 8
	tool ib_write_bw -c UC -s 65536 -n 100
	# the receiver counts them: one that is missing and it never ends
	before=$(count_of b srnic1 rdma_recvs)
	tool ib_send_bw -c UD -r 2500 -s 1024 -n 2000
	expect_count b srnic1 rdma_recvs -ge $((before + 2000))
	nothing_is_lost
	testbed down
done
