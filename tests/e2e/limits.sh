#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: requests beyond a limit or without permission fail with the documented errno
# easy: yes
# timeout: 60
# cites: R16, R18, R21, R28, R30, R32, issue 2.3
. "$(dirname "$0")/../lib.sh"

testbed up
before=$(on a rdma resource show qp link srnic0 | wc -l)
on a "$repo/tests/programs/limits.py" srnic0
after=$(on a rdma resource show qp link srnic0 | wc -l)
[ "$after" -eq "$before" ] || fail "$((after - before)) queue pairs outlive their processes"
testbed down
