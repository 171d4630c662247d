#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a rule on idle time ends a connection whose peer is silent, and notifies its owner; a connection whose peer responds stays
# easy: yes
# timeout: 120
# cites: R19
. "$(dirname "$0")/../lib.sh"

testbed up
say "no rule, no end"
[ "$(on a srnic limit show srnic0 | awk '$2 == "idle" { print $3 }')" = none ] || fail "there is a rule"
! on a srnic limit set srnic0 idle 99999999 2>/run/test/err || fail "a limit beyond the highest"
grep -q 'idle must be at most 2073600' /run/test/err || fail "$(cat /run/test/err)"
! on a srnic limit set srnic0 nonsense 1 2>/run/test/err || fail "a limit of nonsense"
grep -q "unknown limit 'nonsense'" /run/test/err || fail "$(cat /run/test/err)"

say "one is idle, one is not"
on a "$repo/tests/programs/idle.py" srnic0 >/run/test/idle.log 2>&1 &
idle=$!
on b timeout 3000 ibv_rc_pingpong -d srnic1 -g "$(gid_of b srnic1)" -n 100000000 >/run/test/ping.b &
server=$!
settle $server ibv_rc_pingpong
on a timeout 3000 ibv_rc_pingpong -d srnic0 -g "$(gid_of a srnic0)" -n 100000000 10.77.0.2 >/run/test/ping.a &
until grep -q ready /run/test/idle.log; do
	kill -0 $idle 2>/dev/null || fail "$(cat /run/test/idle.log)"
	sleep 0.2
done
sleep 4
expect_count a srnic0 idle_reaped -eq 0

say "a rule of ten seconds, for which no machine keeps a connection waiting that is used"
on a srnic limit set srnic0 idle 10
wait $idle || fail "$(cat /run/test/idle.log)"
cat /run/test/idle.log
expect_count a srnic0 idle_reaped -eq 2
kill -0 $server || fail "the connection that was used has ended, too"

say "no rule again"
on a srnic limit set srnic0 idle none
on a "$repo/tests/programs/idle.py" --spared srnic0 || fail "ended without a rule"
expect_count a srnic0 idle_reaped -eq 2
testbed down
