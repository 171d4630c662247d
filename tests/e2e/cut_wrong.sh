#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: if a NIC segments super-packets with a repeated IPv4 id, everything arrives at srnic and at rxe, and the device changes to single packets; it does not if the NIC increments the id
# easy: yes
# timeout: 400
# cites: issue 21.5
. "$(dirname "$0")/../lib.sh"

# bed OPTION... -- TESTBED-OPTION...: put such a NIC between ma and mb
bed()
{
	local options=() dev
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	testbed up "$@"
	for dev in ma mb x0 x1; do
		ip netns exec m tc qdisc del dev $dev clsact
	done
	# ip netns exec replaces itself, so this is the PID of srnic-cut
	ip netns exec m srnic-cut "${options[@]}" ma mb >/run/test/cut.log &
	cutter=$!
	soon on a ping -q -c 1 -W 5 10.77.0.2 >/dev/null || fail "nothing passes"
}

bed_down()
{
	kill $cutter
	wait $cutter || true
	cat /run/test/cut.log
	grep -q ': [1-9]' /run/test/cut.log || fail "no super-packet has been cut"
	testbed down
}

# bulk TOOL CLIENT SERVER: send some long messages
declare -A dev=([a]=srnic0 [b]=srnic1)
declare -A address=([a]=10.77.0.1 [b]=10.77.0.2)
bulk()
{
	local from=$2 to=$3
	say "$1 of $from at $to"
	pair in "$to" "$1" -d "${dev[$to]}" -x "$(gid_of "$to" "${dev[$to]}")" -F -m 1024 -n 50 -- \
		in "$from" "$1" -d "${dev[$from]}" -x "$(gid_of "$from" "${dev[$from]}")" -F -m 1024 -n 50 \
		"${address[$to]}"
}

# whole: whether a sends super-packets
whole()
{
	local pkts bursts
	pkts=$(count_of a srnic0 sent_pkts)
	bursts=$(count_of a srnic0 sent_bursts)
	bulk ib_write_bw a b
	pkts=$(($(count_of a srnic0 sent_pkts) - pkts))
	bursts=$(($(count_of a srnic0 sent_bursts) - bursts))
	say "$pkts packets in $bursts bursts"
	[ "$bursts" -lt "$pkts" ]
}

bed -- --netem "limit 100000"
bulk ib_write_bw a b
expect_count a srnic0 segmentation_off -eq 1
wrong=$(count_of b srnic1 icrc_errors)
[ "$wrong" -gt 0 ] || fail "no segment was wrong"
! whole || fail "super-packets go on"
bulk ib_send_bw a b
expect_count b srnic1 icrc_errors -eq "$wrong"
# b's own NIC segments b's responses
expect_count b srnic1 segmentation_off -eq 0
bulk ib_read_bw a b
expect_count b srnic1 segmentation_off -eq 1
say "the stack cuts"
on a ethtool -K va tx-udp-segmentation off >/dev/null
whole || fail "no super-packets, though the stack cuts them"
expect_count b srnic1 icrc_errors -eq "$wrong"
expect_count a srnic0 segmentation_off -eq 1
bed_down

dev[a]=rxe0
bed -- --type interop --netem "limit 100000"
bulk ib_read_bw a b
expect_count b srnic1 segmentation_off -eq 1
say "another chance"
on b ethtool -K vb tx-udp-segmentation off >/dev/null
on b ethtool -K vb tx-udp-segmentation on >/dev/null
bulk ib_write_bw b a
expect_count b srnic1 segmentation_off -eq 2
bed_down
dev[a]=srnic0

say "cut as it should be, and losses"
bed --increment -- --netem "limit 100000 loss 2%"
bulk ib_write_bw a b
bulk ib_read_bw a b
expect_count a srnic0 retransmits -gt 10
expect_count a srnic0 segmentation_off -eq 0
expect_count b srnic1 segmentation_off -eq 0
bed_down
