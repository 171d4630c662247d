#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock only
# what: every suite carries every opcode, and the independent codec opens all captured packets
# easy: yes
# timeout: 200
# cites: P1, P2, P5, P6, issue 4.1
. "$(dirname "$0")/../lib.sh"

all=send,send_inline,send_imm,send_inv,write,write_imm,read,cmp_swap,fetch_add,atomic_write

# choose: print SUITE:MODE lines for the kernel's suites: one mode of each in turn, or all
choose()
{
	awk -v every="${SRNIC_EVERY_MODE-}" 'NR > 1 {
		n = split($2, mode, ",")
		for (i = 1; i <= n; i++)
			if (every || i == NR % n + 1)
				print $1 ":" mode[i]
	}' /run/test/suites
}

bed()
{
	testbed up
	single_packets
	(umask 077 && on a srnic key gen k --file /run/test/k.key)
	on b srnic key add k --file /run/test/k.key
}

bed
on a srnic suite list >/run/test/suites
! grep -v 'yes *$' /run/test/suites | grep -v AVAILABLE || fail "a suite is not available"
mapfile -t seals < <(choose)
record
secrets_start
say "${#seals[@]} seals"
sealed_each --ops $all --sizes 0,5,3000 --offsets 1 -m 1024 --timeout 20
neither sth_auth_failed sth_replayed
sent_once a srnic0
sent_once b srnic1
recorded
secrets_stop
say "opened by the codec"
"$repo/tools/codec/capture.py" --secrets /run/test/secrets /run/test/k.key /run/test/wire.pcap \
	"${seals[@]}"
say "done"
testbed down
