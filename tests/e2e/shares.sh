#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: no user gets more of a device than remains for the other users, and the reserve is root's
# easy: yes
# timeout: 120
# cites: R18, R31
. "$(dirname "$0")/../lib.sh"

testbed up
on a "$repo/tests/programs/shares.py" srnic0
testbed down
