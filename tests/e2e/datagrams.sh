#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: datagrams are sealed in every mode (UD, multicast, connection manager), also when keys and rules change or differ between the ends
# easy: yes
# timeout: 300
# cites: issue 4.4, protocol.md section 11
. "$(dirname "$0")/../lib.sh"

# Without sth_crowded: on a busy machine a handshake frame is retransmitted while the worker
# still examines the first one
refusals='sth_missing sth_unexpected sth_auth_failed sth_replayed policy_exempt'

# rule_for PREFIX RULE WORDS...: set a rule on both ends
rule_for()
{
	on a srnic policy replace "$@"
	on b srnic policy replace "$@"
}

new_key()
{
	head -c 32 /dev/urandom >"/run/test/key.$1"
	on a srnic key replace "$1" --file "/run/test/key.$1" --raw
	on b srnic key replace "$1" --file "/run/test/key.$1" --raw
}

# clean: check that neither end has dropped a packet
clean()
{
	local name
	for name in $refusals; do
		expect_count a srnic0 "$name" -eq 0
		expect_count b srnic1 "$name" -eq 0
	done
}

# grows WHERE DEV NAME BEFORE LEAST: check that the counter has grown by LEAST
grows()
{
	local now
	now=$(count_of "$1" "$2" "$3")
	[ $((now - $4)) -ge "$5" ] || fail "$3 of $2 grew from $4 to $now, not by $5"
}

ud_pingpong()
{
	pair in b ibv_ud_pingpong -d srnic1 -g "$(gid_of b srnic1)" -s 1000 -n 40 -c -- \
		in a ibv_ud_pingpong -d srnic0 -g "$(gid_of a srnic0)" -s 1000 -n 40 -c 10.77.0.2
}

# sealed_by MODE SUITE: check that all kinds of datagrams pass, sealed
sealed_by()
{
	local sealed opened
	say "$1 $2"
	rule_for 10.77.0.0/24 require "$1" "$2" key k
	sealed=$(count_of a srnic0 sth_sealed)
	opened=$(count_of b srnic1 sth_opened)
	ud_pingpong
	grows a srnic0 sth_sealed "$sealed" 40
	grows b srnic1 sth_opened "$opened" 40
	clean
}

# managed: check that the connection manager speaks under the same rule
managed()
{
	local sealed
	sealed=$(count_of a srnic0 sth_sealed)
	pair in b udaddy -b 10.77.0.2 -c 2 -C 10 -- in a udaddy -s 10.77.0.2 -c 2 -C 10
	grows a srnic0 sth_sealed "$sealed" 22
	pair in b rping -s -a 10.77.0.2 -C 3 -- in a rping -c -a 10.77.0.2 -C 3
	clean
}

testbed up
new_key k
# One suite of each mode, and below one of the last family; datagram_peer has all of them
sealed_by header aes-gmac-256
sealed_by packet aes-cmac-128
sealed_by opaque aes-gcm-256
managed
sealed_by aead aes-gcm-128
managed

say "a group has a key of its own"
new_key g
for seal in "packet aes-gmac-128" "opaque chacha20-poly1305"; do
	# shellcheck disable=SC2086 # two words
	rule_for 239.7.7.7/32 require $seal key g
	sealed=$(count_of a srnic0 sth_sealed)
	opened=$(count_of b srnic1 sth_opened)
	pair in b timeout 300 mckey -m 239.7.7.7 -b 10.77.0.2 -C 5 -- \
		in a mckey -m 239.7.7.7 -b 10.77.0.1 -s -C 5
	grows a srnic0 sth_sealed "$sealed" 5
	grows b srnic1 sth_opened "$opened" 5
	clean
done

say "keys change, and traffic goes on"
new_key k
ud_pingpong
pair in b rping -s -a 10.77.0.2 -C 3 -- in a rping -c -a 10.77.0.2 -C 3
clean

say "a rule may spare the connection manager"
rule_for 10.77.0.0/24 require aead aes-gcm-128 key k clear-cm
grep -q 'clear' < <(on a srnic policy) || fail "srnic policy does not say so"
pair in b rping -s -a 10.77.0.2 -C 3 -- in a rping -c -a 10.77.0.2 -C 3
expect_count a srnic0 policy_exempt -gt 0
expect_count b srnic1 policy_exempt -gt 0
ud_pingpong
for name in sth_missing sth_unexpected sth_auth_failed; do
	expect_count b srnic1 $name -eq 0
done

say "the same key in another mode: nothing gets through"
on b srnic policy replace 10.77.0.0/24 require opaque aes-gcm-128 key k
datagrams_refused "aead to who expects opaque" b srnic1 sth_auth_failed
on b srnic policy replace 10.77.0.0/24 require aead aes-gcm-128 key k
on a srnic policy replace 10.77.0.0/24 require opaque aes-gcm-128 key k
datagrams_refused "opaque to who expects aead" b srnic1 sth_auth_failed
on a srnic policy replace 10.77.0.0/24 require aead aes-gcm-128 key k

say "another key: nothing gets through, and nobody is remembered for it"
head -c 32 /dev/urandom >/run/test/key.other
on b srnic key replace k --file /run/test/key.other --raw
datagrams_refused "another key" b srnic1 sth_auth_failed

say "in the clear: nothing gets through to who requires a seal"
on a srnic policy del 10.77.0.0/24
datagrams_refused "in the clear" b srnic1 sth_missing

say "without its key nothing is sent"
on a srnic policy add 10.77.0.0/24 require aead aes-gcm-128 key nokey
datagrams_refused "without its key" a srnic0 bad_wqe

say "nor with a suite that has no seal for datagrams"
on a srnic policy replace 10.77.0.0/24 require packet hmac-sha256 key k
datagrams_refused "no form for datagrams" a srnic0 bad_wqe
grep -q 'no datagrams with .*10\.77\.0\.2.*hmac-sha256' < <(dmesg) || fail "the log does not say why"

say "'prefer' seals where it can, and takes what is clear"
on a srnic policy replace 10.77.0.0/24 prefer aead aes-gcm-128 key nokey
on b srnic policy del 10.77.0.0/24
ud_pingpong
on b srnic policy add 10.77.0.0/24 prefer aead aes-gcm-128 key nokey2
ud_pingpong
on a srnic policy replace 10.77.0.0/24 prefer aead aes-gcm-128 key k
on b srnic policy replace 10.77.0.0/24 prefer aead aes-gcm-128 key k
on b srnic key replace k --file /run/test/key.k --raw
sealed=$(count_of a srnic0 sth_sealed)
ud_pingpong
grows a srnic0 sth_sealed "$sealed" 40
testbed down
