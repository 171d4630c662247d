#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: captured packets of IP over InfiniBand have what RFC 4391 demands, injected ones are taken or dropped as it demands, and memberships, new link addresses and failures are handled
# easy: yes
# timeout: 300
# cites: rfc4391.md I1-I8, I11, I13, I15-I17, I21, I22, I24, I26-I28, I32, I34, I35
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

frames=$repo/tests/programs/ipoib_frames.py

link_address() { on "$1" cat /sys/class/net/ib0/address; }

# logged PATTERN: whether the kernel has logged it
logged()
{
	grep -q "$1" < <(dmesg)
}

testbed up
single_packets
record
ib_up a
ib_up b

say "captured: encapsulation, groups, Q_Keys, link addresses"
ib_traffic
on a ping -b -c 1 -W 60 -I ib0 255.255.255.255
on a "$frames" rarp ib0
recorded
"$frames" check /run/test/wire.pcap "$(link_address a)" "$(link_address b)"

say "injected: what is ignored on receipt, and what is dropped"
before=$(count_of b ibb wrong_qkey)
on a "$frames" inject va "$(on b cat /sys/class/net/vb/address)" \
	"$(link_address a)" "$(link_address b)"
[ $(($(count_of b ibb wrong_qkey) - before)) -eq 3 ] || fail "wrong_qkey"

say "users cannot send to the network, nor get its Q_Key"
chmod 666 /dev/infiniband/uverbs*
before=$(count_of b ibb wrong_qkey)
address=$(link_address b)
address=${address//:/}
on a "$repo/tests/programs/ipoib_user.py" iba \
	"$(cat /sys/class/infiniband/ibb/ports/1/gids/0)" "0x${address:2:6}"
soon beyond "$before" b ibb wrong_qkey || fail "a user's datagram has the network's Q_Key"

say "a group of IP is a group of the netdev below, until the last member leaves"
in-b "$repo/tests/programs/multicast.py" receive 239.1.2.9 10.78.0.2 &
receiver=$!
soon ib_member b ff12:401b:ffff::f01:209 || fail "not joined: $(on b ip -6 maddr show dev vb)"
on a timeout 300 "$repo/tests/programs/multicast.py" send 239.1.2.9 10.78.0.1
wait $receiver
soon ib_no_member b ff12:401b:ffff::f01:209 || fail "still joined"

say "a peer that comes back with another QPN is found again"
old=$(link_address b)
ib_delete b
ib_up b
[ "$(link_address b)" != "$old" ] || fail "the link address has not changed"
soon on a ping -c 1 -W 2 10.78.0.2 || fail "$(on a ip neigh show dev ib0)"

say "a join that the subnet administration refuses is logged"
on b sysctl -qw net.ipv4.igmp_max_memberships=400
dmesg --clear
in-b "$repo/tests/programs/many_groups.py" 300 10.78.0.2 &
crowd=$!
soon logged 'ib0: .*multicast join failed for' || fail "nothing is logged: $(dmesg | tail -n 20)"
on a ping -c 1 -W 60 10.78.0.2
kill $crowd
wait $crowd || true
ib_delete a
ib_delete b
testbed down
