#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: lies in a process's own rings kill that QP alone
# timeout: 120
# cites: R1, R28
. "$(dirname "$0")/../lib.sh"

testbed up --flat
srnic-rings srnic0
testbed down
