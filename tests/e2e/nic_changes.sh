#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: under load, a NIC can change its MTU, be unbound from its driver, lose its link, and the module can be removed
# nic: virtio_net
# easy: yes
# timeout: 120
# cites: issue 21, 1; issue 2.3
. "$(dirname "$0")/../lib.sh"

# load: start endless writes; returns when they have begun
load()
{
	local ga gb
	ga=$(gid_of a srnic0)
	gb=$(gid_of b srnic1)
	in-b ib_write_bw -d srnic1 -x "$gb" -m 1024 -D 300 >/run/test/s.log 2>&1 &
	server=$!
	on b sh -c 'until grep -q ":4853 [0-9A-F:]* 0A" /proc/net/tcp*; do sleep 0.2; done'
	in-a ib_write_bw -d srnic0 -x "$ga" -m 1024 -D 300 10.77.0.2 >/run/test/c.log 2>&1 &
	client=$!
	moves 2000000 || fail "no load: $(tail -n 3 /run/test/c.log)"
}

# moves BYTES: whether the client sends BYTES more within 30 s
moves()
{
	local begin end=$((SECONDS + 30))
	begin=$(count_of a srnic0 sent_bytes)
	while (($(count_of a srnic0 sent_bytes) - begin < $1)); do
		kill -0 $client 2>/dev/null && ((SECONDS < end)) || return 1
		sleep 0.2
	done
}

end_load()
{
	kill $client $server 2>/dev/null || true
	wait $client $server 2>/dev/null || true
}

say "the MTU of both ends goes down and up again: the path MTU fits, so the load goes on"
testbed up --nic virtio_net
load
for mtu in 1500 9000 4352; do
	on a ip link set va mtu $mtu
	on b ip link set vb mtu $mtu
	moves 1000000 || fail "nothing moves at an MTU of $mtu: $(tail -n 3 /run/test/c.log)"
done

say "the link is removed"
on a rdma link del srnic0
! on a rdma link show srnic0/1 2>/dev/null || fail "srnic0 is still there"
end_load
testbed down

say "the driver lets go of a NIC"
testbed up --nic virtio_net
load
virtio=$(on a readlink /sys/class/net/va/device)
virtio=${virtio##*/}
echo "$virtio" >/sys/bus/virtio/drivers/virtio_net/unbind
end=$((SECONDS + 30))
until ! on a rdma link show srnic0/1 >/dev/null 2>&1; do
	((SECONDS < end)) || fail "srnic0 outlives its NIC"
	sleep 0.2
done
echo "$virtio" >/sys/bus/virtio/drivers/virtio_net/bind
end_load
testbed down

say "the module is removed"
testbed up --nic virtio_net
load
timeout 30 rmmod srnic || fail "rmmod failed or hung"
end_load
testbed down
