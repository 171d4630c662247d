#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: in more than ten thousand races of revocation with WRITEs, READs and others, not one byte is transferred afterwards
# timeout: 1200
# cites: R12, R14, issue 5
# Ten thousand races of WRITEs and READs alone: they are six rounds of ten, and three of
# four of these race
SRNIC_RACES=24000 exec "$(dirname "$0")/../e2e/racing.sh"
