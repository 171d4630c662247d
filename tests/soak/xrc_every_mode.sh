#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: processes that share an XRC target receive what names their queues, and no other memory is reached, in every mode of seals
# timeout: 400
# cites: R7, R12, R26, R28, P1, P2, section 2
. "$(dirname "$0")/../lib.sh"
SRNIC_POLICIES=$sealed_modes exec "$(dirname "$0")/../e2e/xrc.sh"
