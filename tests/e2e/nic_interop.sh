#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: srnic and rxe interoperate across a NIC, with either as the client
# nic: virtio_net
# easy: yes
# timeout: 180
# cites: issue 21, 1; issue 2.7
. "$(dirname "$0")/../lib.sh"

ops=send,send_imm,send_inv,write,write_imm,read,cmp_swap,fetch_add
testbed up --nic virtio_net --type interop

for mtu in 1024 4096; do
	sizes="0,1,$((mtu - 1)),$((mtu + 1)),200003"
	say "path MTU $mtu, srnic is the target, then rxe"
	pair in b srnic-verify -d srnic1 --ops $ops -m $mtu --sizes $sizes -- \
		srnic-verify -d rxe0 --ops $ops -m $mtu --sizes $sizes 10.77.0.2
	pair srnic-verify -d rxe0 --ops $ops -m $mtu --sizes $sizes -- \
		in b srnic-verify -d srnic1 --ops $ops -m $mtu --sizes $sizes 10.77.0.1
done

say "rping, both ways"
pair in b rping -s -a 10.77.0.2 -C 20 -V -S 5000 -- rping -c -a 10.77.0.2 -C 20 -V -S 5000
pair rping -s -a 10.77.0.1 -C 20 -V -S 5000 -- in b rping -c -a 10.77.0.1 -C 20 -V -S 5000
expect_count b srnic1 rcvd_pkts -gt 100
expect_count b srnic1 icrc_errors -eq 0
expect_count b srnic1 malformed -eq 0
testbed down
