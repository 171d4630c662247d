#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock only
# what: a forged handshake frame that a connection does not expect is compared with its state in softirq, and costs no HMAC: hardly more than one with a wrong ICRC
# counted: instructions of a frame, of sender and receiver together
# timeout: 240
# cites: issue 23.6, protocol.md section 7
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../probes.sh"

count=${SRNIC_FLOOD:-500}
# An HMAC-SHA-256 of a frame is five compressions, each of a thousand instructions or more
most=1000

# flood KIND: send frames to b's QP. Sets `each` to the instructions of one.
flood()
{
	on a srnic-garbage "$1" va "$(on b cat /sys/class/net/vb/address)" 10.77.0.1 10.77.0.2 "$qpn" "$count" >/run/test/flood
	each=$(sed -n 's/.* each \([0-9]*\) ns/\1/p' /run/test/flood)
	say "$1: $each instructions a frame"
}

# The kernel waits a minute for an algorithm, and the clock runs ahead while a module is read:
# ask until all are there
modprobe srnic
(umask 077 && od -A n -v -t x1 -w32 -N 32 /dev/urandom | tr -d ' ' >/run/test/key)
tries=0
until unshare -n sh -c 'srnic key add warm --file /run/test/key &&
	srnic policy add 192.0.2.0/24 require aead aes-gcm-128 key warm'; do
	((++tries < 20)) || fail "the kernel has no aes-gcm-128"
done
testbed up --policy require:aead:aes-gcm-128
# the PSN that the frames have: the state, the nonces and the key refuse them
options=(--ops=write --sizes 64 --offsets 1 --psn 0x1234 --timeout 20 --until /run/test/done)
# As long as the runner waits: the clock runs ahead while this machine waits for the host
LIMIT=4800 pair in b srnic-verify -d srnic1 "${options[@]}" -- \
	in a srnic-verify -d srnic0 "${options[@]}" 10.77.0.2 &
stream=$!
# Not by soon(), for the same reason
until beyond 100 b srnic1 rcvd_pkts; do
	kill -0 $stream 2>/dev/null || fail "there is no stream"
	sleep 1
done
qpn=$(on b rdma resource show qp link srnic1 | sed -n 's/.* lqpn \([0-9]*\) .*type RC state RTS.*/\1/p')
pkill -STOP -x srnic-verify

handshakes=$(count_of b srnic1 sth_handshakes)
sent=$(count_of b srnic1 sent_pkts)
flood frame-icrc
before=$each
for kind in hello confirm; do
	flood $kind
	say "$((each - before)) more than one with a wrong ICRC, which is counted"
	((each - before <= most)) || fail "that is more than $most"
done
if [ -e $tracing/kprobe_events ]; then
	probe srnic_sth_hs_check srnic_sth_hs_rx
	for kind in hello confirm; do
		checked=$(taken srnic_sth_hs_check)
		flood $kind
		checked=$(($(taken srnic_sth_hs_check) - checked))
		[ "$checked" -eq "$count" ] || fail "$kind: $checked of $count frames have come to the check"
		verified=$(taken srnic_sth_hs_rx)
		[ "$verified" -eq 0 ] || fail "$kind: $verified frames have cost an HMAC"
	done
	no_probes
fi
[ "$(count_of b srnic1 sth_handshakes)" -eq "$handshakes" ] || fail "a forged frame was taken"
[ "$(count_of b srnic1 sent_pkts)" -eq "$sent" ] || fail "a forged frame was answered"
expect_count b srnic1 sth_crowded -eq 0

say "frames of another version are told apart"
flood hello-newer
expect_count b srnic1 sth_version -eq "$count"

pkill -CONT -x srnic-verify
touch /run/test/done
wait $stream || fail "the stream did not survive"
testbed down
