#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: a forged DREQ ends a connection of rdma_cm in the clear, and under no seal
# easy: yes
# timeout: 200
# cites: issue 4.4, issue 4.8, threat-model.md 48
. "$(dirname "$0")/../lib.sh"

# attacked LABEL: run an endless connection under attack and print the outcome
attacked()
{
	local wire server client
	say "$1"
	"$repo/tools/redteam/cm.py" --netns m --ports ma mb >/run/test/cm.json 2>/run/test/cm.log &
	wire=$!
	until grep -q 'the wire' /run/test/cm.log; do sleep 0.1; done
	in-b timeout 600 rping -s -a 10.77.0.2 >/run/test/s.log 2>&1 &
	server=$!
	settle $server rping
	in-a timeout 600 rping -c -a 10.77.0.2 -C 1000000 >/run/test/c.log 2>&1 &
	client=$!
	until [ -s /run/test/cm.json ] || ! kill -0 $wire; do sleep 0.2; done
	# stop the wire last: peers talk when they disconnect
	kill $client 2>/dev/null || true
	wait $client 2>/dev/null || true
	kill $server 2>/dev/null || true
	wait $server 2>/dev/null || true
	kill $wire 2>/dev/null || true
	wait $wire 2>/dev/null || true
	cat /run/test/cm.json
}

# shellcheck disable=SC2119 # options of the test bed: none
foreign_wire
attacked "in the clear"
grep -qx '{"read": true, "answered": true, "alive": 0}' /run/test/cm.json ||
	fail "the attack is not real: $(cat /run/test/cm.json)"

on a srnic key gen k --file /run/test/k.key
on b srnic key add k --file /run/test/k.key
# One whose messages the attacker can read, and one that hides them; the soak has another of those
seals=("packet aes-cmac-128" "aead aes-gcm-128")
[ -z "${SRNIC_EVERY_SEAL-}" ] || seals+=("packet aes-gmac-128")
for seal in "${seals[@]}"; do
	for end in a b; do
		# shellcheck disable=SC2086 # two words
		on $end srnic policy replace 10.77.0.0/24 require $seal key k
	done
	missing=$(count_of b srnic1 sth_missing)
	attacked "$seal"
	readable=true
	[[ $seal != aead* ]] || readable=false
	grep -q "{\"read\": $readable, \"answered\": false, \"alive\": [1-9]" /run/test/cm.json ||
		fail "under $seal: $(cat /run/test/cm.json)"
	[ $readable = false ] || [ "$(count_of b srnic1 sth_missing)" -gt "$missing" ] ||
		fail "no forged DREQ has come"
done
testbed down
