#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: 'require' rejects unsealed traffic (no key, clear peer, other key, datagrams); 'prefer' allows and counts it
# easy: yes
# timeout: 180
# cites: srnic(7), rules
. "$(dirname "$0")/../lib.sh"

# refusals: number of packets that either end has dropped or was not allowed to send
refusals()
{
	local names=(bad_wqe sth_missing sth_unexpected sth_auth_failed)
	echo $(($(count_of a srnic0 "${names[@]}") + $(count_of b srnic1 "${names[@]}")))
}

# refused LABEL: check that no ping gets through in either direction, and that the
# connection manager's first message and its retransmission are dropped. rping's exit status
# is useless here: it is 0 after a disconnect.
refused()
{
	local server client before
	before=$(refusals)
	in-b rping -s -a 10.77.0.2 -v -C 3 >/run/test/s.log 2>&1 &
	server=$!
	settle $server rping
	in-a rping -c -a 10.77.0.2 -v -C 3 >/run/test/c.log 2>&1 &
	client=$!
	# ended: whether the client has given up, or two messages have been dropped
	ended() { ! [ -e "/proc/$client" ] || (($(refusals) >= before + 2)); }
	soon ended || fail "$1: nothing is refused: $(cat /run/test/c.log)"
	sleep 1		# time for wrongly accepted packets to arrive
	(($(refusals) > before)) || fail "$1: nothing was refused: $(cat /run/test/c.log)"
	! grep 'ping data' /run/test/c.log /run/test/s.log || fail "$1: payload got through"
	kill $server $client 2>/dev/null || true
	wait $server $client 2>/dev/null || true
}

key_in()
{
	head -c 16 /dev/urandom >"/run/test/key.$1"
	on "$1" srnic key add "$2" --file "/run/test/key.$1"
}

testbed up
say "a rule that names a key which is not there: EACCES, and one clear line in the log"
on a srnic policy add 10.77.0.0/24 require aead aes-gcm-128 key nokey
refused "no key"
in-b srnic-verify -d srnic1 --ops write >/run/test/s.log 2>&1 &
server=$!
settle $server srnic-verify
! on a srnic-verify -d srnic0 --ops write 10.77.0.2 >/run/test/c.log 2>&1 || fail "no key: it works"
grep 'Permission denied' /run/test/c.log || fail "no key: $(cat /run/test/c.log)"
kill $server 2>/dev/null || true
wait $server 2>/dev/null || true
grep -q 'srnic.*10\.77\.0\.2.*nokey' < <(dmesg) || fail "the log does not name peer and key"

say "and the queue pair's attributes stay what they were"
on a "$repo/tests/programs/unchanged.py" srnic0 10.77.0.2

say "nor does a connection in the clear go to that peer later"
on a srnic policy add 10.77.0.1/32 off
on a "$repo/tests/programs/redirect.py" srnic0 10.77.0.1 10.77.0.2
on a srnic policy del 10.77.0.1/32
on a srnic policy del 10.77.0.0/24

say "a peer that does not seal gets nothing, and gives nothing"
key_in a k
on a srnic policy add 10.77.0.0/24 require aead aes-gcm-128 key k
refused "peer in the clear"

say "nor does a peer with another key"
key_in b k
on b srnic policy add 10.77.0.0/24 require aead aes-gcm-128 key k
refused "another key"

say "nor with another suite"
on b srnic key del k
on b srnic key add k --file /run/test/key.a
on b srnic policy del 10.77.0.0/24
on b srnic policy add 10.77.0.0/24 require packet aes-cmac-128 key k
refused "another suite"

say "with the same key and rule it works"
on b srnic policy del 10.77.0.0/24
on b srnic policy add 10.77.0.0/24 require aead aes-gcm-128 key k
pair in b rping -s -a 10.77.0.2 -C 3 -- in a rping -c -a 10.77.0.2 -C 3

say "it stays with its peer"
on a "$repo/tests/programs/redirect.py" srnic0 10.77.0.2 10.77.0.1 sealed

say "datagrams pass so, too"
datagrams_pass || fail "sealed datagrams do not pass: $(cat /run/test/c.log)"

say "and not in the clear, in either direction"
on b srnic policy del 10.77.0.0/24
datagrams_refused "sealed, to who has no rule" b srnic1 sth_unexpected sth_auth_failed
on b srnic policy add 10.77.0.0/24 require aead aes-gcm-128 key k
on a srnic policy del 10.77.0.0/24
datagrams_refused "in the clear, to who requires a seal" b srnic1 sth_missing

say "'prefer' without its key goes in the clear, and that is counted"
on b srnic policy del 10.77.0.0/24
on a srnic policy add 10.77.0.0/24 prefer aead aes-gcm-128 key nokey
expect_count a srnic0 policy_prefer_clear -eq 0
pair in b rping -s -a 10.77.0.2 -C 3 -- in a rping -c -a 10.77.0.2 -C 3
expect_count a srnic0 policy_prefer_clear -gt 0
expect_count b srnic1 policy_prefer_clear -eq 0
testbed down
