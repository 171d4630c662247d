#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: both
# what: links and the module can be removed under running applications
# timeout: 90
# cites: issue 2.3 (disassociate_ucontext)
. "$(dirname "$0")/../lib.sh"

testbed up
in-b rping -s -a 10.77.0.2 -C 100000000 >/tmp/s.log 2>&1 &
server=$!
sleep 1
in-a rping -c -a 10.77.0.2 -C 100000000 >/tmp/c.log 2>&1 &
client=$!
in-b ib_write_bw -d srnic1 -x "$(gid_of b srnic1)" -D 60 >/tmp/ws.log 2>&1 &
ws=$!
sleep 1
in-a ib_write_bw -d srnic0 -x "$(gid_of a srnic0)" -D 60 10.77.0.2 >/tmp/wc.log 2>&1 &
wc=$!
sleep 3
kill -0 $client || fail "rping ended by itself: $(tail -n 3 /tmp/c.log)"

say "link removal does not wait for applications"
begin=$(date +%s)
on a rdma link del srnic0
[ $(($(date +%s) - begin)) -le 10 ] || fail "link del took more than 10 s"

say "nor does module removal"
timeout 20 rmmod srnic || fail "rmmod failed or hung"

kill $client $server $wc $ws 2>/dev/null || true
wait $client $server $wc $ws 2>/dev/null || true
testbed down
