#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: InfiniBand ports and their subnet manager stand the loss, doubling and reordering of management datagrams: ports come up, groups are joined and left, connections are made, and a node that was cut off comes back
# easy: yes
# timeout: 200
# cites: issue 24, loss of MADs; rfc4391.md I12, I13, I25, I32
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

ib_ends=(n1 n2 n3)
# of each of the four queues that a request and its response pass
faults=(delay 1ms loss 4% duplicate 5% reorder 25%)

# disturb END: have both directions of its wire lose, double and reorder packets
disturb()
{
	tc qdisc add dev "p$1" root netem limit 10000 "${faults[@]}"
	on "$1" tc qdisc add dev "v$1" root netem limit 10000 "${faults[@]}"
}

# disturbed END: whether a packet to it has been lost
disturbed()
{
	[[ $(tc -s qdisc show dev "p$1") =~ dropped\ [1-9] ]]
}

# is_up END: whether its port is active, and ib0 has joined the broadcast group
is_up()
{
	ib_port_is ACTIVE "$1" && ib_has_carrier "$1"
}

# all_up WHEN
all_up()
{
	local end
	for end in "${ib_ends[@]}"; do
		soon is_up "$end" || fail "$1: $end is not up: $(on "$end" ip -d link show ib0)" \
			"$(tail /run/test/opensm.n1 2>/dev/null)"
	done
}

# exchange SERVER CLIENT: bytes by TCP, and by a connection that the connection manager makes
exchange()
{
	local address
	address=10.78.0.$(ib_number "$1")
	pair in "$1" "$repo/tests/programs/exchange.py" serve -- \
		in "$2" "$repo/tests/programs/exchange.py" connect "$address" 100000
	pair in "$1" rping -s -a "$address" -C 10 -- in "$2" rping -c -a "$address" -C 10
}

# joins_and_leaves END
joins_and_leaves()
{
	local group=ff12:401b:ffff::f08:808
	on "$1" ip addr add 239.8.8.8/32 dev ib0 autojoin
	soon ib_member "$1" $group || fail "not joined: $(on "$1" ip -6 maddr show dev "v$1")"
	on "$1" ip addr del 239.8.8.8/32 dev ib0
	soon ib_no_member "$1" $group || fail "$1 has not left"
}

ib_needs_opensm
modprobe ib_umad
modprobe ib_ipoib
ib_wire_up
for end in "${ib_ends[@]}"; do
	disturb "$end"
done

say "ports that manage themselves"
for end in "${ib_ends[@]}"; do
	ib_up "$end"
done
all_up "without a manager"
ib_each_pair ib_reaches
exchange n2 n3
joins_and_leaves n2

say "a subnet manager configures all of them"
ib_manage n1 n2 n3
opensm_start n1 10
all_up "with a manager"
ib_each_pair ib_reaches
exchange n2 n3
joins_and_leaves n3

say "a node that was cut off is configured again"
ip link set pn3 down
soon ib_port_is DOWN n3 || fail "n3 is not down"
ip link set pn3 up
all_up "after a cut"
ib_reaches n3 n2
for end in "${ib_ends[@]}"; do
	soon disturbed "$end" || fail "$end: nothing was lost"
	expect_count "$end" "$(ib_device "$end")" icrc_errors -eq 0
done

say "links go while they are managed"
for end in n2 n3 n1; do
	ib_delete $end
done
opensm_kill n1
ib_wire_down
