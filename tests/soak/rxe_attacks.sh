#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: runs the attacks of RFC 5042's table on rxe, where they apply, and reports the results for the table
# easy: yes
# timeout: 240
# cites: issue 5 (rxe's outcome beside ours)
. "$(dirname "$0")/../lib.sh"

# attack SECONDS COMMAND...: log to /run/test/log; the command fails where attacks succeed
attack()
{
	timeout "$@" >/run/test/log 2>&1 || true
}

# verdicts N SED-COMMAND...: extract the verdicts from the log; fail if there are fewer than
# N
verdicts()
{
	local n
	sed -nE "$2" /run/test/log >/run/test/verdicts
	n=$(wc -l </run/test/verdicts)
	[ "$n" -ge "$1" ] || fail "$n verdicts, and there should be $1: $(tail -n 5 /run/test/log)"
	cat /run/test/verdicts
}

testbed up --type interop
say "what belongs to somebody else"
attack 3000 "$repo/tests/programs/isolation.py" rxe0
# Count as success: a forbidden operation was done, or memory has changed. Any other
# difference from srnic shows nothing. R22 (safe queues) exists only in srnic.
verdicts 55 '/ R22: /d; /^ok   R/p; /^FAIL R.*(: done, not|memory has changed)/p'

say "rights, and not srnic's own sizes; what is refused with another errno is refused"
attack 300 "$repo/tests/programs/limits.py" rxe0
verdicts 8 '/^.{5}R(16|28|32):/!d; s/^FAIL (.*: E[A-Z]+), not E[A-Z]+$/ok   \1/; p'

say "a peer played by hand"
ethtool -K va tx-udp-segmentation off >/dev/null
on b tc qdisc add dev vb root netem delay 20ms
attack 3000 "$repo/tests/programs/scripted.py" --device rxe0 --gid-index "$(gid_of a rxe0)" \
	--netns b --dev vb --mac "$(</sys/class/net/va/address)" --from 10.77.0.2 --to 10.77.0.1
verdicts 4 's/^(ok  |FAIL) (replays_do_not_take.*)/\1 R23: \2/p
	s/^(ok  |FAIL) (more_reads_than.*)/\1 R24: \2/p
	s/^(ok  |FAIL) (answers_are_repeated.*)/\1 R25: \2/p
	s/^(ok  |FAIL) (only_a_read_of_nothing.*)/\1 R16: \2/p'

say "a hog of a shared receive queue"
attack 400 "$repo/tests/programs/fairness.py" rxe0
verdicts 1 's/^one of the others got .*/FAIL R20: &/p
	s/^hog .* others:( (0\.[89]|[1-9]\.)[0-9]*)+$/ok   R20: &/p'
testbed down

# rxe warns about late references to a QP (rxe_pool.c): this is not a fault of srnic
dmesg -C
