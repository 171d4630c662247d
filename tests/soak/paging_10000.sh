#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: ten thousand exchanges of the memory behind a region in the middle of WRITEs, READs and atomics, and as many sealed: no stray byte
# timeout: 1800
# cites: R12, R14
# They are two thousand of each of five kinds
SRNIC_INVALIDATIONS=2000 SRNIC_SEALED_INVALIDATIONS=2000 exec "$(dirname "$0")/../e2e/paging.sh"
