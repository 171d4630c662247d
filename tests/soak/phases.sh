#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: debug
# what: a connection goes on when its sub-keys are used up: packets name all phases, no nonce occurs twice, nothing fails
# timeout: 3600
# cites: protocol.md 10
. "$(dirname "$0")/../lib.sh"

parameters=/sys/module/srnic/parameters
# byte 4 of the BTH, behind the header of UDP
phase='udp[12] & 3'

# seen FILTER: count the captured RoCE packets that match
seen()
{
	tcpdump -nr /run/test/wire.pcap "udp dst port 4791 and ($1)" 2>/dev/null | wc -l
}

for seal in "aead aes-gcm-128" "header hmac-sha256 uncached"; do
	read -r mode suite uncached <<<"$seal"
	say "$seal"
	testbed up --netem "loss 0.5%" --policy "require:$mode:$suite"
	for end in a b; do
		on $end srnic policy replace 10.77.0.0/24 require "$mode" "$suite" key testbed ${uncached:+uncached}
	done
	# with 2^26, this would take a day
	echo 2000 >$parameters/emissions
	record
	LIMIT=1600 pair in b srnic-verify -d srnic1 -m 256 --psn 0xfffc00 --bulk 8000000 --patience 1500 -- \
		in a srnic-verify -d srnic0 -m 256 --psn 0xfffc00 --bulk 8000000 --patience 1500 10.77.0.2
	tail -n 1 "$OUT"
	recorded
	expect_count a srnic0 sth_sealed -gt 10000
	for n in 0 1 2 3; do
		count=$(seen "src 10.77.0.1 and $phase = $n and udp[8] < 0xc0")
		say "$count packets of phases $n, $((n + 4)), …"
		[ "$count" -gt 100 ] || fail "the phases are not all there"
	done
	[ "$(cat $parameters/nonces_fell)" -eq 0 ] || fail "a counter did not rise"
	testbed down
done
