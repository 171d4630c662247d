#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: if a queue marks packets, echoes slow the sender in every mode of seals, and no packet is lost
# timeout: 600
# cites: issue 21.3, IBA A17.9, RFC 3168
. "$(dirname "$0")/../lib.sh"
SRNIC_POLICIES=$sealed_modes exec "$(dirname "$0")/../e2e/ecn.sh"
