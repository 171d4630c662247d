#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock only
# what: the codec and the dissector open all captured datagrams of hosts, groups and the connection manager; no counter is used twice
# easy: yes
# timeout: 400
# cites: protocol.md 11, issue 4.4, issue 4.7
. "$(dirname "$0")/../lib.sh"

seals=(aes-gcm-128:aead aes-cmac-128:packet aes-gcm-192:opaque)

testbed up
single_packets
(umask 077 && on a srnic key gen k --file /run/test/k.key
	on a srnic key gen g --file /run/test/g.key)
on b srnic key add k --file /run/test/k.key
on b srnic key add g --file /run/test/g.key
record
# Datagrams need no secret; the connection of rping does
secrets_start
for seal in "${seals[@]}"; do
	say "$seal"
	for end in a b; do
		on $end srnic policy replace 10.77.0.0/24 require "${seal#*:}" "${seal%:*}" key k
		on $end srnic policy replace 239.7.0.0/16 require "${seal#*:}" "${seal%:*}" key g
	done
	pair in b udaddy -b 10.77.0.2 -c 2 -C 10 -- in a udaddy -s 10.77.0.2 -c 2 -C 10
	pair in b timeout 300 mckey -m 239.7.7.7 -b 10.77.0.2 -C 5 -- \
		in a mckey -m 239.7.7.7 -b 10.77.0.1 -s -C 5
	pair in b rping -s -a 10.77.0.2 -C 3 -- in a rping -c -a 10.77.0.2 -C 3
done
recorded
secrets_stop
for end in "a srnic0" "b srnic1"; do
	for name in sth_auth_failed sth_replayed sth_missing policy_exempt; do
		# shellcheck disable=SC2086 # two words
		expect_count $end $name -eq 0
	done
done
say "opened by the codec"
"$repo/tools/codec/capture.py" --datagrams --secrets /run/test/secrets --group /run/test/g.key \
	/run/test/k.key /run/test/wire.pcap "${seals[@]}"
say "and by the dissector"
sealed=$(($(count_of a srnic0 sth_sealed) + $(count_of b srnic1 sth_sealed)))
"$repo/tools/dissector/check_capture.py" --datagrams --secrets /run/test/secrets \
	"/run/test/k.key;/run/test/g.key" /run/test/wire.pcap $sealed "${seals[@]}"
testbed down
