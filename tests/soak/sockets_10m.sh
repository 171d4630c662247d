#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: sockets of RDS, with its RDMA, and of SMC-R v2 carry 10 MB and more both ways, in the clear and sealed
# timeout: 900
# cites: issue 26.4
SRNIC_ROUNDS=20 SRNIC_BYTES=10000000 exec "$(dirname "$0")/../e2e/sockets.sh"
