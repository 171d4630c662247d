#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the ioctl methods that set keys survive 20,000 random calls
# timeout: 600
# cites: protocol.md 12; abi.md, keys
SRNIC_CALLS=20000 exec "$(dirname "$0")/../e2e/key_calls.sh"
