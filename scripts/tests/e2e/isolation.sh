#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a peer's or process's reach for what is not its own fails, over the wire and by system call, and changes nothing
# easy: yes
# timeout: 120
# cites: R2, R7, R8, R9, R10, R12, R16, R26, R27, R29
. "$(dirname "$0")/../lib.sh"

testbed up
on a "$repo/tools/verify/isolation.py" srnic0
testbed down
