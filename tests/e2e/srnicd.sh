#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: srnicd seals two hosts by four commands each, replaces their key under load, by time and by volume, and survives restarts, wrong keys and a clock that is set back
# easy: yes
# timeout: 600
# cites: issue 23.4, protocol.md section 16
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../connecting.sh"
. "$(dirname "$0")/../srnicd.sh"

evidence+=(/run/test/a.log /run/test/b.log)
rest=${SRNIC_REST:-2}

# worn: send more than a key may seal; whether the daemon of a has seen it. By then the time may
# have come to replace the key, and what it has sealed does not count any more.
worn()
{
	pair in b srnic-verify -d srnic1 --bulk 4000000 -- in a srnic-verify -d srnic0 --bulk 4000000 10.77.0.2
	says a "its key has sealed"
}

# replaced: whether a new generation has come after that
replaced()
{
	[[ $(sed -n '/its key has sealed/,$p' /run/test/a.log) == *'of the key is in use'* ]]
}

# rekeyed: wait until both ends have replaced their keys twice
rekeyed()
{
	local host
	local -A was=([a]=$(generation a) [b]=$(generation b))
	for host in a b; do
		soon beyond_generation $host $((was[$host] + 1)) ||
			fail "$host keeps its key: $(logs)"
	done
}

# verify: connect without the connection manager; the client's output is in c.log
verify()
{
	local server status=0
	in-b srnic-verify -d srnic1 --ops write >/run/test/s.log 2>&1 &
	server=$!
	settle $server srnic-verify
	on a srnic-verify -d srnic0 --ops write 10.77.0.2 >/run/test/c.log 2>&1 || status=1
	[ $status -eq 0 ] || kill $server 2>/dev/null || true
	wait $server 2>/dev/null || true
	return $status
}

testbed up
identities
watch

say "a host that does not know the peer's key refuses it, and both say why"
cmd a peer add b --public-key "${public[b]}" --address 10.77.0.2 --endpoint 10.77.0.2
cmd b peer add a --public-key "$(SRNIC_FOLDER=/run/test/other srnic genkey)" --address 10.77.0.1
daemon_start b --rekey 3600
daemon_start a --rekey 3600
soon says a "refuses the public key of this host" || fail "a does not say why: $(logs)"
soon says b "no peer has the public key ${public[a]}" || fail "b does not say why: $(logs)"
! has_key a || fail "a has a key: $(logs)"
! has_key b || fail "b has a key: $(logs)"
! verify || fail "a connection is made without a key"
grep -q 'Permission denied' /run/test/[sc].log || fail "no key: $(cat /run/test/[sc].log)"

say "with the right key both are sealed, without a restart"
cmd b peer del a
cmd b peer add a --public-key "${public[a]}" --address 10.77.0.1
soon has_key a || fail "a has no key: $(logs)"
soon has_key b || fail "b has no key: $(logs)"
ping
verify || fail "no connection: $(cat /run/test/[sc].log)"
expect_count a srnic0 sth_handshakes -gt 0

say "a key that is missing is made while the connection waits"
on a srnic key del b
on b srnic key del a
verify || fail "no connection: $(cat /run/test/[sc].log) $(logs)"
soon has_key a || fail "a has no key: $(logs)"
soon has_key b || fail "b has no key: $(logs)"

say "without a daemon the key goes on; without the key there is no connection"
daemon_kill a
daemon_kill b
ping
on a srnic key del b
! verify || fail "a connection is made without a key"
grep -q 'Permission denied' /run/test/[sc].log || fail "no key: $(cat /run/test/[sc].log)"

say "if the module loses rules and keys, the rule comes back without the peer, and before the key"
daemon_start a --rekey 3600
on a srnic policy flush		# its key is deleted already
requires() { [[ $(on "$1" srnic policy) == *require* ]]; }
soon requires a || fail "a has no rule: $(logs)"
on a srnic policy flush
daemon_start b --rekey 3600
soon has_key a || fail "a has no key: $(logs)"
requires a || fail "a has a key, and no rule: $(logs)"
daemon_kill a
daemon_kill b

say "the key is replaced again and again, while connections are made"
daemon_start a --rekey 8
daemon_start b --rekey 8
soon has_key a || fail "a has no key: $(logs)"
ping
connecting_start
rekeyed
meanwhile

say "a daemon that is killed and started again makes another one"
for host in a b; do
	before=$(generation $host)
	daemon_kill $host -KILL
	meanwhile
	daemon_start $host --rekey 8
	soon beyond_generation $host "$before" || fail "$host keeps its key: $(logs)"
	meanwhile
done

say "a key that has sealed as much as it may is replaced"
for host in a b; do
	daemon_kill $host
done
daemon_start b --rekey 20
daemon_start a --rekey 20 --volume 1M
soon worn || fail "a does not see what its key has sealed: $(on a srnic key) $(logs)"
soon replaced || fail "a keeps its key: $(logs)"
meanwhile

say "a clock that is set back changes nothing"
date -s "@$(($(date +%s) - 86400))" >/dev/null
rekeyed
meanwhile
connecting_stop
# not before: programs of the tests wait by this clock, too
date -s "@$(($(date +%s) + 86400))" >/dev/null
say "connections were made $(made) times, under $(generation a) and $(generation b) generations"
for host in a b; do
	daemon_kill $host
	! grep -i "$(cut -c 1-20 "/run/test/$host/private.key")" "/run/test/$host.log" ||
		fail "the log of $host has a secret"
done
neither policy_prefer_clear policy_exempt sth_missing sth_unexpected
nothing_clear
kill $watcher
wait $watcher || true
testbed down
