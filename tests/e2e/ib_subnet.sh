#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: opensm manages a subnet of four InfiniBand ports: the tools of administrators see all of them and their switch, IP over InfiniBand and RDMA run on it, and when the manager ends another one takes over
# easy: yes
# timeout: 150
# cites: issue 24, membership that is true; rfc4391.md I8, I30; protocol.md section 17
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

ib_ends=(n1 n2 n3 n4)

# shows NUMBER WORDS COMMAND...: whether the command prints so many lines with the words, apart from
# the dots with which these tools fill their lines
shows()
{
	local number=$1 text=$2 said found
	shift 2
	said=$("$@" 2>&1) || fail "$* has failed: $said"
	found=$(tr -s '. \t' ' ' <<<"$said" | grep -c -- "$text" || true)
	[ "$found" = "$number" ] || fail "$* has '$text' $found times, not $number: $said"
}

# ib0_up END: as ib_up, but the port comes up when the manager has configured it
ib0_up()
{
	local n
	n=$(ib_number "$1")
	ib_add "$1"
	soon ib_place "$1" || fail "ib_ipoib has made no netdev for $(ib_device "$1")"
	on "$1" sh -c "
		echo 0 >/proc/sys/net/ipv6/conf/ib0/accept_dad
		ip link set ib0 up
		ip addr add 10.78.0.$n/24 brd + dev ib0"
}

# members_of_broadcast END: how many ports have joined the broadcast group, as its subnet administration says
members_of_broadcast()
{
	on "$1" saquery -C "$(ib_device "$1")" --smkey 1 -m 2>/dev/null | tr -d ' \t' |
		awk '/^Mlid/ { mlid = $0 } /^PortGid/ && mlid ~ /0xC000/ && !/::$/ { n++ } END { print n + 0 }'
}

# has_members NUMBER END
has_members() { [ "$(members_of_broadcast "$2")" = "$1" ]; }

