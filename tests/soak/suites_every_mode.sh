#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: every suite in every mode carries every opcode, and the independent codec opens all captured packets
# timeout: 400
# cites: P1, P2, P5, P6, issue 4.1
SRNIC_EVERY_MODE=1 exec "$(dirname "$0")/../e2e/suites.sh"
