#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the pyverbs suite of the installed rdma-core has no failure and no error, and at least 145 tests pass
# core: pyverbs
# easy: yes
# timeout: 300
# cites: issue 2
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../pyverbs.sh"

docs=/usr/share/doc/rdma-core/tests
[ -d $docs ] || docs=/usr/share/doc/python3-pyverbs/tests
[ -d $docs ] || fail "the pyverbs tests are not installed (python3-pyverbs)"
testbed up --flat
run_pyverbs $docs 145 /usr/bin/python3
testbed down
