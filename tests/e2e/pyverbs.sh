#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: the pyverbs suite of the installed rdma-core has no failure and no error, and at least 90 tests pass
# easy: yes
# timeout: 300
# cites: issue 2
. "$(dirname "$0")/../lib.sh"

docs=/usr/share/doc/rdma-core/tests
[ -d $docs ] || docs=/usr/share/doc/python3-pyverbs/tests
[ -d $docs ] || fail "the pyverbs tests are not installed (python3-pyverbs)"
cp -r $docs /run/test/pyverbs-tests
find /run/test/pyverbs-tests -name '*.gz' -exec gunzip -f {} +
testbed up --flat
cd /run/test
ln -sfn pyverbs-tests tests
# Run the suite as its authors do: run_tests.py beside the package
status=0
/usr/bin/python3 tests/run_tests.py -v --dev srnic0 --port 1 >/run/test/pyverbs.log 2>&1 || status=$?
cp /run/test/pyverbs.log "$repo/build/check/pyverbs-$(uname -r).log" 2>/dev/null || true
tail -n 4 /run/test/pyverbs.log
passed=$(grep -c -E '\.\.\. ok$' /run/test/pyverbs.log || true)
skipped=$(grep -c -E '\.\.\. skipped' /run/test/pyverbs.log || true)
echo "pyverbs: $passed passed, $skipped skipped"
if [ $status -ne 0 ]; then
	grep -E '\.\.\. (FAIL|ERROR)$' /run/test/pyverbs.log || tail -n 20 /run/test/pyverbs.log
	fail "pyverbs ended with status $status"
fi
[ "$passed" -ge 90 ] || fail "only $passed tests passed"
testbed down
