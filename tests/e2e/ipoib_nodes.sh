#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: many nodes of one wire come up sealed, each reaches every other over ib0, each subnet administration knows the paths to all, and a node that dies and comes back is found again
# easy: yes
# timeout: 400
# cites: rfc4391.md I25, I28, protocol.md section 17
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

nodes=${NODES:-4}
paths=${PATHS:-500}
mapfile -t ib_ends < <(seq -f 'n%g' "$nodes")

# reaches END PEER: by IPv4 and IPv6
reaches()
{
	ib_reaches "$1" "$2"
	ib_reaches "$1" "$2" fd78::
}

# all_answer ADDRESS: whether all but n1 have answered n1's pings of a group
all_answer()
{
	local answered
	answered=$(on n1 ping -n -c 2 -W 2 -I ib0 -b "$1" 2>/dev/null |
		grep -o 'from 10\.78\.0\.[0-9]*' | sort -u | grep -vcx 'from 10\.78\.0\.1' || true)
	[ "$answered" = $((nodes - 1)) ]
}

# ask END: ask its subnet administration for the paths to all
ask()
{
	local end port ports=()
	for end in "${ib_ends[@]}"; do
		port=/sys/class/infiniband/$(ib_device "$end")/ports/1
		ports+=("$(<"$port/gids/0")=$(<"$port/lid")")
	done
	"$repo/tests/programs/sa_paths.py" "$(ib_device "$1")" "$paths" "${ports[@]}"
}

# forgotten END PEER: whether it knows no link address of the peer, which it asks for
forgotten()
{
	! on "$1" ping -q -c 1 -W 1 "10.78.0.$(ib_number "$2")" >/dev/null ||
		fail "$2 has answered after its death"
	! grep -q lladdr < <(on "$1" ip neigh show to "10.78.0.$(ib_number "$2")" dev ib0)
}

# Each ping lets the kernel patch its receive path, for time stamps. With so many, QEMU (TCG) often
# dies of the breakpoint that the kernel sets meanwhile. One that lasts leaves the code as it is.
ping -q -i 3600 127.0.0.1 >/dev/null &
stamps=$!

ib_wire_up
ib_keys
ib_rules require aead aes-gcm-128

say "$nodes nodes come up"
start=$SECONDS
for end in "${ib_ends[@]}"; do
	ib_up "$end"
done
took=$((SECONDS - start))

say "each reaches every other"
ib_each_pair reaches

say "all hear what is for all of them"
for end in "${ib_ends[@]}"; do
	on "$end" sysctl -qw net.ipv4.icmp_echo_ignore_broadcasts=0
done
for address in 224.0.0.1 255.255.255.255 10.78.0.255; do
	soon all_answer $address || fail "not all have answered a ping of $address"
done

say "nothing is in the clear, and nothing is refused"
none_refused
for end in "${ib_ends[@]}"; do
	[ "$(unsealed "$end")" -le 20 ] || fail "$end has sent $(unsealed "$end") in the clear"
done

say "each subnet administration knows the paths to all"
modprobe ib_umad
for end in "${ib_ends[@]}"; do
	asked=$(ask "$end") || fail "$asked"
	echo "$asked"
done

say "a node that dies is forgotten"
last=n$nodes
ib_node_die "$last"
soon forgotten n1 "$last" || fail "$(on n1 ip neigh show dev ib0)"
reaches n1 n2

say "and found again, with another address of the port, when it comes back"
ib_node_add "$last"
ib_give_keys "$last"
ib_ends=("$last")
ib_rules require aead aes-gcm-128
ib_up "$last"
soon on n1 ping -q -c 1 -W 2 "10.78.0.$nodes" >/dev/null || fail "$(on n1 ip neigh show dev ib0)"
mapfile -t ib_ends < <(seq -f 'n%g' "$nodes")
ib_wire_down
kill $stamps
echo "$nodes nodes are up in $took s; $asked"
