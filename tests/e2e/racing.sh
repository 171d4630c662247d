#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: after a region or window is revoked in the middle of WRITEs, READs, SENDs and atomics, not one more byte is transferred
# timeout: 120
# cites: R12, R14, issue 5
. "$(dirname "$0")/../lib.sh"

testbed up --flat
srnic-racing srnic0 "${SRNIC_RACES:-340}"
testbed down
