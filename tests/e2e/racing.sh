#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: after a region or window is revoked in the middle of WRITEs, READs, SENDs and atomics, not one more byte is transferred, clear and sealed
# timeout: 150
# cites: R12, R14, issue 5
. "$(dirname "$0")/../lib.sh"

testbed up --flat
srnic-racing srnic0 "${SRNIC_RACES:-340}"
testbed down

say "sealed"
testbed up --flat --policy require:aead:aes-gcm-128
srnic-racing srnic0 "$((${SRNIC_RACES:-340} / 4))"
[ "$(counter srnic0 sth_opened)" -gt 100 ] || fail "it was not sealed"
testbed down
