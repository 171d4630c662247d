#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a flood of long READs on one connection raises another's median latency by at most 20 %
# timeout: 90
# cites: R23, issue 5
. "$(dirname "$0")/../lib.sh"

testbed up --flat
srnic-neighbour srnic0 srnic1 15 20
testbed down
