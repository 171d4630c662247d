#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: 8 jobs of fio with 32 requests each verify 256 MiB of an NVMe-oF disk, though the target disconnects in the middle, clear and sealed
# timeout: 1200
# cites: issue 26.4
SRNIC_EACH=32 SRNIC_ROUNDS=1 exec "$(dirname "$0")/../e2e/nvme_cut.sh"
