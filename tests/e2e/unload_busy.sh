#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: links and the module can be removed under running applications
# core: unload
# timeout: 90
# cites: issue 2.3 (disassociate_ucontext)
. "$(dirname "$0")/../lib.sh"

# These applications run for hours: a test that waited for them would hang
for_ever=10000
patience=300

testbed up
gid_a=$(gid_of a srnic0)
gid_b=$(gid_of b srnic1)
# Start the programs before there is load
in-b rping -s -a 10.77.0.2 -C 100000000 >/run/test/s.log 2>&1 &
server=$!
in-b ib_write_bw -d srnic1 -x "$gid_b" -D $for_ever >/run/test/ws.log 2>&1 &
ws=$!
# perftest's TCP port, 18515
on b sh -c 'until grep -q ":4853 [0-9A-F:]* 0A" /proc/net/tcp*; do sleep 0.2; done'
in-a rping -c -a 10.77.0.2 -C 100000000 >/run/test/c.log 2>&1 &
client=$!
in-a ib_write_bw -d srnic0 -x "$gid_a" -D $for_ever 10.77.0.2 >/run/test/wc.log 2>&1 &
wc=$!

say "applications run"
# rping's pings have 64 bytes: only ib_write_bw sends that much
until [ "$(count_of a srnic0 sent_bytes)" -gt 4000000 ]; do
	kill -0 $wc || fail "ib_write_bw ended by itself: $(tail -n 3 /run/test/wc.log)"
	sleep 0.2
done
kill -0 $client || fail "rping ended by itself: $(tail -n 3 /run/test/c.log)"

say "link removal does not wait for applications"
on a timeout $patience rdma link del srnic0 || fail "link del failed or hung"

say "nor does module removal"
timeout $patience rmmod srnic || fail "rmmod failed or hung"

kill $client $server $wc $ws 2>/dev/null || true
wait $client $server $wc $ws 2>/dev/null || true
testbed down
