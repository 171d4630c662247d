#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a process that is given a context's file shares its domain and region, and pays from the owner's share
# easy: yes
# timeout: 120
# cites: R18, R29, R31, R32, issue 26
. "$(dirname "$0")/../lib.sh"

testbed up
on a "$repo/tests/programs/shared_context.py" srnic0
testbed down
