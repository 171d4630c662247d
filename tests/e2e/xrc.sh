#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: processes that share an XRC target receive what names their queues, and no other memory is reached, in the clear and sealed
# easy: yes
# timeout: 240
# cites: R7, R12, R26, R28, P1, P2, section 2
. "$(dirname "$0")/../lib.sh"

# shared: the targets' end on b, the initiator on a
shared()
{
	pair in b srnic-xrc srnic1 /run/test/domain -- in a srnic-xrc srnic0 - 10.77.0.2
	cat "$OUT"
}

# no_remains: all objects of b have gone, those that processes had left included
no_remains()
{
	local what
	for what in qp srq mr cq; do
		on b rdma resource show $what >/run/test/remains
		! grep -q srnic-xrc /run/test/remains || return 1
	done
}

key=/run/xrc.key
(umask 077 && od -A n -v -t x1 -w32 -N 32 /dev/urandom | tr -d ' ' >$key)
# secrets for the codec: where the kernel has no kprobes, as user-mode Linux, they cannot be had
opened=
[ ! -e /sys/kernel/tracing/kprobe_events ] && [ ! -e /sys/kernel/debug/tracing/kprobe_events ] ||
	opened=yes
# The mode that covers only headers, and the one that hides them, XRC's among them
modes=${SRNIC_POLICIES:-require:header:aes-cmac-128 require:opaque:aes-gcm-256}
for policy in '' $modes; do
	say "${policy:-in the clear}"
	cp $key $key.bed	# the test bed removes it
	testbed up ${policy:+--policy "$policy" --key $key.bed}
	captured=${policy:+$opened}
	if [ -n "$captured" ]; then
		single_packets
		record
		secrets_start
	fi
	shared
	expect_count b srnic1 wrong_srq -ge 4
	expect_count b srnic1 stag_pd -ge 3
	soon no_remains || fail "objects remain"
	[ -z "$policy" ] || neither sth_auth_failed sth_replayed
	if [ -n "$captured" ]; then
		recorded
		secrets_stop
		IFS=: read -r _ mode suite <<<"$policy"
		"$repo/tools/codec/capture.py" --xrc --secrets /run/test/secrets \
			$key /run/test/wire.pcap "$suite:$mode"
	fi
	testbed down
done
