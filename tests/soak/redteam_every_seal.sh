#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the red team's attacks fail under one seal of every kind, except for the stated limits
# timeout: 240
# cites: issue 4.8, P3, P4, P5, P11, R6
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC2119 # options of the test bed: none
foreign_wire
"$repo/tools/redteam/redteam.py"
testbed down
