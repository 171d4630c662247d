#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the dissector names and opens every sealed packet of a capture, including super-packets and several epochs
# timeout: 240
# cites: issue 4.7
. "$(dirname "$0")/../lib.sh"

all=send,send_inline,send_imm,send_inv,write,write_imm,read,cmp_swap,fetch_add,atomic_write
seals=(aes-gcm-128:aead aes-cmac-128/96:packet hmac-sha256:header chacha20-poly1305:aead aes-gcm-256:opaque)

testbed up
(umask 077 && on a srnic key gen k --file /run/test/k.key)
on b srnic key add k --file /run/test/k.key
record
secrets_start
# across the end of an epoch
sealed_each --ops $all --sizes 0,5,8000 --offsets 1 -m 1024 --psn 0xffffe0
recorded
secrets_stop
say "opened by the dissector"
sealed=$(($(count_of a srnic0 sth_sealed) + $(count_of b srnic1 sth_sealed)))
"$repo/tools/dissector/check_capture.py" --secrets /run/test/secrets /run/test/k.key \
	/run/test/wire.pcap $sealed "${seals[@]}"
say "done"
testbed down
