#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a subnet that opensm manages is sealed as a whole, its management included
# easy: yes
# timeout: 150
# cites: issue 24, sealed; protocol.md section 17
SEALED=1 exec "$(dirname "$0")/ib_subnet.sh"
