#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: links can be added and removed: autoload, devinfo, several links, netdev events, namespaces, unload
# core: link
# timeout: 240
# cites: issue 2.3
. "$(dirname "$0")/../lib.sh"

# The table of GIDs and the port as sysfs shows them: ibv_devinfo -v asks for each of a thousand GIDs
port=/sys/class/infiniband/srnicx/ports/1

# has_gid GID: whether the table has the GID, as sysfs writes it
has_gid() { grep -qsix "$1" $port/gids/*; }

# lacks_gid GID
lacks_gid() { [ -e $port/gids/0 ] && ! has_gid "$1"; }

# is_in STATE
is_in() { grep -q "$1" $port/state; }

ip link add l0 type veth peer name l1
ip addr add 10.88.0.1/24 dev l0
ip link set l0 mtu 4352 up
ip link set l1 mtu 4352 up

say "rdma link add loads the module and makes a device"
! grep -q '^srnic ' /proc/modules || rmmod srnic
rdma link add srnicx type srnic netdev l0
rdma link add srnicy type srnic netdev l1
grep -q 'PORT_ACTIVE' < <(ibv_devinfo -d srnicx) || fail "the port is not active"
grep -q 'active_mtu:.*4096' < <(ibv_devinfo -d srnicx) || fail "active MTU is not 4096"
grep -q 'state ACTIVE' < <(rdma link show srnicx/1) || fail "rdma link does not show it active"

say "each processor is a completion vector"
/usr/bin/python3 - <<-'END' || fail "there are others"
	import os
	from pyverbs.device import Context
	assert Context(name="srnicx").num_comp_vectors == os.sysconf("SC_NPROCESSORS_ONLN")
END

say "a second link on one netdev is refused"
! rdma link add srnicz type srnic netdev l0 2>/dev/null || fail "a netdev took two links"

say "sysfs shows the counters of the port, data in words"
pair rping -s -a 10.88.0.1 -C 3 -- rping -c -a 10.88.0.1 -C 3
sent=$(counter srnicx sent_bytes)
shown=$(cat $port/counters/port_xmit_data)
[ "$sent" -gt 0 ] || fail "no bytes were sent"
[ "$shown" -eq $((sent / 4)) ] || fail "$sent bytes were sent, sysfs shows $shown words"

say "GIDs follow the addresses"
soon has_gid 0000:0000:0000:0000:0000:ffff:0a58:0001 || fail "no GID for the IPv4 address"
grep -q '::ffff:10.88.0.1' < <(ibv_devinfo -v -d srnicx) || fail "libibverbs does not show that GID"
ip addr add fd88::1/64 dev l0 nodad
ip addr add 10.88.0.9/24 dev l0
soon has_gid fd88:0000:0000:0000:0000:0000:0000:0001 || fail "no GID for a new IPv6 address"
soon has_gid 0000:0000:0000:0000:0000:ffff:0a58:0009 || fail "no GID for a second IPv4 address"
ip addr del 10.88.0.9/24 dev l0
soon lacks_gid 0000:0000:0000:0000:0000:ffff:0a58:0009 || fail "a GID outlived its address"

say "the default GID follows the netdev's address, and the link its name"
ip link set l0 address 02:00:5e:00:53:01
soon grep -q '^fe80:0000:0000:0000:0000:5eff:fe00:5301$' $port/gids/0 ||
	fail "the default GID is $(cat $port/gids/0)"
ip link set l0 down
ip link set l0 name l9
grep -q 'netdev l9' < <(rdma link show srnicx/1) || fail "after a change of name: $(rdma link show srnicx/1)"
ip link set l9 name l0
ip link set l0 up

say "the port follows the netdev: down, up, MTU"
ip link set l0 down
soon is_in DOWN || fail "netdev down, port still active"
ip link set l0 up
soon is_in ACTIVE || fail "netdev up, port not active"
ip link set l0 mtu 4200
grep -q 'active_mtu:.*4096' < <(ibv_devinfo -d srnicx) || fail "MTU 4200 should give 4096"
head -c 16 /dev/urandom >/run/test/key
srnic key add long --file /run/test/key
srnic policy add 10.99.0.0/16 require packet hmac-sha512 key long
grep -q 'active_mtu:.*2048' < <(ibv_devinfo -d srnicx) || fail "there is no room for an STH of 64 bytes"
srnic policy del 10.99.0.0/16
srnic key del long
stdbuf -oL ibv_asyncwatch -d srnicx >/run/test/events 2>&1 &
watch=$!
told_of() { [ "$(grep -c IBV_EVENT_PORT_ACTIVE /run/test/events)" -eq "$1" ]; }
soon grep -q 'async event FD' /run/test/events || fail "$(cat /run/test/events)"
ip link set l0 mtu 1500
grep -q 'active_mtu:.*1024' < <(ibv_devinfo -d srnicx) || fail "MTU 1500 should give 1024"
soon told_of 1 || fail "nobody is told of the MTU: $(cat /run/test/events)"
ip link set l0 mtu 1504		# changes nothing for RDMA
ip link set l0 mtu 2500
soon told_of 2 || fail "MTUs of 1504 and 2500: $(cat /run/test/events)"
kill $watch

say "a device is deleted by name, and with its netdev"
rdma link del srnicy
[ ! -e /sys/class/infiniband/srnicy ] || fail "srnicy is still there"
rdma link add srnicy type srnic netdev l1
ip link del l0
soon absent /sys/class/infiniband/srnicx /sys/class/infiniband/srnicy ||
	fail "srnicx or srnicy outlived its netdev"

say "links in a namespace, which goes away with them"
ip netns add l
ip link add l0 netns l type veth peer name l1
ip netns exec l ip addr add 10.88.1.1/24 dev l0
ip netns exec l ip link set l0 up
ip netns exec l rdma link add srnicn type srnic netdev l0
grep -q 'hca_id' < <(ip netns exec l ibv_devinfo -d srnicn) || fail "no device in the namespace"
ip netns del l
gone() { ! rdma dev show srnicn >/dev/null 2>&1; }
soon gone || fail "srnicn outlived its namespace"

say "the module goes when asked"
rmmod srnic
! grep -q '^srnic ' /proc/modules || fail "srnic is still loaded"
