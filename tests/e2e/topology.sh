#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: VLANs, link-local addresses, VRFs, a device connected to itself, two devices in one namespace and multicast membership work
# easy: yes
# timeout: 240
. "$(dirname "$0")/../lib.sh"

# gid_index WHERE DEV GID-PATTERN
gid_index()
{
	for _ in $(seq 500); do
		on "$1" ibv_devinfo -v -d "$2" | awk -v gid="$3" '
			/GID\[/ && $0 ~ gid {
				sub(/.*GID\[ */, "")
				sub(/\].*/, "")
				print
				found = 1
				exit
			}
			END { exit !found }' && return
		sleep 0.1
	done
	fail "$2 has no GID like $3"
}

# pingpong GID-PATTERN-A GID-PATTERN-B: the tool's TCP connection uses 10.77.0.2
pingpong()
{
	pair in b ibv_rc_pingpong -d srnic1 -g "$(gid_index b srnic1 "$2")" -n 50 -- \
		in a ibv_rc_pingpong -d srnic0 -g "$(gid_index a srnic0 "$1")" -n 50 10.77.0.2
}

# sent NAMESPACE NETDEV: number of packets sent
sent()
{
	ip ${1:+-n "$1"} -j -s link show dev "$2" |
		python3 -c 'import json,sys; print(json.load(sys.stdin)[0]["stats64"]["tx"]["packets"])'
}

testbed up
say "link-local addresses"
pingpong fe80: fe80:

say "IPv6"
pingpong fd77::1 fd77::2

say "a VLAN's addresses are GIDs, and its traffic is tagged"
for end in a b; do
	n=$([ $end = a ] && echo 1 || echo 2)
	ip -n $end link add link v$end name v$end.7 type vlan id 7
	ip -n $end addr add "10.78.0.$n/24" dev v$end.7
	ip -n $end link set v$end.7 up
done
before=$(sent a va.7)
pingpong 10.78.0.1 10.78.0.2
[ "$(sent a va.7)" -gt $((before + 50)) ] || fail "the packets were not tagged"

say "connections are set up over a VLAN's addresses, to a peer and to the host itself"
pair in b rping -s -a 10.78.0.2 -C 3 -- in a rping -c -a 10.78.0.2 -C 3
pair in a rping -s -a 10.78.0.1 -C 3 -- in a rping -c -a 10.78.0.1 -C 3
local=$(ip -n b -j -6 addr show dev vb.7 scope link |
	python3 -c 'import json,sys; print(json.load(sys.stdin)[0]["addr_info"][0]["local"])')
pair in b rping -s -a "$local%vb.7" -C 3 -- in a rping -c -a "$local%va.7" -C 3
! on a rdma link add srnicv type srnic netdev va.7 2>/dev/null || fail "a VLAN took a link of its own"

say "a device to itself"
pair in a ibv_rc_pingpong -d srnic0 -g "$(gid_index a srnic0 10.77.0.1)" -n 50 -- \
	in a ibv_rc_pingpong -d srnic0 -g "$(gid_index a srnic0 10.77.0.1)" -n 50 10.77.0.1
pair in a ibv_rc_pingpong -d srnic0 -g "$(gid_index a srnic0 fe80:)" -n 50 -- \
	in a ibv_rc_pingpong -d srnic0 -g "$(gid_index a srnic0 fe80:)" -n 50 10.77.0.1

say "groups are joined and left on the underlay"
in-a mckey -m 239.7.7.7 -b 10.77.0.1 -C 1000 >/run/test/mckey.log 2>&1 &
mckey=$!
member() { grep -q 239.7.7.7 < <(ip -n a maddr show dev va); }
left() { ! member; }
soon member || fail "not a member: $(cat /run/test/mckey.log)"
kill $mckey
wait $mckey || true
soon left || fail "still a member"

say "a netdev in a VRF"
modprobe vrf || fail "no VRFs in this kernel"
for end in a b; do
	ip -n $end link add blue type vrf table 10
	ip -n $end link set blue up
	ip -n $end link set v$end master blue
done
# A path for the tool's TCP connection, which does not support VRFs
ip link add talk netns a type veth peer name talk netns b
for end in a:1 b:2; do
	ip -n ${end%:*} addr add "10.79.0.${end#*:}/24" dev talk
	ip -n ${end%:*} link set talk up
done
# IPv4 only: enslaving removes IPv6 addresses
pair in b ibv_rc_pingpong -d srnic1 -g "$(gid_index b srnic1 10.77.0.2)" -n 50 -- \
	in a ibv_rc_pingpong -d srnic0 -g "$(gid_index a srnic0 10.77.0.1)" -n 50 10.79.0.2
for end in srnic0:a srnic1:b; do
	expect_count "${end#*:}" "${end%:*}" icrc_errors -eq 0
	expect_count "${end#*:}" "${end%:*}" send_err -eq 0
done

say "a netdev that changes namespace leaves its link behind"
ip netns add c
ip -n a link set va netns c
gone() { ! rdma dev show srnic0 >/dev/null 2>&1; }
soon gone || fail "the link outlived the move"
on c rdma link add srnicc type srnic netdev va || fail "no link in the new namespace"
ip netns del c
testbed down

say "two devices of one namespace use the wire between them"
testbed up --flat
before=$(sent "" v0)
pair ibv_rc_pingpong -d srnic1 -g "$(gid_of b srnic1)" -n 50 -- \
	ibv_rc_pingpong -d srnic0 -g "$(gid_of a srnic0)" -n 50 10.77.0.2
[ "$(sent "" v0)" -gt $((before + 50)) ] || fail "the packets did not cross the wire"
testbed down
