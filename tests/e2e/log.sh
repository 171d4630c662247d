#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: srnic log shows dropped packets to users who may see them, and prints new ones as they arrive
# easy: yes
# timeout: 120
# cites: R25, RFC 5042 6.4.4
. "$(dirname "$0")/../lib.sh"

begin=$(date +%s%N)
testbed up --policy require:packet:aes-cmac-128
[ -z "$(on b srnic log)" ] || fail "something was refused before anything happened: $(on b srnic log)"
on b srnic -j log follow dev srnic1 >/run/test/follow &
on b srnic log follow dev srnic0 >/run/test/other 2>/run/test/other.err &

say "a stranger who sends what is wrong in every way"
frozen in a srnic-malform --dev va --from 10.77.0.1 --to 10.77.0.2
[ $SURVIVED = yes ] || fail "the connection died: $(tail -n 2 /run/test/c.log)"
on b srnic log
on b srnic -j log >/run/test/log.json
on b rdma -j statistic show link srnic1/1 >/run/test/counters.json

say "who, what, when, and how often; and who watched has seen the same"
# told: whether there are as many lines as entries, and the last line is complete
told() { [ "$(wc -l </run/test/follow)" -ge "$(grep -o '"reason"' /run/test/log.json | wc -l)" ]; }
soon told || fail "who watches is not told: $(cat /run/test/follow)"
python3 - "$begin" "$(date +%s%N)" <<'END'
import json
import sys

log = json.load(open("/run/test/log.json"))
counters = json.load(open("/run/test/counters.json"))[0]
for reason in ("malformed", "unknown_opcode", "icrc_errors", "sth_missing", "sth_unexpected",
               "sth_auth_failed"):
    entries = [e for e in log if e["reason"] == reason]
    assert entries, f"nothing about {reason}"
    assert {e["peer"] for e in entries} == {"10.77.0.1"}, f"{reason}: from others than the attacker"
    assert all(int(sys.argv[1]) <= e["time"] <= int(sys.argv[2]) for e in entries), f"{reason}: when?"
    counted = sum(e["count"] for e in entries)
    assert 0 < counted <= counters[reason], f"{reason}: {counted} of {counters[reason]}"
assert all(e["qpn"] > 1 for e in log if e["reason"] == "sth_auth_failed"), "to which QP?"
followed = [json.loads(line) for line in open("/run/test/follow")]
assert followed == log, f"told: {followed}"
END
grep -q "no srnic device 'srnic0'" /run/test/other.err || fail "followed a device of another namespace"
! on a srnic log | grep srnic1 || fail "another namespace sees it"

user() { on b setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all "$@"; }
say "not for everybody"
! user srnic log 2>/run/test/err || fail "the log is public"
grep -q 'CAP_NET_ADMIN' /run/test/err || fail "$(cat /run/test/err)"
! user timeout 100 srnic log follow 2>/run/test/err || fail "the events are public"
grep -q 'CAP_NET_ADMIN' /run/test/err || fail "$(cat /run/test/err)"
testbed down
