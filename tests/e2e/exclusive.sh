#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: in exclusive RDMA namespace mode devices can move between namespaces, and applications lose them; if rxe holds the UDP port, the log says so
# easy: yes
# timeout: 120
. "$(dirname "$0")/../lib.sh"

# refused_port HOLDER: check that no link can be added on l0, and that the log names the
# holder of the port and the remedy
refused_port()
{
	dmesg -C
	! rdma link add srnicx type srnic netdev l0 2>/run/test/err || fail "two owners of one port"
	grep -qi 'in use' /run/test/err || fail "the error should say that the port is in use: $(cat /run/test/err)"
	[ ! -e /sys/class/infiniband/srnicx ] || fail "half a device stayed"
	grep -q "srnic: no link: $1.*UDP port 4791 in net:.*the initial one.*another namespace" < <(dmesg) ||
		fail "the log does not say whose port it is: $(dmesg | grep srnic)"
}

ip link add l0 type veth peer name l1
ip link set l0 up

say "the port is taken where rxe is"
modprobe rdma_rxe
refused_port 'rxe_.*\[rdma_rxe\] holds'
grep -q 'modprobe -r rdma_rxe' < <(dmesg) || fail "the log does not say what to do: $(dmesg | grep srnic)"
rmmod rdma_rxe

say "and where a process is bound to it"
python3 -c 'import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", 4791))
print("bound", flush=True)
time.sleep(1000)' >/run/test/bound &
holder=$!
until grep -q bound /run/test/bound; do
	kill -0 $holder || fail "the port is not free"
	sleep 0.1
done
refused_port 'a process holds'
kill $holder
wait $holder || true

rdma link add srnicx type srnic netdev l0 || fail "the port should be free now"
ip link del l0
rmmod srnic

rdma system set netns exclusive
ip netns attach here $$
for n in 1 2; do
	ip netns add n$n
done
ip link add v1 netns n1 mtu 4352 type veth peer name v2 mtu 4352 netns n2
for n in 1 2; do
	ip -n n$n addr add 10.79.0.$n/24 dev v$n
	ip -n n$n link set lo up
	ip -n n$n link set v$n up
	ip netns exec n$n rdma link add srnic$n type srnic netdev v$n
done

say "a new device is in the initial namespace, and is moved"
rdma dev show srnic1 >/dev/null || fail "the device is not in the initial namespace"
for n in 1 2; do
	rdma dev set srnic$n netns n$n
	ip netns exec n$n rdma dev show srnic$n >/dev/null || fail "srnic$n did not arrive"
done
! rdma dev show srnic1 >/dev/null 2>&1 || fail "the device is in two namespaces"

gid()
{
	ip netns exec "n$1" ibv_devinfo -v -d "srnic$1" |
		awk '/::ffff:/ && !n++ { match($0, /[0-9]+\]/); print substr($0, RSTART, RLENGTH - 1) }'
}
pair ip netns exec n2 ibv_rc_pingpong -d srnic2 -g "$(gid 2)" -n 50 -- \
	ip netns exec n1 ibv_rc_pingpong -d srnic1 -g "$(gid 1)" -n 50 10.79.0.2

say "moved under a running application"
ip netns exec n2 timeout 1000 ib_write_bw -d srnic2 -x "$(gid 2)" -D 900 >/dev/null 2>&1 &
server=$!
settle $server ib_write_bw
before=$(ip netns exec n1 cat /sys/class/infiniband/srnic1/ports/1/hw_counters/sent_bytes)
ip netns exec n1 timeout 1000 ib_write_bw -d srnic1 -x "$(gid 1)" -D 900 10.79.0.2 >/dev/null 2>&1 &
client=$!
# writing: whether the writer has finished the exchange of numbers
writing()
{
	(($(ip netns exec n1 cat /sys/class/infiniband/srnic1/ports/1/hw_counters/sent_bytes) > before + 4000000))
}
soon writing || fail "ib_write_bw writes nothing"
for app in $server $client; do
	kill -0 "$app" || fail "an application ended before the device moved"
done
timeout 300 ip netns exec n1 rdma dev set srnic1 netns here || fail "the device did not move"
rdma dev show srnic1 >/dev/null || fail "the device did not come back"
kill $server $client 2>/dev/null || true
wait $server $client || true

say "a namespace that goes takes its device along"
ip netns del n2
soon absent /sys/class/infiniband/srnic2 || fail "srnic2 outlived its namespace"
ip netns del n1
soon absent /sys/class/infiniband/srnic1 || fail "srnic1 outlived its namespace"
rmmod srnic
ip netns del here
# Restore the mode for later tests; fails while a namespace is still being torn down
shared() { rdma system set netns shared 2>/dev/null; }
soon shared || fail "the RDMA subsystem stayed in exclusive mode"
