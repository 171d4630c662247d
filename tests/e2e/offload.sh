#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: data is the same whether super-packets arrive whole, are segmented in software, or are reassembled by GRO
# easy: yes
# timeout: 240
. "$(dirname "$0")/../lib.sh"

testbed up

# verify_all [ipv4]: verify every opcode at sizes around the MTU, on IPv4 and IPv6
verify_all()
{
	# shellcheck disable=SC2054 # those commas are the tool's
	local args=(--ops=send,write,read --sizes "1,4096,4097,70001" --offsets 0,3 -m 4096)
	pair in b srnic-verify -d srnic1 "${args[@]}" -- \
		in a srnic-verify -d srnic0 "${args[@]}" 10.77.0.2
	[ $# -eq 0 ] || return 0
	args+=(-6 --sizes "1,4097,70001" --offsets 3)
	pair in b srnic-verify -d srnic1 "${args[@]}" -- \
		in a srnic-verify -d srnic0 "${args[@]}" 10.77.0.2
}

# bulk: set PKTS and BURSTS to what b receives of some long messages
bulk()
{
	local pkts bursts
	pkts=$(count_of b srnic1 rcvd_pkts)
	bursts=$(count_of b srnic1 rcvd_bursts)
	pair in b ib_write_bw -d srnic1 -x "$(gid_of b srnic1)" -F -n 100 -- \
		in a ib_write_bw -d srnic0 -x "$(gid_of a srnic0)" -F -n 100 10.77.0.2
	PKTS=$(($(count_of b srnic1 rcvd_pkts) - pkts))
	BURSTS=$(($(count_of b srnic1 rcvd_bursts) - bursts))
	say "$PKTS packets in $BURSTS bursts"
}

# features WORDS: set features of both netdevs
features()
{
	# shellcheck disable=SC2086 # they are a list of words
	{
		on a ethtool -K va $1 >/dev/null
		on b ethtool -K vb $1 >/dev/null
	}
}

expect_clean()
{
	local name
	for name in icrc_errors malformed unknown_opcode; do
		expect_count a srnic0 $name -eq 0
		expect_count b srnic1 $name -eq 0
	done
}

say "whole"
verify_all
bulk
[ $((BURSTS * 3)) -lt "$PKTS" ] || fail "super-packets do not arrive whole"

say "cut by the sender's stack"
features "tx-udp-segmentation off"
verify_all ipv4
bulk
[ "$BURSTS" -eq "$PKTS" ] || fail "segmentation offload is off, and still $BURSTS bursts"

say "cut without scatter-gather and checksum offload"
features "sg off tx off"
verify_all ipv4

# veth passes only packets sent without TSO to GRO
say "put together by the receiver's GRO"
features "tx on sg on tso off gro on"
verify_all
bulk
[ "$BURSTS" -lt "$PKTS" ] || fail "GRO joined nothing"

expect_clean
testbed down
