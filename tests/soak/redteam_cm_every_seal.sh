#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a forged DREQ ends a connection of rdma_cm in the clear, and under no seal, one with a nonce included
# timeout: 400
# cites: issue 4.4, issue 4.8, threat-model.md 48
SRNIC_EVERY_SEAL=1 exec "$(dirname "$0")/../e2e/redteam_cm.sh"
