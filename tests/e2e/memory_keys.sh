#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: memory protected by keys is accessible over the wire only to peers that prove the key; applications can seal their own connections
# easy: yes
# timeout: 300
# cites: P7, P8, P9, P10, protocol.md 6, 12
. "$(dirname "$0")/../lib.sh"

testbed up
on a "$repo/tests/programs/memory_keys.py" srnic0

say "what is lost is proved again"
on a tc qdisc add dev lo root netem loss 5% duplicate 5% reorder 25% delay 200us
on a "$repo/tests/programs/memory_keys.py" --lossy srnic0
expect_count a srnic0 retransmits -gt 0
on a tc qdisc del dev lo root
testbed down

say "beside a policy"
testbed up --policy require:aead:aes-gcm-128
on a "$repo/tests/programs/memory_keys.py" --policy srnic0
testbed down
