#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: both
# what: ten thousand races of who takes memory back with who uses it: not one byte afterwards
# timeout: 900
# cites: R12, R14, issue 5
SRNIC_RACES=10000 exec "$(dirname "$0")/../e2e/racing.sh"
