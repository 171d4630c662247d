#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: queue pairs and shared receive queues are changed as ibv_modify_qp(3) and ibv_modify_srq(3) allow
# easy: yes
# timeout: 120
# cites: IBA 10.2.9.2, 11.2.3.3, 11.2.4.2
. "$(dirname "$0")/../lib.sh"

testbed up
on a "$repo/tests/programs/changes.py" srnic0
testbed down
