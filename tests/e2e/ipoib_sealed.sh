#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: rules for fe80::/64 and ff12::/16 seal all of IP over InfiniBand: unicast, groups, TCP, the connection manager and its connections
# easy: yes
# timeout: 300
# cites: rfc4391.md I35, protocol.md sections 11 and 17
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

# unknown_again: have both ends forget the other's link address, so that a broadcasts for b's.
# b goes first: a learns the address of who asks for its own.
unknown_again()
{
	on b ip neigh flush dev ib0
	on a ip neigh flush dev ib0
}

# refused COUNTER: check that no ping from a arrives, and that b's port counts why
refused()
{
	local before
	before=$(count_of b ibb "$1")
	! on a ping -c 3 -W 2 10.78.0.2 >/dev/null || fail "$1: a ping has arrived"
	[ "$(count_of b ibb "$1")" -gt "$before" ] || fail "$1 does not grow"
}

testbed up
ib_keys
for seal in "packet aes-cmac-128" "aead aes-gcm-128"; do
	say "$seal: unicast and groups of both IP versions, TCP, the connection manager"
	# shellcheck disable=SC2086 # two words
	ib_rules require $seal
	ib_up a
	ib_up b
	ib_traffic
	none_refused
	for end in a b; do
		[ "$(unsealed $end)" -le 20 ] || fail "$end has sent $(unsealed $end) in the clear"
		[ "$(count_of $end ib$end sth_opened)" -gt 50 ]
	done
	ib_delete a
	ib_delete b
done

say "in the clear nothing gets through to who requires a seal"
ib_up a
ib_up b
on a ping -c 1 -W 60 10.78.0.2
on a srnic policy del fe80::/64
refused sth_missing
on a srnic policy replace fe80::/64 require aead aes-gcm-128 key k
on a srnic policy del ff12::/16
unknown_again
refused sth_missing
on a srnic policy replace ff12::/16 require aead aes-gcm-128 key g

say "nor with another key"
head -c 32 /dev/urandom >/run/test/key.other
on a srnic key replace g --file /run/test/key.other --raw
unknown_again
refused sth_auth_failed
on a srnic key replace g --file /run/test/key.g --raw
soon on a ping -c 1 -W 2 10.78.0.2

say "in the clear by 'prefer' without a key, for both ends"
ib_rules prefer aead aes-gcm-128
for end in a b; do
	on $end srnic key del k
	on $end srnic key del g
done
soon on a ping -c 1 -W 2 10.78.0.2
ib_delete a
ib_delete b
testbed down
