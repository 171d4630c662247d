#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: each of libfabric's endpoints and UCX's transports carries messages, in the clear and sealed
# timeout: 900
# cites: issue 26.4
SRNIC_EVERY=1 SRNIC_ROUNDS=100 exec "$(dirname "$0")/../e2e/fabrics.sh"
