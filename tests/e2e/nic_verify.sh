#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: every opcode, compared byte by byte, and ib_write_bw work across NICs, at two MTUs, clear and sealed
# nic: virtio_net vmxnet3
# easy: yes
# timeout: 240
# cites: issue 21, 1
. "$(dirname "$0")/../lib.sh"

ops=send,send_inline,send_imm,send_inv,write,write_imm,read,cmp_swap,fetch_add

verified()
{
	pair in b srnic-verify -d srnic1 "$@" -- in a srnic-verify -d srnic0 "$@" 10.77.0.2
	tail -n 1 "$OUT"
}

# across DRIVER NETDEV-MTU PATH-MTU POLICY
across()
{
	say "$1, MTU $2, ${4:-in the clear}"
	testbed up --nic "$1" --mtu "$2" ${4:+--policy "$4"}
	verified --ops $ops -m "$3" --offsets 0,1 --sizes "0,1,$(($3 - 1)),$(($3 + 1)),$(long_message "$4")"
	tool ib_write_bw -s 65536 -n 50
	expect_count b srnic1 icrc_errors -eq 0
	expect_count b srnic1 malformed -eq 0
	expect_count b srnic1 sth_auth_failed -eq 0
	testbed down
}

across virtio_net 4352 4096 ""
across virtio_net 1500 1024 require:aead:aes-gcm-128
# a NIC whose packets are not contiguous: headers and payload of a packet are decrypted apart
across virtio_net 4352 4096 require:opaque:aes-gcm-128
across vmxnet3 4352 4096 require:aead:aes-gcm-128
