#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: 16 MiB arrive intact although bits are flipped anywhere and checksums repaired: the ICRC detects flips, the seal also those with a repaired ICRC
# easy: yes
# timeout: 420
# cites: R5, P11, issue 2.7
. "$(dirname "$0")/../lib.sh"

bulk=${SRNIC_BULK:-$((16 << 20))}
mtu=4096
# The test kernel looks for bugs in the kernel; an eighth of the data in more packets has
# enough changes for this
! on_debug_kernel || bulk=$((bulk / 8)) mtu=1024

# transfer MANGLE-OPTION...
transfer()
{
	ip netns exec m srnic-mangle -r 50 "$@" ma mb >/run/test/mangle.log &
	mangler=$!
	sleep 0.5
	LIMIT=$((900 + bulk / 100000)) pair in b srnic-verify -d srnic1 -m $mtu --bulk "$bulk" --patience 600 -- \
		in a srnic-verify -d srnic0 -m $mtu --bulk "$bulk" --patience 600 10.77.0.2
	tail -n 1 "$OUT"
	# ip netns exec replaces itself, so this is the PID of srnic-mangle
	kill $mangler
	wait $mangler || true
	cat /run/test/mangle.log
	grep -Eq '[1-9][0-9]+ changed' /run/test/mangle.log || fail "the wire changed too little"
}

say "in the clear: the ICRC catches it"
foreign_wire
transfer
expect_count b srnic1 icrc_errors -gt 10
testbed down

for policy in require:packet:aes-cmac-128 require:aead:aes-gcm-128; do
	say "$policy, ICRC repaired: the seal catches it"
	foreign_wire --policy $policy
	transfer --icrc
	expect_count b srnic1 sth_auth_failed -gt 10
	testbed down
done
