# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by tests in shell: report cases in TAP on standard output.

suite=$(basename "$0" .sh)
count=0
status=0

# ok CONDITION-STATUS NAME: report a case; it has passed if the status is 0
ok()
{
	count=$((count + 1))
	if (($1 == 0)); then
		echo "ok $count - $suite: $2"
	else
		echo "not ok $count - $suite: $2"
		status=1
	fi
}

# the_end: print the plan; return whether all cases have passed
the_end()
{
	echo "1..$count"
	exit $status
}
