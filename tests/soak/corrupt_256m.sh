#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: 256 MiB arrive intact although bits are flipped anywhere and checksums repaired, clear and sealed
# timeout: 3600
# cites: R5, P11, issue 2.7
SRNIC_BULK=$((256 << 20)) exec "$(dirname "$0")/../e2e/corrupt.sh"
