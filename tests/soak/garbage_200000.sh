#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: in floods of 200,000 bad packets each is counted and dropped at the first check that it fails; a stream beside the flood arrives complete
# timeout: 900
# cites: R25, issue 5.6
SRNIC_FLOOD=200000 exec "$(dirname "$0")/../e2e/garbage.sh"
