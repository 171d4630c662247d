#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: KASAN reports nothing for three hundred thousand changed copies of sealed packets; ioctls_10min sends twice as many generated ones
# timeout: 1800
# cites: P11, R6, srdma.md part 3 (tampering), issue 4 (10^6 mutated packets), issue 5 (fuzzing)
SRNIC_MUTANTS=300000 SRNIC_EACH=100 SRNIC_EVERY_SEAL=1 SRNIC_SIZES=0,5,3000 exec "$(dirname "$0")/../e2e/mutated.sh"
