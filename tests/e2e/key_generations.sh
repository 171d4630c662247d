#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a key is replaced at both ends by stages, again and again, while connections are made: none fails, and no packet is in the clear
# easy: yes
# timeout: 600
# cites: issue 23.2, protocol.md section 7
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../connecting.sh"
. "$(dirname "$0")/../probes.sh"

times=${SRNIC_GENERATIONS:-3}

# next_key: draw a new key for both ends
next_key()
{
	head -c 32 /dev/urandom >/run/test/next
}

# both VERB...: do the same with the key at both ends
both()
{
	on a srnic key "$@"
	on b srnic key "$@"
}

ping()
{
	pair in b rping -s -a 10.77.0.2 -C 3 -- in a rping -c -a 10.77.0.2 -C 3
}

ud_pingpong()
{
	pair in b ibv_ud_pingpong -d srnic1 -g "$(gid_of b srnic1)" -s 1000 -n 20 -c -- \
		in a ibv_ud_pingpong -d srnic0 -g "$(gid_of a srnic0)" -s 1000 -n 20 -c 10.77.0.2
}

# ciphers: print how many AES-GCM ciphers the kernel holds
ciphers()
{
	awk '$1 == "name" { name = $3 }
	     $1 == "refcnt" && name == "gcm(aes)" { sum += $3 }
	     END { print sum + 0 }' /proc/crypto
}

ciphers_are()
{
	[ "$(ciphers)" -eq "$1" ]
}

# expect_ciphers N WHEN: the datagrams of the connection managers have N ciphers
expect_ciphers()
{
	soon ciphers_are $((none + $1)) || fail "$2: $(($(ciphers) - none)) ciphers instead of $1"
}

testbed up
next_key
for host in a b; do
	on $host srnic key add k --raw --file /run/test/next
	# not 'require': without a key connections would be made in the clear, and be noticed
	on $host srnic policy add 10.77.0.0/24 prefer aead aes-gcm-128 key k
done
none=$(ciphers)	# the check of the rule has loaded the cipher
watch
connecting_start

say "stages at one end alone harm nothing"
meanwhile
next_key
on a srnic key stage k --raw --file /run/test/next
meanwhile
on b srnic key stage k --raw --file /run/test/next
on a srnic key promote k
ud_pingpong
meanwhile
on b srnic key promote k
on b srnic key retire k
ud_pingpong
meanwhile
on a srnic key retire k
meanwhile

say "$times times"
for ((n = 2; n <= times; n++)); do
	next_key
	both stage k --raw --file /run/test/next
	meanwhile
	both promote k
	meanwhile
	both retire k
	meanwhile
done
connecting_stop
say "connections were made $(made) times; frames under other keys: $(count_of a srnic0 sth_auth_failed) and $(count_of b srnic1 sth_auth_failed)"
for host in a b; do
	on $host srnic -j key >/run/test/keys
	grep -q "\"generation\":$((times + 1))," /run/test/keys || fail "$host has $(cat /run/test/keys)"
done
neither policy_prefer_clear policy_exempt sth_missing sth_unexpected
expect_count a srnic0 sth_handshakes -ge $((times * 3 * 2))

say "a retired secret opens nothing, not even of a sender that is known"
next_key
both stage k --raw --file /run/test/next
on b srnic key promote k
ping
on b srnic key retire k
refused=$(count_of b srnic1 sth_auth_failed)
in-b rping -s -a 10.77.0.2 -v -C 3 >/run/test/s.log 2>&1 &
server=$!
settle $server rping
in-a rping -c -a 10.77.0.2 -v -C 3 >/run/test/c.log 2>&1 &
client=$!
soon beyond "$refused" b srnic1 sth_auth_failed || fail "nothing is refused: $(cat /run/test/c.log)"
sleep 1		# time for wrongly accepted packets to arrive
! grep 'ping data' /run/test/[cs].log || fail "a retired secret is accepted"
kill $server $client 2>/dev/null || true
wait $server $client || true
on a srnic key promote k
ping

say "what was derived from a retired secret is discarded at once, without another datagram"
on a srnic key retire k
ping
expect_ciphers 4 "each end seals and opens"
next_key
both stage k --raw --file /run/test/next
both promote k
ping
expect_ciphers 6 "each end opens under the former secret, too"
both retire k
expect_ciphers 2 "after the retirement each end opens; it has not sealed again"

if [ -e $tracing/kprobe_events ]; then
	say "a rule of a namespace without addresses is nobody else's concern"
	probe srnic_dgram_discard
	unshare -n srnic policy add 192.0.2.0/24 off
	[ "$(taken srnic_dgram_discard)" -eq 0 ] || fail "all devices looked for keys to discard"
	on a srnic policy add 192.0.2.0/24 off
	[ "$(taken srnic_dgram_discard)" -gt 0 ] || fail "that is not counted"
	on a srnic policy del 192.0.2.0/24
	no_probes
fi

say "no packet was in the clear"
nothing_clear

say "one that is would have been seen"
for host in a b; do
	on $host srnic policy flush
done
expect_ciphers 0 "without rules"
ping
more_than_empty() { [ "$(stat -c %s $clear)" -gt $empty ]; }
soon more_than_empty || fail "packets in the clear are not seen"
kill $watcher
wait $watcher || true
testbed down
