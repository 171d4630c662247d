#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the ioctl methods that set keys reject arguments that no library would pass, and survive random calls
# easy: yes
# timeout: 120
# cites: protocol.md 12; abi.md, keys
. "$(dirname "$0")/../lib.sh"

testbed up
on a "$repo/tests/programs/key_calls.py" srnic0 "${SRNIC_CALLS:-1500}"
testbed down
