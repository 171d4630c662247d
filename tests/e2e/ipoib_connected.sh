#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: ib_ipoib's connected mode runs on InfiniBand ports: long packets by reliable connections, and back to datagrams
# easy: yes
# timeout: 240
# cites: issue 24.3, RFC 4755
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

testbed up
ib_up a
ib_up b
bytes=4000003
! on_debug_kernel || bytes=1000003

# mode MODE MTU: set the mode and the MTU of both ends
mode()
{
	local end
	for end in a b; do
		on $end sh -c "echo $1 >/sys/class/net/ib0/mode"
		[ "$(on $end cat /sys/class/net/ib0/mode)" = "$1" ] || fail "$end is not $1"
		on $end ip link set ib0 mtu "$2"
	done
}

# connections: number of RC QPs of a's port that send
connections()
{
	on a rdma resource show qp link iba/1 | grep -c "type RC state RTS" || true
}

connected()
{
	[ "$(connections)" -gt 0 ]
}

# long_pings: whether packets of nearly 64 KiB pass whole
long_pings()
{
	on a ping -c 1 -W 5 -s 65000 -M "do" 10.78.0.2
}

say "connected: packets of 64 KiB"
mode connected 65520
on a ping -c 1 -W 60 10.78.0.2
soon connected || fail "there is no connection: $(on a rdma resource show qp)"
soon long_pings || fail "long packets do not pass"
before=$(count_of b ibb rdma_recvs)
ib_exchange $bytes 10.78.0.2 fd78::2
messages=$(($(count_of b ibb rdma_recvs) - before))
say "$((2 * bytes)) bytes in $messages messages"
[ $((messages * 10000)) -lt $((2 * bytes)) ] || fail "they went as datagrams"

say "broadcast and multicast remain datagrams"
ib_groups

say "a peer that restarts ib0 is connected again"
on b ip link set ib0 down
on b ip link set ib0 up
on b ip addr replace fd78::2/64 dev ib0 nodad
soon ib_has_carrier b || fail "no carrier"
soon long_pings || fail "long packets do not pass"
ib_exchange $bytes 10.78.0.2

say "one end in datagram mode: the other sends what fits"
on b sh -c "echo datagram >/sys/class/net/ib0/mode"
on a ping -c 1 -W 60 10.78.0.2
ib_exchange $bytes 10.78.0.2

say "datagrams again"
mode datagram 2044
ib_exchange $bytes 10.78.0.2
# no_qp may count: a's connection sends to b's old QP until it learns that b restarted ib0.
for end in a b; do
	[ "$(count_of $end ib$end icrc_errors malformed bad_wqe)" -eq 0 ] ||
		fail "$(on $end rdma statistic show link ib$end/1)"
done

say "ports go, with connections up"
mode connected 65520
soon long_pings || fail "long packets do not pass"
ib_delete a
ib_delete b
soon absent /sys/class/infiniband/iba /sys/class/infiniband/ibb
testbed down

say "a netdev of 1500 bytes carries connections in fragments"
testbed up --mtu 1500
ib_up a
ib_up b
mode connected 65520
on a ping -c 1 -W 60 10.78.0.2
soon connected || fail "there is no connection: $(dmesg | tail -n 3)"
soon long_pings || fail "long packets do not pass"
ib_delete a
ib_delete b
testbed down
