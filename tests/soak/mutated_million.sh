#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: of a million changed copies of sealed packets, under every seal, none is accepted, and no QP is lost
# timeout: 1200
# cites: P11, R6, protocol.md 4 and 9, issue 4 (10^6 mutated packets)
# More mutants beside each packet: a QP waits for its responses, not for the mutants
SRNIC_MUTANTS=1000000 SRNIC_EACH=100 SRNIC_EVERY_SEAL=1 SRNIC_SIZES=0,5,3000 exec "$(dirname "$0")/../e2e/mutated.sh"
