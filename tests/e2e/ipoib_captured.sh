#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock only
# what: of sealed IP over InfiniBand nothing is on the wire in the clear: the codec and the dissector open all of a capture, and no counter is used twice
# easy: yes
# timeout: 400
# cites: rfc4391.md I35, protocol.md sections 1, 11 and 17
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../ib.sh"

seals=(aes-cmac-128:packet aes-gcm-128:aead)

testbed up
single_packets
ib_keys
record
# rping's connections need their secrets; datagrams do not
secrets_start
for seal in "${seals[@]}"; do
	say "$seal"
	ib_rules require "${seal#*:}" "${seal%:*}"
	ib_up a
	ib_up b
	ib_traffic
	ib_delete a
	ib_delete b
done
recorded
secrets_stop

say "opened by the codec: unicast, and the groups of IPv4 and IPv6"
"$repo/tools/codec/capture.py" --ipoib --secrets /run/test/secrets --group /run/test/g.key \
	/run/test/k.key /run/test/wire.pcap "${seals[@]}" | tee /run/test/opened
for group in ff12:401b:ffff::ffff:ffff ff12:401b:ffff::f01:203 ff12:601b:ffff::1:ff00:1; do
	grep -q "^$group: [0-9]* datagrams" /run/test/opened || fail "none to $group"
done

say "and by the dissector, the same number"
sealed=$(awk '/ packets of / { n += $3 } END { print n }' /run/test/opened)
"$repo/tools/dissector/check_capture.py" --ipoib --secrets /run/test/secrets \
	"/run/test/k.key;/run/test/g.key" /run/test/wire.pcap "$sealed" "${seals[@]}"

say "without a rule, the same tools find packets in the clear"
record
for end in a b; do
	on $end srnic policy del fe80::/64
	on $end srnic policy del ff12::/16
done
ib_up a
ib_up b
on a ping -c 1 -W 60 10.78.0.2
recorded
! "$repo/tools/codec/capture.py" --ipoib --group /run/test/g.key /run/test/k.key \
	/run/test/wire.pcap "${seals[0]}" >/run/test/clear 2>&1 || fail "$(cat /run/test/clear)"
grep -q 'STH code' /run/test/clear || fail "$(cat /run/test/clear)"
ib_delete a
ib_delete b
testbed down
