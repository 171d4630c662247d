#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a key is replaced 100 times at both ends by stages, while connections are made: none fails, and no packet is in the clear
# timeout: 1800
# cites: issue 23.2, protocol.md section 7
SRNIC_GENERATIONS=100 exec "$(dirname "$0")/../e2e/key_generations.sh"
