#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: IPsec policies for port 4791 cover all traffic, including whole super-packets, and are enforced on receipt
# easy: yes
# timeout: 180
# cites: R3, R4
. "$(dirname "$0")/../lib.sh"

testbed up

# associate SPI-FROM-A SPI-FROM-B: give both ends SAs for both directions, with a new key
associate()
{
	local key end way from to spi
	key=0x$(head -c 20 /dev/urandom | od -An -tx1 | tr -d ' \n')
	for end in a b; do
		for way in "10.77.0.1 10.77.0.2 $1" "10.77.0.2 10.77.0.1 $2"; do
			read -r from to spi <<<"$way"
			on $end ip xfrm state add src "$from" dst "$to" proto esp spi "$spi" \
				mode transport aead 'rfc4106(gcm(aes))' "$key" 128
		done
	done
}
associate 0x101 0x102

# policy END DIR FROM TO
policy()
{
	on "$1" ip xfrm policy add dir "$2" src "$3" dst "$4" proto udp dport 4791 \
		tmpl src "$3" dst "$4" proto esp mode transport
}
policy a out 10.77.0.1 10.77.0.2
policy a in 10.77.0.2 10.77.0.1
policy b out 10.77.0.2 10.77.0.1
policy b in 10.77.0.1 10.77.0.2

# Path MTU 1024: leave space for IPsec's headers
# shellcheck disable=SC2054 # those commas are the tool's
args=(--ops=send,write,read --sizes "1,1024,1025,70001" --offsets 0,3 -m 1024)
say "all opcodes under ESP"
pair in b srnic-verify -d srnic1 "${args[@]}" -- \
	in a srnic-verify -d srnic0 "${args[@]}" 10.77.0.2
expect_count a srnic0 icrc_errors -eq 0
expect_count b srnic1 icrc_errors -eq 0

sealed=$(sed -n '/current:/{n;s/.*, *\([0-9]*\)(packets).*/\1/p;q}' \
	< <(on b ip -s xfrm state list spi 0x101))
received=$(count_of b srnic1 rcvd_pkts)
say "$received packets received, $sealed of them under ESP"
[ "$sealed" -ge "$received" ] || fail "some packets came in the clear"

say "associations go, and others come, under a stream (R4)"
rm -f /run/test/done
# shellcheck disable=SC2054 # the same
args=(--ops=send,write,read --sizes 1,4000 --offsets 0 --timeout 20 --until /run/test/done)
pair in b srnic-verify -d srnic1 "${args[@]}" -- \
	in a srnic-verify -d srnic0 "${args[@]}" 10.77.0.2 &
stream=$!
received=$(count_of b srnic1 rcvd_pkts)
soon beyond $((received + 100)) b srnic1 rcvd_pkts || fail "there is no stream"
before=$(count_of a srnic0 retransmits)
on a ip xfrm state flush
on b ip xfrm state flush
# silent: whether no more packets are in flight
silent()
{
	received=$(count_of b srnic1 rcvd_pkts)
	sleep 0.5
	[ "$(count_of b srnic1 rcvd_pkts)" -eq "$received" ]
}
soon silent || fail "packets come without an association"
soon beyond "$before" a srnic0 retransmits || fail "nothing was tried again"
[ "$(count_of b srnic1 rcvd_pkts)" -eq "$received" ] || fail "packets came without an association"
kill -0 $stream || fail "the stream has ended"
associate 0x201 0x202
soon beyond "$received" b srnic1 rcvd_pkts || fail "nothing comes under the new association"
touch /run/test/done
wait $stream || fail "the stream has ended"
expect_count a srnic0 retransmits -gt "$before"

say "what should have been sealed and is not is refused"
on a ip xfrm policy flush
before=$(count_of b srnic1 rcvd_pkts)
in-b timeout 600 ibv_rc_pingpong -d srnic1 -g "$(gid_of b srnic1)" -n 10 >/dev/null 2>&1 &
server=$!
settle $server ibv_rc_pingpong
! on a timeout 300 ibv_rc_pingpong -d srnic0 -g "$(gid_of a srnic0)" -n 10 10.77.0.2 \
	>/run/test/c.log 2>&1 || fail "packets in the clear were accepted"
grep -q 'transport retry counter exceeded' /run/test/c.log || fail "nothing was sent: $(cat /run/test/c.log)"
kill $server || true
wait $server || true
[ "$(count_of b srnic1 rcvd_pkts)" -eq "$before" ] || fail "packets in the clear got as far as the device"
# only kernels with these statistics
! on b test -e /proc/net/xfrm_stat || on b grep -E 'XfrmIn(TmplMismatch|NoPols|PolBlock)' /proc/net/xfrm_stat
testbed down
