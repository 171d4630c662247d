#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: when a local sender changes its packets while they are read, only bytes that were checked are placed
# timeout: 180
# cites: R12, threat model 6, RFC 5042 6.4.1
. "$(dirname "$0")/../lib.sh"

testbed up
on a "$repo/tools/redteam/rewrite.py" --device srnic0 --netns b --from fd77::2 --to fd77::1
testbed down
