#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: 256 MiB of random bytes arrive intact despite loss, duplication and reordering, clear and in each sealed mode
# timeout: 3600
# cites: R5, protocol.md 5 and 8, issue 2.7
SRNIC_BULK=$((256 << 20)) exec "$(dirname "$0")/../e2e/lossy.sh"
