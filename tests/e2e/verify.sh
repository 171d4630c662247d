#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: every RC opcode at odd sizes and offsets is right byte by byte, clear and sealed, also when the PSN wraps
# core: every opcode
# timeout: 540
# cites: R10, P1, issue 2.7
. "$(dirname "$0")/../lib.sh"

all=send,send_inline,send_imm,send_inv,write,write_imm,read,cmp_swap,fetch_add,atomic_write

# A retry interval of 4 s, so that only lost packets are retransmitted
both()
{
	set -- "$@" --timeout 20
	pair in b srnic-verify -d srnic1 "$@" -- in a srnic-verify -d srnic0 "$@" 10.77.0.2
	tail -n 1 "$OUT"
}

# Fewer sizes on the test kernel, which checks every access: not both sides of each limit
sizes()
{
	if on_debug_kernel; then
		echo "0,3,$(($1 - 1)),$(($1 + 1)),$long"
	else
		echo "0,1,2,3,$(($1 - 1)),$1,$(($1 + 1)),$long"
	fi
}

# seal POLICY: all that is sent from now on. The test bed stays: on the test kernel another one takes
# as long as all operations.
seal()
{
	local end rule mode suite words
	IFS=: read -r rule mode suite <<<"$1"
	words="$rule $mode $suite key k"
	for end in a b; do
		on $end sh -c "srnic policy replace 10.77.0.0/24 $words && srnic policy replace fd77::/64 $words"
	done
}

policies=("")
for policy in $sealed_modes; do
	policies+=("$policy")
done
offsets=0,1,4093
if on_debug_kernel; then
	# Two seals are enough on the test kernel, where other tests cover clear traffic
	policies=(require:aead:aes-gcm-128 require:opaque:chacha20-poly1305)
	offsets=4093
fi
testbed up --ipv6
head -c 32 /dev/urandom >/run/test/key
for end in a b; do
	on $end srnic key add k --file /run/test/key --raw
done
for policy in "${policies[@]}"; do
	say "${policy:-in the clear}"
	# segmentation does not depend on the seal or the kernel
	mtus="256 1024 4096"
	[[ -z $policy ]] && ! on_debug_kernel || mtus=1024
	long=$(long_message "$policy")
	[ -z "$policy" ] || seal "$policy"
	sealed=$(count_of a srnic0 sth_sealed)
	for mtu in $mtus; do
		both --ops $all -m "$mtu" --sizes "$(sizes "$mtu")" --offsets $offsets
	done
	both --ops $all -m 4096 --sizes "$(sizes 4096)" --offsets 3 -6
	# The PSN's wrap concerns the seal most, and the test kernel is slow
	if [[ -n $policy ]] || ! on_debug_kernel; then
		both --ops $all -m 256 --sizes 100000 --psn 0xffff80
	fi
	sent_once a srnic0
	sent_once b srnic1
	expect_sealed "$policy" "$sealed"
done
testbed down
