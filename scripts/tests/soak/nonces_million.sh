#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: a million sealed packets, lost, too early, asked for again, across the end of PSNs: no nonce comes twice
# timeout: 9000
# cites: srdma.md decision 5 and part 3, issue 4
. "$(dirname "$0")/../lib.sh"

# The oracle of the test kernel warns of a nonce that is used for two inputs, which makes
# the run fail; it remembers the last 65536 or so.
packets=${SRNIC_PACKETS:-1000000}
policies="require:aead:aes-gcm-128 require:packet:aes-gmac-128"

# of path MTU 256, and as many acknowledgments and responses beside
bulk=$((packets * 256 / 2))
for policy in $policies; do
	say "$policy, $((packets / 2)) packets"
	testbed up --netem "loss 0.2%" --policy "$policy"
	LIMIT=8000 pair in b srnic-verify -d srnic1 -m 256 --psn 0xfffff0 --bulk $bulk --late --patience 300 -- \
		in a srnic-verify -d srnic0 -m 256 --psn 0xffff00 --bulk $bulk --late --patience 300 10.77.0.2
	tail -n 1 "$OUT"
	expect_count a srnic0 retransmits -gt 0
	expect_count a srnic0 rcvd_rnr_err -gt 0
	expect_count b srnic1 sth_auth_failed -eq 0
	count_of b srnic1 sth_sealed
	testbed down
done
