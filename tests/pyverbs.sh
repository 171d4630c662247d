# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced after lib.sh by the tests that run the suite of pyverbs, rdma-core's own tests.

# Names of tests to leave out, as they fail for reasons that are not srnic's; the caller has the reasons
pyverbs_without=()

# leave_out NAME: rename the test, so that it is not found
leave_out()
{
	sed -i "s/def $1(/def left_out_$1(/" /run/test/pyverbs-tests/*.py
	grep -q "def left_out_$1(" /run/test/pyverbs-tests/*.py || fail "there is no test $1"
}

# run_pyverbs TESTS LEAST PYTHON...: run the suite in the folder TESTS by PYTHON on srnic0. It
# has no failure and no error, and at least LEAST tests pass. The reason of each skipped test
# is printed.
run_pyverbs()
{
	local least=$2 status=0 passed name log=/run/test/pyverbs.log
	cp -r "$1" /run/test/pyverbs-tests
	shift 2
	find /run/test/pyverbs-tests -name '*.gz' -exec gunzip -f {} +
	for name in "${pyverbs_without[@]}"; do
		leave_out "$name"
	done
	cd /run/test
	ln -sfn pyverbs-tests tests
	if [ -e /sys/kernel/mm/hugepages ]; then
		echo 16 >/proc/sys/vm/nr_hugepages
	else	# user-mode Linux, some processors: three tests are skipped
		least=$((least - 3))
	fi
	# As its authors do: run_tests.py beside the package
	"$@" tests/run_tests.py -v --dev srnic0 --port 1 >$log 2>&1 || status=$?
	cp $log "$repo/build/check/${0##*/}-$(uname -r).log" 2>/dev/null || true
	echo "skipped:"
	sed -n "s/.*\.\.\. skipped [\"']\(.*\)[\"']$/\1/p" $log | sort | uniq -c | sort -rn
	tail -n 4 $log
	if [ $status -ne 0 ]; then
		grep -E '\.\.\. (FAIL|ERROR)$' $log || tail -n 20 $log
		fail "pyverbs ended with status $status"
	fi
	# Other output may split a test's own "ok"
	passed=$(awk '/^Ran / { ran = $2 } /^OK/ { gsub(/[^0-9]/, ""); print ran - $0 }' $log)
	echo "pyverbs: $passed passed"
	[ "$passed" -ge "$least" ] || fail "only $passed tests passed"
}
