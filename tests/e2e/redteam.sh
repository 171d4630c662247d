#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: attacks by a man in the middle all succeed on clear traffic, and fail on sealed traffic except for the stated limits (the soak: under every seal)
# easy: yes
# timeout: 240
# cites: issue 4.8, P3, P4, P5, P11, R6
. "$(dirname "$0")/../lib.sh"

# shellcheck disable=SC2119 # options of the test bed: none
foreign_wire
"$repo/tools/redteam/redteam.py" --seal packet:aes-cmac-128 --seal aead:aes-gcm-128 --seal opaque:aes-gcm-256
testbed down
