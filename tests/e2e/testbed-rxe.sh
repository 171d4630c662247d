#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# what: the test bed comes up with rxe, carries data both ways, and can be removed
# kernel: stock
# easy: yes
# timeout: 40

. "$(dirname "$0")/../lib.sh"

testbed up --type rxe --flat
timeout 30 rping -s -a 10.77.0.2 -I 10.77.0.2 -C 5 &
server=$!
settle $server rping
rping -c -a 10.77.0.2 -I 10.77.0.1 -C 5 -v
wait "$server"
testbed down

[[ ! -d /sys/module/rdma_rxe ]] || fail "rdma_rxe is still loaded"
! ip link show v0 2>/dev/null || fail "v0 is still there"
