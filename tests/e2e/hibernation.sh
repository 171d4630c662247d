#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: when the machine hibernates, sealed connections end and are counted, clear ones go on; new ones get keys afterwards
# easy: yes
# timeout: 300
# cites: threat-model.md 35b, issue 23
. "$(dirname "$0")/../lib.sh"

# stream: keep a connection busy, until it ends
stream()
{
	in-b ibv_rc_pingpong -d srnic1 -g "$(gid_of b srnic1)" -n 100000000 >/run/test/s.log 2>&1 &
	server=$!
	settle $server ibv_rc_pingpong
	in-a ibv_rc_pingpong -d srnic0 -g "$(gid_of a srnic0)" -n 100000000 10.77.0.2 >/run/test/c.log 2>&1 &
	client=$!
	advances
}

# advances: wait until more packets arrive
advances()
{
	local before
	before=$(count_of b srnic1 rcvd_pkts)
	soon beyond $((before + 100)) b srnic1 rcvd_pkts || fail "nothing arrives: $(cat /run/test/[cs].log)"
}

testbed up
say "in the clear, a connection outlives it"
stream
hibernate
advances
neither sth_ended
kill -KILL $client $server
wait $client $server 2>/dev/null || true

say "under a seal, it ends"
(umask 077 && on a srnic key gen k --file /run/test/k.key)
on b srnic key add k --file /run/test/k.key
for end in a b; do
	on $end srnic policy add 10.77.0.0/24 require aead aes-gcm-128 key k
done
stream
hibernate
wait $client && fail "the client goes on: $(cat /run/test/c.log)"
wait $server && fail "the server goes on: $(cat /run/test/s.log)"
expect_count a srnic0 sth_ended -eq 1
expect_count b srnic1 sth_ended -eq 1

say "afterwards there are others"
stream
expect_count a srnic0 sth_ended -eq 1
kill -KILL $client $server
wait $client $server 2>/dev/null || true
testbed down
