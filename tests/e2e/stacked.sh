#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: with netdevs stacked on a device's own, each device gets its packets; deleting a namespace affects only its devices
# easy: yes
# timeout: 120
# cites: architecture.md, 'Receive path'
. "$(dirname "$0")/../lib.sh"

# upper END DEVICE ADDRESS: create a macvlan with a device of its own on the end's netdev
upper()
{
	ip -n "$1" link add link "v$1" name "m$1" type macvlan mode bridge
	ip -n "$1" addr add "$3/24" dev "m$1"
	ip -n "$1" link set dev "m$1" up
	on "$1" rdma link add "$2" type srnic netdev "m$1"
}

modprobe macvlan 2>/dev/null || true
testbed up
say "a device on an upper netdev gets its packets, though the lower one came later"
upper a srnic5 10.88.0.1
upper b srnic6 10.88.0.2
on a rdma link del srnic0
on a rdma link add srnic0 type srnic netdev va
pair in b ibv_rc_pingpong -d srnic6 -g "$(gid_of b srnic6)" -n 100 -- \
	in a ibv_rc_pingpong -d srnic5 -g "$(gid_of a srnic5)" -n 100 10.88.0.2

# apart END NAMESPACE ADDRESS: create a macvlan on the end's netdev in another namespace
apart()
{
	ip netns add "$2"
	ip -n "$1" link add link "v$1" name "n$1" type macvlan mode bridge
	ip -n "$1" link set dev "n$1" netns "$2"
	ip -n "$2" addr add "$3/24" dev "n$1"
	ip -n "$2" link set dev "n$1" up
}

# index_of END DEVICE GID: wait for the GID (its last words, as in sysfs) and print its
# index
index_of()
{
	local i found
	for ((i = 0; i < 50; i++)); do
		found=$(on "$1" sh -c "grep -ls $3 /sys/class/infiniband/$2/ports/1/gids/?" || true)
		[ -z "$found" ] || break
		sleep 0.2
	done
	[ "$found" ] || fail "$2 has no GID $3"
	basename "$found"
}

say "the address of an upper netdev in another namespace is one that receives, too"
apart a y 10.87.0.1
apart b z 10.87.0.2
gid_a=$(index_of a srnic0 0a57:0001)
gid_b=$(index_of b srnic1 0a57:0002)
pair in b ibv_rc_pingpong -d srnic1 -g "$gid_b" -n 100 -- \
	in a ibv_rc_pingpong -d srnic0 -g "$gid_a" -n 100 10.77.0.2
ip netns del y
ip netns del z

say "a namespace that only an upper netdev was in lives as long as a QP in it, and then goes"
ip netns add x
ip -n a link add link va name mx type macvlan mode bridge
ip -n a link set dev mx netns x
ip -n x addr add 10.89.0.1/24 dev mx
ip -n x link set dev mx up
mkfifo /run/test/go
# Started from this namespace, so that it is not a process of the one that is deleted
on a timeout 1000 "$repo/tests/programs/outlive.py" srnic0 10.89.0.1 </run/test/go >/run/test/outlive.log 2>&1 &
user=$!
exec 3>/run/test/go
ready_or_gone() { ! { [ -e /proc/$user ] && ! grep -q ready /run/test/outlive.log; }; }
soon ready_or_gone || true
grep -q ready /run/test/outlive.log || fail "it is not ready: $(cat /run/test/outlive.log)"
ip netns del x
echo go >&3
exec 3>&-
wait $user || fail "$(cat /run/test/outlive.log)"
cat /run/test/outlive.log
# The address is a GID for as long as the netdev exists
gone() { ! on a sh -c 'cat /sys/class/infiniband/srnic0/ports/1/gids/* 2>/dev/null' | grep 0a59:0001 >/dev/null; }
soon gone || fail "the netdev of the deleted namespace still exists"
on a rdma link del srnic5
on b rdma link del srnic6
testbed down
