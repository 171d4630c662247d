#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: all operations work on device memory, to the byte, in the clear and sealed; it is limited, and comes zeroed
# easy: yes
# timeout: 180
# cites: R10, R12, R13, R15, R16, R18, issue 26
. "$(dirname "$0")/../lib.sh"

for policy in '' require:aead:aes-gcm-128; do
	say "${policy:-in the clear}"
	testbed up ${policy:+--policy "$policy"}
	on a "$repo/tests/programs/device_memory.py" srnic0
	[ -z "$policy" ] || expect_count a srnic0 sth_opened -gt 40
	testbed down
done
