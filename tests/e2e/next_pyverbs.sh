#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the pyverbs suite of the next Debian's rdma-core (56) has no failure and no error, and at least 168 tests pass
# easy: yes
# timeout: 600
# cites: issue 26.5
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../pyverbs.sh"

next=/usr/local/lib/next-rdma-core
[ -e $next/python3.13 ] || {
	echo "no pyverbs of the next Debian: scripts/setup check unpacks it where there is an older one"
	exit 77
}
# Its tests run programs of their own
PATH=$next:$PATH
testbed up --flat
run_pyverbs $next/usr/share/doc/rdma-core/tests 168 $next/python3.13 -B
testbed down
