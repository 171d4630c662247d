#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock only
# what: resetting or destroying a QP with 6000 windows takes at most six times the instructions of one with 1500
# counted: instructions of a RESET and of a destroy
# timeout: 240
# cites: R8
SRNIC_WINDOWS=1500 exec "$(dirname "$0")/../e2e/streams.sh"
