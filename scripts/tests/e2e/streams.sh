#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock only
# what: a queue pair with four times as many windows takes no more than six times the instructions to reset or destroy
# counted: instructions of a RESET and of a destroy
# timeout: 240
# cites: R8
. "$(dirname "$0")/../lib.sh"

testbed up --flat
srnic-streams srnic0
testbed down
