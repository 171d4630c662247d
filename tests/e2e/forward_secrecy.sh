#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock only
# what: with the key and a recording of all packets, neither the codec nor the dissector opens a connection; with its secret, both open all of it; the secret of an earlier connection is not to be had
# easy: yes
# timeout: 300
# cites: protocol.md 7 (forward secrecy), threat-model.md 54
. "$(dirname "$0")/../lib.sh"

all=send,send_inline,send_imm,send_inv,write,write_imm,read,cmp_swap,fetch_add,atomic_write
seals=(aes-gcm-128:aead aes-gcm-256:opaque chacha20-poly1305:aead aes-cmac-128/96:packet hmac-sha256:header)
events=/sys/kernel/tracing/kprobe_events

# traffic: run a connection for each seal, across the end of an epoch
traffic()
{
	sealed_each --ops $all --sizes 0,5,3000 --offsets 1 -m 1024 --psn 0xffffe0 --timeout 20
}

# sealed: number of packets that both ends have sealed
sealed()
{
	echo $(($(count_of a srnic0 sth_sealed) + $(count_of b srnic1 sth_sealed)))
}

# by_codec PCAP [OPTION...]: number of packets that the codec opens
by_codec()
{
	"$repo/tools/codec/capture.py" "${@:2}" /run/test/k.key "$1" "${seals[@]}" \
		>/run/test/codec.log 2>&1 || true
	awk '/ packets of / { total += $3 } END { print total + 0 }' /run/test/codec.log
}

# by_dissector PCAP [OPTION...]: number of packets that the dissector verifies
by_dissector()
{
	tshark -n -r "$1" -X "lua_script:$repo/tools/dissector/srnic.lua" \
		-o srnic.keys:/run/test/k.key "${@:2}" \
		-Y 'srnic.sth.tag.status == 1 and srnic.opcode < 0xc0' 2>/run/test/tshark.log | wc -l
}

# closed WHAT PCAP SECRETS: check that nothing opens it
closed()
{
	local codec=() dissector=() opened
	if [ "$3" ]; then
		codec=(--secrets "$3")
		dissector=(-o "srnic.secrets:$3")
	fi
	opened=$(by_codec "$2" "${codec[@]}")
	[ "$opened" -eq 0 ] || fail "$1: the codec opens $opened packets"
	grep -q 'no secret is known' /run/test/codec.log || fail "$1: $(cat /run/test/codec.log)"
	opened=$(by_dissector "$2" "${dissector[@]}")
	[ "$opened" -eq 0 ] || fail "$1: the dissector opens $opened packets"
}

# open BEFORE: check that all packets sealed since BEFORE are opened by both
open()
{
	local sent opened
	sent=$(($(sealed) - $1))
	opened=$(by_codec /run/test/wire.pcap --secrets /run/test/secrets)
	grep -q '^0 refused, 0 without' /run/test/codec.log || fail "codec: $(cat /run/test/codec.log)"
	[ "$opened" -eq $sent ] || fail "the codec opens $opened of $sent packets"
	opened=$(by_dissector /run/test/wire.pcap -o srnic.secrets:/run/test/secrets)
	[ "$opened" -eq $sent ] || fail "the dissector opens $opened of $sent packets"
	say "$sent packets are open"
}

say "without the module there is nothing to see"
! srnic-secrets 2>/run/test/err || fail "srnic-secrets runs without the module"
grep -q 'modprobe srnic' /run/test/err || fail "$(cat /run/test/err)"

testbed up
single_packets
(umask 077 && on a srnic key gen k --file /run/test/k.key)
on b srnic key add k --file /run/test/k.key

say "a connection that nobody watches"
record
traffic
recorded
mv /run/test/wire.pcap /run/test/before.pcap

say "and one with srnic-secrets"
before=$(sealed)
record
secrets_start
grep -q srnic_secrets $events || fail "srnic-secrets has no event"
[ "$(stat -c %a /run/test/secrets)" = 600 ] || fail "others can read the secrets"
traffic
recorded
secrets_stop
! grep srnic_secrets $events || fail "srnic-secrets leaves its event"
for left in /sys/kernel/tracing/instances/srnic_secrets*; do
	[ ! -e "$left" ] || fail "srnic-secrets leaves $left"
done

say "who has the key and the recording"
closed "the key alone" /run/test/wire.pcap ''
closed "the key, of an earlier connection" /run/test/before.pcap ''
closed "secrets of later connections" /run/test/before.pcap /run/test/secrets
say "who has the secrets, too"
open "$before"

say "one that was killed is cleared away by the next one"
secrets_start
kill -KILL $collector
wait $collector 2>/dev/null || true
grep -q srnic_secrets $events || fail "it is gone before the next one"
secrets_start
[ "$(grep -c srnic_secrets $events)" -eq 1 ] || fail "it is still there: $(cat $events)"
secrets_stop
testbed down
