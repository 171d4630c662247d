#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: ten thousand races and more of who takes memory back with who uses it: not one byte afterwards
# timeout: 900
# cites: R12, R14, issue 5
# three of four rounds race
SRNIC_RACES=15000 exec "$(dirname "$0")/../e2e/racing.sh"
