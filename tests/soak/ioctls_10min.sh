#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: the kernel survives ten minutes of valid and invalid commands, rings, packets and netlink messages
# timeout: 900
# cites: R1, R28, issue 5 (fuzzing of ioctls and rings)
SRNIC_SECONDS=600 exec "$(dirname "$0")/../e2e/ioctls.sh"
