#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: rping works across emulated NICs of two drivers, clear and sealed; the NICs are restored afterwards
# nic: virtio_net vmxnet3
# easy: yes
# timeout: 120
# cites: issue 21, 1
. "$(dirname "$0")/../lib.sh"

for nic in virtio_net vmxnet3; do
	say "$nic"
	testbed up --nic $nic --ipv6
	before=$(on a ethtool -k va | tail -n +2)
	on a ping -q -c 3 -M "do" -s 4324 10.77.0.2 || fail "no packet of 4352 bytes passes"
	pair in b rping -s -a 10.77.0.2 -C 30 -S 65000 -V -- in a rping -c -a 10.77.0.2 -C 30 -S 65000 -V
	pair in b rping -s -a fd77::2 -C 20 -S 3000 -V -- in a rping -c -a fd77::2 -C 20 -S 3000 -V
	expect_count b srnic1 rcvd_pkts -gt 100
	expect_count a srnic0 sth_sealed -eq 0
	expect_count b srnic1 icrc_errors -eq 0
	expect_count b srnic1 malformed -eq 0
	on a ethtool -K va gro off
	testbed down

	say "they are in the initial namespace again, as they were at first"
	[ ! -e /run/netns/a ] || fail "the namespace a is left"
	testbed up --nic $nic --flat --mtu 1500
	[ "$(ethtool -k v0 | tail -n +2)" = "$before" ] || fail "a feature that was switched off stays off"
	testbed down

	say "$nic, sealed"
	testbed up --nic $nic --policy require:aead:aes-gcm-128
	pair in b rping -s -a 10.77.0.2 -C 30 -S 65000 -V -- in a rping -c -a 10.77.0.2 -C 30 -S 65000 -V
	expect_count a srnic0 sth_sealed -gt 100
	expect_count b srnic1 sth_opened -gt 100
	expect_count b srnic1 sth_auth_failed -eq 0
	testbed down
done

say "a VM without such a NIC says what to do"
! testbed up --nic e1000e 2>/run/test/said || fail "there is an e1000e"
grep -q "no driver 'e1000e': use virtio_net or vmxnet3" /run/test/said || fail "$(cat /run/test/said)"
