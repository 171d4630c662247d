#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: forged management datagrams, of other nodes and of users, change nothing at an InfiniBand port, and a flood of them leaves IP over InfiniBand working
# easy: yes
# timeout: 300
# cites: rfc4391.md I35
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

number=10000
! on_debug_kernel || number=2000

forge()
{
	on a "$repo/tests/programs/ipoib_forger.py" va "$mac" "$a" "$b" "$@"
}

# unchanged HOST WHAT: check that the P_Keys of a host's port are what they were
unchanged()
{
	local now
	now=$(on "$1" srnic pkey | awk 'NR > 1 { print $2 }' | xargs)
	[ "$now" = 0xffff ] || fail "$2: P_Keys $now"
}

# forged COUNTER LEAST ATTACK...: check that the counter of b's port grows by that, and that its
# P_Keys are what they were
forged()
{
	local counter=$1 least=$2 before
	shift 2
	before=$(count_of b ibb "$counter")
	forge "$@"
	soon beyond $((before + least - 1)) b ibb "$counter" ||
		fail "$*: $counter grew from $before to $(count_of b ibb "$counter")"
	unchanged b "$*"
}

# flood COUNTER ATTACK NUMBER...: while honest nodes go on, of whose pings half may be lost
flood()
{
	local counter=$1 before pinging sent answered
	shift
	before=$(count_of b ibb "$counter")
	ip netns exec a ping -i 0.1 10.78.0.2 >/run/test/ping.log 2>&1 &
	pinging=$!
	while [ $# -gt 0 ]; do
		forge "$1" "$2"
		shift 2
	done
	soon beyond "$before" b ibb "$counter"
	kill -INT $pinging
	wait $pinging || true
	read -r sent answered < <(sed -n \
		's/^\([0-9]*\) packets transmitted, \([0-9]*\) received.*/\1 \2/p' /run/test/ping.log)
	[ $((2 * answered)) -ge "$sent" ] || fail "$answered of $sent pings were answered"
	on a ping -c 3 -W 60 10.78.0.2
	unchanged b "a flood"
}

testbed up
ib_up a
ib_up b
a=$(on a cat /sys/class/net/ib0/address)
b=$(on b cat /sys/class/net/ib0/address)
mac=$(on b cat /sys/class/net/vb/address)
on a ping -c 1 -W 60 10.78.0.2

say "SMPs for QP0, from wherever they seem to come"
forged wrong_address 8 smp

say "SMPs for QP1: those without a GRH are dropped, the others are no business of QP1"
forged wrong_address 4 smp-qp1

say "joins for other nodes"
forged mad_foreign 4 sa 4
forged mad_foreign 4 sa-table 4
say "segments of requests for other nodes: none is kept"
forged mad_foreign 500 sa-segments 500
say "joins as from the node itself"
forged mad_foreign 4 sa-own 8
forged wrong_address 4 sa-own 8

say "a flood of $number joins"
flood mad_foreign sa $number sa-own 1000
say "a flood of $number SMPs for QP0 and QP1"
flood wrong_address smp $number smp-qp1 $number

say "no group has come of them: there is room for those that b itself joins"
on b sysctl -qw net.ipv4.igmp_max_memberships=400
dmesg --clear
in-b "$repo/tests/programs/many_groups.py" 200 10.78.0.2 &
crowd=$!
# the group is that of 239.9.0.199, the last
soon ib_member b ff12:401b:ffff::f09:c7 || fail "$(grep -m 3 'join failed' < <(dmesg))"
! grep 'join failed' < <(dmesg) || fail "a join was refused"
kill $crowd
wait $crowd || true

say "a user's address handle without a GRH leads to no other node"
chmod 666 /dev/infiniband/uverbs*
on a "$repo/tests/programs/ipoib_lid.py" iba

say "users of the host do not manage its port"
before=$(count_of a iba wrong_address)
sent=$(on a "$repo/tests/programs/ipoib_local.py" iba va "$a") || fail "$sent"
[ "$sent" -gt 0 ]
soon beyond $((before + sent - 1)) a iba wrong_address ||
	fail "wrong_address grew from $before to $(count_of a iba wrong_address), not by $sent"
unchanged a "a user"
ib_delete a
ib_delete b
testbed down
