#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: both
# what: a receiver may destroy its QP as soon as it has a message; the sender still gets its acknowledgment
# timeout: 120
# cites: IBA 9.7.5.1.2
. "$(dirname "$0")/../lib.sh"

rounds=500
! on_debug_kernel || rounds=50
testbed up --flat
srnic-parting srnic0 $rounds
testbed down
