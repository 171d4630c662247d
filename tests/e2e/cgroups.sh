#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: rdma cgroups limit contexts and objects, memory cgroups are charged for rings, and released objects are uncharged
# easy: yes
# timeout: 60
# cites: R18
. "$(dirname "$0")/../lib.sh"

groups=/sys/fs/cgroup
box=$groups/box
echo "+rdma +memory" >$groups/cgroup.subtree_control
mkdir $box

testbed up --flat
say "six objects of one context"
echo "srnic0 hca_handle=1 hca_object=6" >$box/rdma.max
"$repo/tests/programs/cgroups.py" srnic0 $box 6
grep -q "^srnic0 hca_handle=0 hca_object=0" $box/rdma.current ||
	fail "left behind: $(<$box/rdma.current)"
say "and two, from now on"
echo "srnic0 hca_object=2" >$box/rdma.max
"$repo/tests/programs/cgroups.py" srnic0 $box 2
testbed down
rmdir $box
