#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: 16 MiB of random bytes arrive intact despite loss, duplication and reordering, clear and sealed
# easy: yes
# timeout: 600
# cites: R5, protocol.md 5 and 8, issue 2.7
. "$(dirname "$0")/../lib.sh"

bulk=${SRNIC_BULK:-$((16 << 20))}
# The test kernel looks for bugs in the kernel; a sixteenth of the data is enough for this
! on_debug_kernel || bulk=$((bulk / 16))
# 'make soak' covers every mode
policies=("" require:aead:aes-gcm-128)
# shellcheck disable=SC2206 # a list of words
[[ -z ${SRNIC_BULK-} ]] || policies=("" $sealed_modes)
! on_debug_kernel || policies=(require:aead:aes-gcm-128)
# shellcheck disable=SC2206 # a list of words
[[ -z ${SRNIC_POLICIES-} ]] || policies=($SRNIC_POLICIES)
for policy in "${policies[@]}"; do
	say "${policy:-in the clear}, $bulk bytes"
	testbed up --netem "delay 200us loss 5% duplicate 5% reorder 25%" ${policy:+--policy "$policy"}
	LIMIT=$((900 + bulk / 500000)) pair in b srnic-verify -d srnic1 -m 4096 --bulk "$bulk" --patience 600 -- \
		in a srnic-verify -d srnic0 -m 4096 --bulk "$bulk" --patience 600 10.77.0.2
	tail -n 1 "$OUT"
	expect_count a srnic0 retransmits -gt 0
	expect_count b srnic1 sth_auth_failed -eq 0
	testbed down
done
