#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: ten minutes of commands, rings, packets and netlink messages that make sense and that do not
# timeout: 900
# cites: R1, R28, issue 5 (fuzzing of ioctls and rings)
SRNIC_SECONDS=600 exec "$(dirname "$0")/../e2e/ioctls.sh"
