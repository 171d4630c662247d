#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: KASAN reports nothing for a million changed copies of sealed packets, under every seal, those of opaque mode among them
# timeout: 6000
# cites: P11, R6, protocol.md 4 and 9, issue 4 (10^6 mutated packets), issue 5 (fuzzing), issue 23
SRNIC_MUTANTS=1000000 SRNIC_EACH=100 SRNIC_EVERY_SEAL=1 SRNIC_SIZES=0,5,3000 exec "$(dirname "$0")/../e2e/mutated.sh"
