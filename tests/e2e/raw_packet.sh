#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: raw packet QPs send and receive frames of their own netdev and namespace only, by rules, and the device and the module may go meanwhile
# easy: yes
# timeout: 300
# cites: R1, R10, R18, R28, issue 26.2
. "$(dirname "$0")/../lib.sh"

program=$repo/tests/programs/raw_packet.py
mirror=
peer=

# netdev_of WHERE DEV: its netdev
netdev_of()
{
	on "$1" cat "/sys/class/infiniband/$2/ports/1/gid_attrs/ndevs/0"
}

# address_of WHERE DEV: that of its netdev
address_of()
{
	on "$1" cat "/sys/class/net/$(netdev_of "$1" "$2")/address"
}

# is_ready PID: the process is ready, or has ended
is_ready()
{
	[ -e /run/test/ready ] || ! kill -0 "$1" 2>/dev/null
}

# mirror_starts: frames that a sends come back from b; sets $peer to the address of b
mirror_starts()
{
	peer=$(address_of b srnic1)
	rm -f /run/test/ready
	on b "$repo/tests/programs/frame_mirror.py" srnic1 /run/test/ready &
	mirror=$!
	soon is_ready $mirror || fail "the mirror did not start"
	kill -0 $mirror || fail "the mirror has ended"
}

mirror_ends()
{
	kill $mirror
	wait $mirror 2>/dev/null || true
}

# held WHERE DEV PEER: a process exchanges frames with that address; sets $holder
held()
{
	rm -f /run/test/ready
	on "$1" "$program" hold "$2" "$3" /run/test/ready &
	holder=$!
	soon is_ready $holder || fail "the holder did not start"
	kill -0 $holder || fail "the holder has ended"
}

# ended PID: the process has ended by itself
ended()
{
	wait "$1" || fail "the holder ended with $?"
}

# busy WHERE DEV: frames are sent and received
busy()
{
	soon beyond 20 "$1" "$2" rdma_sends || fail "no frames of $2 went"
	soon beyond 20 "$1" "$2" rdma_recvs || fail "no frames of $2 came"
}

# device_again: a gets its device back, once the former one of that name has gone
device_again()
{
	soon on a rdma link add srnic0 type srnic netdev va 2>/dev/null ||
		fail "srnic0 does not come back"
}

# device_gone: whether a has no device
device_gone()
{
	! on a rdma dev show srnic0 >/dev/null 2>&1
}

testbed up
mirror_starts
say "frames, rules, receive queues, permission (R28), limits (R18)"
on a "$program" check srnic0 "$peer"
expect_count a srnic0 raw_too_long -ge 1
[ "$(on a rdma resource show qp link srnic0 | grep -c RAW_PACKET)" = 0 ] || fail "QPs remain"

say "the device is deleted while frames come and go"
held a srnic0 "$peer"
busy a srnic0
on a rdma link delete srnic0
ended $holder

say "its netdev moves while frames come and go"
device_again
held a srnic0 "$peer"
busy a srnic0
ip netns add elsewhere
ip -n a link set va netns elsewhere
ended $holder
soon device_gone || fail "a device remains whose netdev has moved"
mirror_ends

say "the module is removed while frames come, go, and wait in queues"
ip -n elsewhere link set va netns a
ip -n a link set va up
ip netns del elsewhere
device_again
for end in a b; do
	on $end tc qdisc add dev v$end root tbf rate 800kbit burst 4kb limit 64kb
done
held a srnic0 "$(address_of b srnic1)"
other=$holder
held b srnic1 "$(address_of a srnic0)"
busy a srnic0
busy b srnic1
timeout 300 rmmod srnic || fail "rmmod failed or hung"
ended $other
ended $holder
testbed down
