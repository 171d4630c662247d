#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the pyverbs suite of the installed rdma-core: no failure, no error, at least 90 pass
# timeout: 300
# cites: issue 2
. "$(dirname "$0")/../lib.sh"

docs=/usr/share/doc/rdma-core/tests
[ -d $docs ] || docs=/usr/share/doc/python3-pyverbs/tests
[ -d $docs ] || fail "the pyverbs tests are not installed (python3-pyverbs)"
cp -r $docs /tmp/pyverbs-tests
find /tmp/pyverbs-tests -name '*.gz' -exec gunzip -f {} +
testbed up --flat
cd /tmp
ln -sfn pyverbs-tests tests
# the suite as its authors start it: run_tests.py beside the package
status=0
/usr/bin/python3 tests/run_tests.py -v --dev srnic0 --port 1 >/tmp/pyverbs.log 2>&1 || status=$?
cp /tmp/pyverbs.log "$repo/build/check/pyverbs-$(uname -r).log" 2>/dev/null || true
tail -n 4 /tmp/pyverbs.log
passed=$(grep -c -E '\.\.\. ok$' /tmp/pyverbs.log || true)
skipped=$(grep -c -E '\.\.\. skipped' /tmp/pyverbs.log || true)
echo "pyverbs: $passed passed, $skipped skipped"
if [ $status -ne 0 ]; then
	grep -E '\.\.\. (FAIL|ERROR)$' /tmp/pyverbs.log || tail -n 20 /tmp/pyverbs.log
	fail "pyverbs ended with status $status"
fi
[ "$passed" -ge 90 ] || fail "only $passed tests passed"
testbed down
