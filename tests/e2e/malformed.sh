#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: malformed packets of every kind are dropped, counted by reason, and change nothing
# easy: yes
# timeout: 240
# cites: P11, issue 2 (bad input)
. "$(dirname "$0")/../lib.sh"

# attack KINDS-OPTION...: inject packets into a running rping, which must finish without
# error
attack()
{
	frozen in a srnic-malform --dev va --from 10.77.0.1 --to 10.77.0.2 "$@"
	tail -n 1 /run/test/attack.log >/run/test/sent.json
	cat /run/test/sent.json
	[ $SURVIVED = yes ] || fail "the connection died: $(tail -n 2 /run/test/c.log)"
}

sent()
{
	python3 -c 'import json,sys; print(sum(json.load(open("/run/test/sent.json")).get(k, 0) for k in sys.argv[1:]))' "$@"
}

# grew COUNTER BY: whether the counter has grown by at least BY
grew()
{
	local now was=${before[$1]}
	now=$(count_of b srnic1 "$1")
	[ $((now - was)) -ge "$2" ] || fail "counter $1 grew by $((now - was)), expected at least $2"
}

say "in the clear"
testbed up
declare -A before
for name in malformed unknown_opcode icrc_errors sth_unexpected no_qp; do
	before[$name]=$(count_of b srnic1 $name)
done
attack --not wrong_sth
grew malformed "$(sent truncated bad_udp_length sth_cut_short bad_version bad_pad)"
grew unknown_opcode "$(sent unknown_opcode other_transport)"
grew icrc_errors "$(sent wrong_icrc)"
grew no_qp "$(sent unknown_qp)"
testbed down

say "behind a seal"
testbed up --policy require:packet:aes-cmac-128
for name in malformed unknown_opcode icrc_errors sth_missing sth_unexpected sth_auth_failed; do
	before[$name]=$(count_of b srnic1 $name)
done
attack
grew malformed "$(sent truncated bad_udp_length sth_cut_short bad_version bad_pad)"
grew sth_missing 1
grew sth_unexpected 6
grew sth_auth_failed 1
testbed down
