#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock only
# what: keys are wiped when they are used no more: those of the handshake when the first flow is confirmed, all when connections end and keys are deleted; none of a connection is in the image of a hibernating machine
# easy: yes
# timeout: 300
# cites: threat-model.md 54, protocol.md 6, issue 4.3
. "$(dirname "$0")/../lib.sh"

# seal_by SEAL [uncached]: set a rule at both ends
seal_by()
{
	local end
	for end in a b; do
		# shellcheck disable=SC2086 # there may be no option
		on $end srnic policy replace 10.77.0.0/24 require "${1#*:}" "${1%%:*}" key k ${2-}
	done
}

# hold SEAL [uncached]: stop a connection in the middle, and list all keys that it used
hold()
{
	local end
	seal_by "$@"
	rm -f /run/test/wire.pcap
	record
	secrets_start
	in-b rping -s -a 10.77.0.2 -C 1000000 >/run/test/s.log 2>&1 &
	server=$!
	settle $server rping
	in-a rping -c -a 10.77.0.2 -C 1000000 >/run/test/c.log 2>&1 &
	client=$!
	until [ "$(stat -c %s /run/test/wire.pcap)" -gt 20000 ]; do
		kill -0 $client || fail "rping: $(cat /run/test/c.log)"
		sleep 0.05
	done
	for end in $client $server; do
		kill -STOP "$end" || fail "rping: $(cat /run/test/[cs].log)"
	done
	recorded >/dev/null
	secrets_stop
	derive "$1"
}

# hold_half SEAL: hold a connection that has confirmed one flow of two, and list its keys
hold_half()
{
	seal_by "$1"
	rm -f /run/test/wire.pcap
	record_on a lo
	secrets_start
	in-a "$repo/tests/programs/one_way.py" srnic0 >/run/test/half.log 2>&1 &
	half=$!
	until grep -q delivered /run/test/half.log; do
		kill -0 $half 2>/dev/null || fail "one_way.py: $(cat /run/test/half.log)"
		sleep 0.05
	done
	recorded >/dev/null
	secrets_stop
	derive "$1"
}

# derive SEAL: list the keys of the recorded packets, and leave no copy in the codec's memory
derive()
{
	local codec

	# Nothing is given back to the kernel before it is overwritten
	PYTHONMALLOC=malloc MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=-1 \
		"$repo/tools/codec/derived.py" /run/test/secrets /run/test/k.key /run/test/wire.pcap "$1" \
		>>/run/test/wanted 2>/run/test/codec.log &
	codec=$!
	until grep -q "^State:.T" /proc/$codec/status 2>/dev/null; do
		kill -0 $codec || fail "derived.py: $(cat /run/test/codec.log)"
		sleep 0.05
	done
	srnic-leftovers --wipe $codec
	wait $codec 2>/dev/null || true
}

# seek: search all of memory for the listed keys
seek()
{
	srnic-leftovers /run/test/wanted >/run/test/found
	cat /run/test/found
}

# masked: print a key in hexadecimal, masked as srnic-leftovers expects it, so that the list
# itself is not found
masked()
{
	local hex i
	read -r hex
	printf 'K_PD '
	for ((i = 0; i < ${#hex}; i += 2)); do
		printf '%02x' $((0x${hex:i:2} ^ 0xa5))
	done
	echo
}

# there KEY... / gone KEY...: check that seek has found, or has not found, these keys
there()
{
	local key
	for key; do
		grep -q "^  $key: " /run/test/found || fail "$key is not found where it must be"
	done
}

gone()
{
	local key
	for key; do
		! grep -q "^  $key: " /run/test/found || fail "$key is still there"
	done
}

# set_aside: take memory out of use before there are keys. A search of 2 GiB takes a processor for
# five seconds under emulation, and this test makes nine. Blocks with pages that cannot be moved
# stay.
aside=()
set_aside()
{
	local block free
	for block in /sys/devices/system/memory/memory[0-9]*; do
		free=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
		((free > 700000)) || break
		# shellcheck disable=SC2016 # for that shell to expand
		! timeout 10 sh -c 'echo offline >"$1/state"' sh "$block" 2>/dev/null || aside+=("$block")
	done
	say "${#aside[@]} blocks of memory are set aside"
}

give_back()
{
	local block
	for block in "${aside[@]}"; do
		echo online >"$block/state"
	done
}

trap give_back EXIT
set_aside

# The kernel must not move pages of the codec, and leave copies of its keys where they were
echo never >/sys/kernel/mm/transparent_hugepage/enabled
echo 0 >/proc/sys/vm/compaction_proactiveness

testbed up
single_packets

say "keys are added: each end keeps one copy, and who brought it none"
(umask 077 && on a srnic key gen k --file /run/test/k.key)
on b srnic key add k --file /run/test/k.key
masked </run/test/k.key >/run/test/wanted
seek
# four pieces of 32 bytes each
grep -q "^  K_PD: 8," /run/test/found || fail "more, or less, than a copy an end"

say "one flow of two is confirmed: only what the other one needs is left of the handshake"
hold_half "aes-gcm-128:aead"
seek
there K_PD packet flow ratchet
gone connection pair handshake Z
[ "$(grep -c '^  K_X_[AB]: ' /run/test/found)" -eq 1 ] || fail "not the K_X of one flow"
kill $half
wait $half 2>/dev/null || true

# lives SEAL [uncached]: start a connection, and check which of its keys are there
lives()
{
	say "$*: while it lives, what it needs"
	hold "$@"
	seek
	there K_PD ratchet packet
	gone connection pair handshake Z K_X_A K_X_B
	# K_F of the present epoch: to derive the sub-keys of its phases
	there flow
}

ends()
{
	kill -KILL $client $server
	wait $client $server 2>/dev/null || true
}

lives aes-gcm-128:aead
ends
lives aes-cmac-128:header uncached
ends

# Before the next one: it may get the memory of these
say "connections have ended"
seek
there K_PD
gone flow ratchet packet

say "the machine hibernates: its image must not have the keys of connections that live"
lives chacha20-poly1305:aead
hibernate
seek
there K_PD
gone connection pair handshake Z K_X_A K_X_B flow ratchet packet
ends

say "rules and keys are deleted"
for end in a b; do
	on $end srnic policy del 10.77.0.0/24
	on $end srnic key del k
done
seek
gone K_PD

say "the devices are gone"
testbed down
seek
grep -q ": 0 finds$" /run/test/found || fail "something is still there"
