#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: an InfiniBand port is a member of the partitions that srnic pkey names; IPoIB child interfaces run in them, and nothing passes between partitions
# easy: yes
# timeout: 240
# cites: rfc4391.md I4, I7, I12, IBA 10.9
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

# child END PKEY: make a child interface of that partition, and bring it up with 10.79.P.N,
# P: the last digit of the P_Key
child()
{
	local n=1
	[ "$1" = a ] || n=2
	on "$1" sh -c "
		ip link add link ib0 name ib0.$2 type ipoib pkey 0x$2
		echo 0 >/proc/sys/net/ipv6/conf/ib0.$2/accept_dad
		ip link set ib0.$2 up
		ip addr add 10.79.${2:3}.$n/24 brd + dev ib0.$2"
}

# carrier END PKEY: whether the child has a carrier
carrier()
{
	[ "$(on "$1" cat "/sys/class/net/ib0.$2/carrier" 2>/dev/null)" = 1 ]
}

without_carrier()
{
	! carrier "$@"
}

# refused WORDS END COMMAND...: check that srnic refuses the command, and says these words
refused()
{
	local said=$1
	shift
	! on "$@" 2>/run/test/why || fail "not refused: $*"
	grep -q "$said" /run/test/why || fail "$*: $(cat /run/test/why)"
}

testbed up
single_packets
ib_up a
ib_up b

say "the table, as srnic and sysfs show it"
for end in a b; do
	on $end srnic pkey add ib$end 0x8001
done
on a srnic pkey add iba 0x0002
[ "$(on a srnic pkey show iba | awk 'NR > 1 { print $2, $3 }' | xargs)" = \
	"0xffff full 0x8001 full 0x0002 limited" ] || fail "$(on a srnic pkey show)"
[ "$(cat /sys/class/infiniband/iba/ports/1/pkeys/2)" = 0x0002 ]
refused "RoCE device" a srnic pkey add srnic0 0x8001
refused "member of partition 0x0001" a srnic pkey add iba 0x0001
refused "cannot be added or removed" a srnic pkey del iba 0xffff
refused "no such P_Key" a srnic pkey del iba 0x8003
refused "Operation not permitted\|not permitted" a setpriv --reuid 65534 --clear-groups \
	srnic pkey add iba 0x8003

say "IP and connections in a partition, whose broadcast group has the P_Key"
record
for end in a b; do
	child $end 8001
done
for end in a b; do
	soon carrier $end 8001 || fail "$end: $(on $end ip -d link show ib0.8001)"
done
on a ping -c 2 -W 60 10.79.1.2
on b ping -c 1 -W 60 10.79.1.1
grep -q 'inet6 ff12:401b:8001::ffff:ffff' < <(on b ip -6 maddr show dev vb)
pair in b iperf3 -s -1 -- in a iperf3 -c 10.79.1.2 -n 1M
pair in b rping -s -a 10.79.1.2 -C 3 -- in a rping -c -a 10.79.1.2 -C 3
recorded
"$repo/tests/programs/ipoib_frames.py" pkeys /run/test/wire.pcap 8001

say "what comes with the P_Key of another partition is dropped"
before=$(count_of b ibb wrong_pkey)
address=$(on b cat /sys/class/net/ib0.8001/address)
on a "$repo/tests/programs/ipoib_frames.py" stray va "$(on b cat /sys/class/net/vb/address)" \
	"$(on a cat /sys/class/net/ib0.8001/address)" "$address" ffff 8002 0 8000
soon beyond $((before + 3)) b ibb wrong_pkey
[ "$(count_of b ibb wrong_pkey)" -eq $((before + 4)) ] || fail "wrong_pkey"

say "without its P_Key, or as a limited member, an interface has no carrier"
child a 8002
child a 8003
sleep 2
without_carrier a 8002 || fail "a limited member has a carrier"
without_carrier a 8003 || fail "without the P_Key: $(on a srnic pkey)"
on a srnic pkey add iba 0x8003
soon carrier a 8003 || fail "$(on a ip -d link show ib0.8003)"

say "a partition that the peer is not in reaches nobody"
! on a ping -c 2 -W 2 10.79.3.2 || fail "the peer has answered"

say "after the membership has ended, nothing passes"
on b srnic pkey del ibb 0x8001
! on a ping -c 3 -W 2 10.79.1.2 || fail "a ping has passed"
on a ping -c 1 -W 60 10.78.0.2
on b srnic pkey add ibb 0x8001
soon on a ping -c 1 -W 2 10.79.1.2
ib_delete a
ib_delete b
testbed down
