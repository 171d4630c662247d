#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: QEMU with 128 MiB migrates by RDMA, chunk by chunk and with all memory pinned, each in the clear and sealed
# easy: yes
# timeout: 900
# cites: issue 26.4
SRNIC_EVERY=1 SRNIC_MIB=128 exec "$(dirname "$0")/../e2e/migration.sh"
