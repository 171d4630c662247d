#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock only
# what: rping, two tools of perftest and every opcode work between two VMs with separate kernels, clear and sealed
# nic: virtio_net
# pair: yes
# easy: yes
# timeout: 240
# cites: issue 21, 1
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../other_vm.sh"

both()
{
	local name=$1
	shift
	say "$name $*"
	pair in b "$name" -d srnic1 "$@" -- in a "$name" -d srnic0 "$@" 10.77.0.2
}

testbed up --pair --nic virtio_net
[ "$(in-b cat /proc/sys/kernel/random/boot_id)" != "$(cat /proc/sys/kernel/random/boot_id)" ] ||
	fail "both ends are in one kernel"
testbed down

for policy in "" require:aead:aes-gcm-128; do
	say "${policy:-in the clear}"
	testbed up --pair --nic virtio_net ${policy:+--policy "$policy"}
	in-a ping -q -c 3 -M "do" -s 4324 10.77.0.2 || fail "no packet of 4352 bytes passes"
	say rping
	pair in b rping -s -a 10.77.0.2 -C 30 -S 65000 -V -- in a rping -c -a 10.77.0.2 -C 30 -S 65000 -V
	both ib_send_bw -F -s 65536 -n 50
	both ib_write_lat -F -n 100
	both srnic-verify --ops send,write,read,cmp_swap -m 1024 --sizes "0,1,1023,1025,$(long_message "$policy")"
	expect_count b srnic1 rcvd_pkts -gt 300
	expect_count b srnic1 icrc_errors -eq 0
	expect_count b srnic1 sth_auth_failed -eq 0
	[ -z "$policy" ] || expect_count b srnic1 sth_opened -gt 300
	testbed down
done