# sees_link END PEER STATE: whether the switch of the end says so of the link to the peer
sees_link()
{
	local wanted
	wanted=$(on "$1" srnic -j subnet | python3 -c "
import json, sys
gid = '$(python3 -c "import ipaddress, sys; print(ipaddress.ip_address('$2'))")'
for node in json.load(sys.stdin):
    if node['gid'] == gid and node['role'] == 'member':
        print('up' if node['up'] else 'down')")
	[ "$wanted" = "$3" ]
}

# answers_ibping END LID
answers_ibping()
{
	[[ $(on "$1" ibping -C "$(ib_device "$1")" -c 1 "$2" 2>&1) == *" 1 received"* ]]
}

# is_master END MANAGER: whether the end's port says that the manager's is its subnet manager
is_master()
{
	local guid
	printf -v guid "0x%x" "$(ib_guid "$2")"
	[[ $(on "$1" sminfo -C "$(ib_device "$1")" 2>&1) == *"guid $guid,"*SMINFO_MASTER* ]]
}

# has_refused: whether n2 has refused datagrams, for their sender or for its roles, since $before
has_refused()
{
	[ $(($(count_of n2 ibn2 wrong_address) + $(count_of n2 ibn2 mad_foreign))) -gt $((before + 4)) ]
}

# seal_ends: with SEALED, have the ends seal all that their ports send
seal_ends()
{
	[ -n "${SEALED-}" ] || return 0
	ib_give_keys "${ib_ends[@]}"
	ib_rules require aead aes-gcm-128
}

ib_needs_opensm
modprobe ib_umad
modprobe ib_ipoib
ib_wire_up
[ -z "${SEALED-}" ] || ib_keys
seal_ends
for end in "${ib_ends[@]}"; do
	ib0_up "$end"
done

say "members alone change nothing: the port manages itself"
on n1 srnic subnet add ibn1 member "$(ib_gid n2)"
soon sees_link n1 "$(ib_gid n2)" down || fail "n2 is up for a switch that it does not know"
for end in n1 n2; do
	soon ib_has_carrier $end || fail "no carrier: $(on $end ip -d link show ib0)"
done
ib_reaches n1 n2
on n1 ip link set ib0 down
on n1 ip link set ib0 up
soon ib_has_carrier n1 || fail "n1 does not join its groups again"
ib_reaches n1 n2
on n1 srnic subnet del ibn1 member "$(ib_gid n2)"
[ "$(on n1 srnic -j subnet)" = "[]" ] || fail "$(on n1 srnic subnet)"
ib_reaches n2 n1

say "a port that has a manager waits for it"
ib_manage n1 n2 n3 n4
ib_port_is INIT "${ib_ends[@]}" || fail "a port is not in state INIT"
[ "$(ib_lid n2)" = 0 ] || fail "n2 has a LID without a manager"
! on n2 ping -q -c 1 -W 1 10.78.0.1 >/dev/null || fail "n2 reaches n1 without a manager"

say "opensm configures all of them"
opensm_start n1 10
soon ib_port_is ACTIVE "${ib_ends[@]}" || fail "not all ports are up: $(tail /run/test/opensm.n1)"
lids=$(for end in "${ib_ends[@]}"; do ib_lid "$end"; done | sort -u | wc -l)
[ "$lids" = 4 ] || fail "the ports have $lids LIDs"
for end in "${ib_ends[@]}"; do
	soon ib_has_carrier "$end" || fail "no carrier: $(on "$end" ip -d link show ib0)"
done

say "the manager's parameters are those of the broadcast group"
qkeys=$(on n3 saquery -C ibn3 --smkey 1 MCMR 2>&1 | tr -d ' \t.' |
	awk -F '[=x]' '/^MGID/ { ip = /401b/ } /^QKey/ || /^qkey/ { if (ip) print "0x" $NF }' | sort -u)
[ "$qkeys" = $ib_subnet_qkey ] || fail "Q_Keys '$qkeys', not $ib_subnet_qkey"

say "each reaches every other"
ib_each_pair ib_reaches

say "the tools see a fabric of four nodes and a switch"
shows 4 '^Ca ' on n1 ibnetdiscover -C ibn1
shows 1 '^Switch 36 ' on n1 ibnetdiscover -C ibn1
shows 8 'LinkUp)==>' on n1 iblinkinfo -C ibn1 --line
shows 1 'SMINFO_MASTER' on n3 sminfo -C ibn3
shows 5 'port_guid' on n2 saquery -C ibn2 NR
shows 1 'NodeType: Switch' on n1 smpquery -C ibn1 nodeinfo -D 0,1
shows 1 "PortGuid: $(ib_guid n2)" on n1 smpquery -C ibn1 nodeinfo "$(ib_lid n2)"
shows 1 'LinkState: Active' on n1 smpquery -C ibn1 portinfo "$(ib_lid n4)"
shows 1 'PortXmitPkts:' on n1 perfquery -C ibn1 -x "$(ib_lid n3)" 1
shows 1 'State: Active' on n2 ibstat ibn2 1
shows 1 "SM lid: $(ib_lid n1)" on n2 ibstat ibn2 1
ip netns exec n4 ibping -C ibn4 -S >/dev/null 2>&1 &
pinged=$!
soon answers_ibping n1 "$(ib_lid n4)"
shows 1 '3 packets transmitted, 3 received' on n1 ibping -C ibn1 -c 3 "$(ib_lid n4)"
kill $pinged

if [ -z "${SEALED-}" ]; then	# else the seal refuses them
	say "a node that is not the manager configures nobody"
	before=$(($(count_of n2 ibn2 wrong_address) + $(count_of n2 ibn2 mad_foreign)))
	for attack in smp smp-qp1; do
		on n3 "$repo/tests/programs/ipoib_forger.py" vn3 "$(on n2 cat /sys/class/net/vn2/address)" \
			"$(on n3 cat /sys/class/net/ib0/address)" "$(on n2 cat /sys/class/net/ib0/address)" \
			$attack
	done
	soon has_refused || fail "n2 has refused too few: $(count_of n2 ibn2 wrong_address)"
	[[ $(on n2 srnic pkey) != *0x8666* ]] || fail "n3 has set P_Keys of n2: $(on n2 srnic pkey)"
fi

say "the subnet administration knows who is a member of a group"
soon has_members 4 n3 || fail "$(members_of_broadcast n3) members, not 4"
on n4 ip link set ib0 down
soon has_members 3 n3 || fail "$(members_of_broadcast n3) members, not 3"
on n4 ip link set ib0 up
soon has_members 4 n3 || fail "$(members_of_broadcast n3) members, not 4"

say "RDMA over it: rping between nodes that are not the manager's"
on n2 rping -s -a 10.78.0.2 -C 20 >/dev/null &
server=$!
sleep 2
on n3 rping -c -a 10.78.0.2 -C 20 || fail "rping has failed"
wait $server

say "a node that is cut off is seen to be gone, and configured again when it is back"
ip link set pn4 down
soon sees_link n1 "$(ib_gid n4)" down || fail "$(on n1 srnic subnet)"
ib_port_is DOWN n4 || fail "n4 is not down"
ip link set pn4 up
soon ib_port_is ACTIVE n4 || fail "n4 is not configured: $(tail /run/test/opensm.n1)"
sees_link n1 "$(ib_gid n4)" up || fail "$(on n1 srnic subnet)"
soon ib_has_carrier n4 || fail "no carrier: $(on n4 ip -d link show ib0)"
ib_reaches n4 n2

say "one that is cut off for a moment, which nobody else has seen, likewise"
ip link set pn3 down
soon ib_port_is DOWN n3 || fail "n3 is not down"
ip link set pn3 up
soon ib_port_is ACTIVE n3 || fail "n3 is not configured: $(tail /run/test/opensm.n1)"
soon ib_has_carrier n3 || fail "no carrier: $(on n3 ip -d link show ib0)"
ib_reaches n3 n2

if [ -n "${SEALED-}" ]; then
	say "all of it is sealed, management included"
	none_refused
	for end in "${ib_ends[@]}"; do
		[ "$(unsealed "$end")" -le 40 ] || fail "$end has sent $(unsealed "$end") in the clear"
		expect_count "$end" "$(ib_device "$end")" sth_opened -gt 20
	done
fi

say "another manager stands by, and takes over when the first one ends"
ib_manage n2 n1 n3 n4
opensm_start n2 1
soon grep -q 'Entering STANDBY state' /run/test/opensm.n2 || fail "$(tail /run/test/opensm.n2)"
is_master n3 n1 || fail "n1 is not the master: $(on n3 sminfo -C ibn3 2>&1)"
opensm_kill n1
soon is_master n3 n2 || fail "n2 has not taken over: $(tail /run/test/opensm.n2)"
ib_each_pair ib_reaches
shows 4 '^Ca ' on n2 ibnetdiscover -C ibn2

say "a port whose managers are taken away manages itself again"
on n3 srnic subnet del ibn3 manager "$(ib_gid n1)"
on n3 srnic subnet del ibn3 manager "$(ib_gid n2)"
ib_port_is ACTIVE n3 || fail "n3 is not up"
[ "$(ib_lid n3)" -gt 4 ] || fail "n3 has LID $(ib_lid n3)"

say "links go while they are managed, and with their netdevs"
ib_node_die n4
ib_ends=(n1 n2 n3)
for end in n1 n3; do
	ib_delete $end
done
opensm_kill n2
ib_wire_down
