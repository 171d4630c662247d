#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: tracepoints report every sealed, opened and dropped packet, dropped ones with the reason
# easy: yes
# timeout: 180
# cites: issue 4.7
. "$(dirname "$0")/../lib.sh"

trace=/sys/kernel/tracing
reasons=(malformed unknown_opcode icrc_errors no_qp wrong_state wrong_address sth_missing
	sth_unexpected sth_auth_failed sth_replayed stag_invalid stag_bounds stag_access)

# traced WORDS: number of lines about srnic1 with these words
traced()
{
	grep -c "$1" /run/test/trace || true
}

# counters: print all counters of srnic1
counters()
{
	on b rdma statistic show link srnic1/1
}

# agree COUNTER EVENT-WORDS: check that the trace has as many lines as the counter has grown
# by
agree()
{
	local grown lines
	[[ $now =~ \ $1\ ([0-9]+) ]] || fail "srnic1 has no counter $1"
	grown=$((BASH_REMATCH[1] - ${before[$1]}))
	lines=$(traced "$2")
	[ $grown -eq "$lines" ] || fail "counter $1 grew by $grown, and $lines lines tell of it"
	[ "$lines" -eq 0 ] || echo "$1: $lines"
}

testbed up --policy require:packet:aes-cmac-128
echo 16384 >$trace/buffer_size_kb
declare -A before
for name in sth_sealed sth_opened "${reasons[@]}"; do
	before[$name]=$(count_of b srnic1 "$name")
done
echo 1 >$trace/events/srnic/enable

say "a sealed connection, and a stranger who sends what is wrong in every way"
frozen in a srnic-malform --dev va --from 10.77.0.1 --to 10.77.0.2
[ $SURVIVED = yes ] || fail "the connection died: $(tail -n 2 /run/test/c.log)"
# The connection manager still ends the connection, by sealed datagrams: the trace is compared
# with counters that stood still while it was read.
now=
until [ "$now" = "$(counters)" ]; do
	now=$(counters)
	grep 'srnic1' $trace/trace >/run/test/trace
done
echo 0 >$trace/events/srnic/enable
! grep -q 'LOST' $trace/trace || fail "the ring of traces was too small"

agree sth_sealed ' srnic_sealed: srnic1 '
agree sth_opened ' srnic_opened: srnic1 '
for name in "${reasons[@]}"; do
	agree "$name" "srnic1 $name: from "
done

say "each with whom it says that it is from, and to which QP"
for name in malformed unknown_opcode icrc_errors sth_missing sth_unexpected sth_auth_failed; do
	[ "$(traced "srnic1 $name: from ::ffff:10.77.0.1")" -gt 0 ] ||
		fail "$name: $(grep -m 1 "$name" /run/test/trace)"
done
[ "$(traced 'sth_auth_failed: .* to qp [1-9][0-9]*, opcode 0x0[0-9a-f] ')" -gt 0 ] ||
	fail "$(grep -m 1 sth_auth_failed /run/test/trace)"
testbed down
