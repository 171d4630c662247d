#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: IP runs over InfiniBand ports of srnic by the stock ib_ipoib, with no daemon, beside RoCE devices on the same netdevs
# easy: yes
# timeout: 120
# cites: rfc4391.md I1-I5, I7, I11-I13, I18-I21
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

testbed up
ib_up a
ib_up b

say "each port is active; its GID is the netdev's link-local address"
for end in a b; do
	port=/sys/class/infiniband/ib$end/ports/1
	grep -q ACTIVE $port/state || fail "$end: $(cat $port/state)"
	grep -qx InfiniBand $port/link_layer
	lid=$(cat $port/lid)
	[[ $lid != 0x0 && $lid = "$(cat $port/sm_lid)" ]] ||
		fail "$end: LID $lid, SM $(cat $port/sm_lid)"
	[ "$(cat $port/pkeys/0)" = 0xffff ] || fail "P_Key $(cat $port/pkeys/0)"
	local=$(on $end ip -6 -o addr show dev v$end scope link | grep -o 'fe80[0-9a-f:]*')
	[ "$(python3 -c "
import ipaddress
print(ipaddress.ip_address('$local').exploded)")" = "$(cat $port/gids/0)" ] ||
		fail "GID $(cat $port/gids/0), address $local"
done

say "the MTU is 2044, and packets of that length pass, longer ones not"
[ "$(on a cat /sys/class/net/ib0/mtu)" = 2044 ] || fail "MTU $(on a cat /sys/class/net/ib0/mtu)"
on a ping -c 3 -W 60 10.78.0.2
on a ping -c 1 -W 60 -s 2016 -M "do" 10.78.0.2
! on a ping -c 1 -W 60 -s 2017 -M "do" 10.78.0.2 || fail "2045 bytes have passed"
on a ping -c 1 -W 60 -s 20000 10.78.0.2

say "IPv6: an assigned address, and the link-local one, which has the GUID"
on a ping -c 1 -W 60 fd78::2
local=$(on b ip -6 -o addr show dev ib0 scope link | grep -o 'fe80[0-9a-f:]*')
on a ping -c 1 -W 60 "$local%ib0"
python3 - "$local" "$(cat /sys/class/infiniband/ibb/ports/1/gids/0)" <<-END
	import ipaddress, sys
	address, gid = (ipaddress.ip_address(word).packed[8:] for word in sys.argv[1:])
	# the kernel sets the u bit, whatever the GUID is (RFC 4391, 8)
	assert address[1:] == gid[1:] and address[0] == gid[0] | 2, (address, gid)
END

say "broadcast and multicast reach the other end"
ib_groups

say "TCP, both ways"
bytes=4M
! on_debug_kernel || bytes=400K
pair in b iperf3 -s -1 -- in a iperf3 -c 10.78.0.2 -n $bytes
pair in b iperf3 -s -1 -- in a iperf3 -c fd78::2 -n $bytes -R

say "RoCE on the same netdevs is not disturbed"
pair in b rping -s -a 10.77.0.2 -C 3 -- in a rping -c -a 10.77.0.2 -C 3
nothing_lost
for end in a b; do
	[ "$(count_of $end ib$end icrc_errors no_qp wrong_address malformed)" -eq 0 ] ||
		fail "$(on $end rdma statistic show link ib$end/1)"
done

say "ports go, with ib0 up"
ib_delete a
ib_delete b
soon absent /sys/class/infiniband/iba /sys/class/infiniband/ibb
! on a ip link show ib0 2>/dev/null || fail "ib0 is still there"
pair in b rping -s -a 10.77.0.2 -C 3 -- in a rping -c -a 10.77.0.2 -C 3
