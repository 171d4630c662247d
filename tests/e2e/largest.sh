#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a message of 2^31 bytes arrives, gathered from 32 pieces and scattered into 32
# easy: yes
# timeout: 180
# cites: issue 2.3
. "$(dirname "$0")/../lib.sh"

testbed up --flat
/usr/bin/python3 "$repo/tests/programs/largest.py" --from srnic0 --from-gid-index "$(gid_of a srnic0)" \
	--to srnic1 --to-gid-index "$(gid_of b srnic1)"
for dev in srnic0 srnic1; do
	sent_once a $dev
done
testbed down
