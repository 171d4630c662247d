#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: among a million packets sealed in opaque mode, and a million in others, lost, early or requested again, also when the PSN wraps, no nonce occurs twice
# timeout: 18000
# cites: protocol.md 3 (one PSN, several packets) and 8, issue 4, issue 23
. "$(dirname "$0")/../lib.sh"

# The oracle of the test kernel warns if a nonce is used for two inputs; a warning fails the
# run. It eventually forgets old nonces, but also checks that the counters of each key only
# rise, so that none can occur twice.
packets=${SRNIC_PACKETS:-1000000}

# nonces WHAT: a count of the oracle: seen, fell, forgot
nonces()
{
	cat "/sys/module/srnic/parameters/nonces_$1"
}

# among POLICY...: let connections under these policies seal `packets` packets, each an equal share
among()
{
	local share=$((packets / $#)) sealed=0 policy seen
	# At path MTU 256; acknowledgments and retransmissions add a fifth
	local bulk=$((share * 220))
	for policy; do
		say "$policy, $share packets and more"
		testbed up --netem "loss 0.2%" --policy "$policy"
		seen=$(nonces seen)
		LIMIT=8000 pair in b srnic-verify -d srnic1 -m 256 --psn 0xfffff0 --bulk $bulk --late --patience 300 -- \
			in a srnic-verify -d srnic0 -m 256 --psn 0xffff00 --bulk $bulk --late --patience 300 10.77.0.2
		tail -n 1 "$OUT"
		expect_count a srnic0 retransmits -gt 0
		expect_count a srnic0 rcvd_rnr_err -gt 0
		expect_count b srnic1 sth_auth_failed -eq 0
		seen=$(($(nonces seen) - seen))
		sealed=$((sealed + seen))
		say "$seen nonces; $(nonces fell) not above the last, $(nonces forgot) keys forgotten"
		[ "$(nonces fell)" -eq 0 ] || fail "a counter did not rise"
		[ "$(nonces forgot)" -eq 0 ] || fail "the oracle has lost sight of a key"
		testbed down
	done
	[ $sealed -ge "$packets" ] || fail "only $sealed packets were sealed"
	total=$((total + sealed))
}

total=0
among require:aead:aes-gcm-128 require:packet:aes-gmac-128
among require:opaque:aes-gcm-128 require:opaque:chacha20-poly1305
say "$total packets sealed under loss, RNR NAKs and READs asked for again: each nonce used once"
