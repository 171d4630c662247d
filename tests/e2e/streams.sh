#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock only
# what: resetting or destroying a QP with four times as many windows takes at most six times the instructions
# counted: instructions of a RESET and of a destroy
# timeout: 240
# cites: R8
. "$(dirname "$0")/../lib.sh"

testbed up --flat
srnic-streams srnic0 "${SRNIC_WINDOWS:-250}"
testbed down
