#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a sealed QP that is ready before its peer connects without waiting for a retry interval
# easy: yes
# timeout: 60
# cites: protocol.md 7
. "$(dirname "$0")/../lib.sh"

testbed up --policy require:header:aes-cmac-128
on a "$repo/tests/programs/early.py" srnic0
testbed down
