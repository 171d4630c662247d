#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: ten thousand races and more of who takes memory back with WRITEs and READs, and others: not one byte afterwards
# timeout: 1200
# cites: R12, R14, issue 5
# of WRITEs and READs alone: six rounds of ten are theirs, and three of four of these race
SRNIC_RACES=24000 exec "$(dirname "$0")/../e2e/racing.sh"
