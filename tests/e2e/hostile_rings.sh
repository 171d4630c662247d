#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: a process that writes invalid entries and indices into its rings loses that queue only
# timeout: 240
# cites: R1, R10, R28
. "$(dirname "$0")/../lib.sh"

testbed up --flat
srnic-rings srnic0
testbed down
