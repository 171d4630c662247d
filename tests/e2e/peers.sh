#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: faults of an unknown sender are counted by kind; a peer can be cut off by rule or by hand and be allowed again, without effect on other peers
# easy: yes
# timeout: 400
# cites: R25, RFC 5042 6.4.4
. "$(dirname "$0")/../lib.sh"

stranger=10.77.0.9

# member FILE ADDRESS WHAT: print a member of the peer's record, such as a kind of fault; 0
# if missing
member()
{
	python3 - "$@" <<'END'
import json
import sys

peers = {p["peer"]: {**p, **p["faults"]} for p in json.load(open(sys.argv[1]))}
print(int(peers.get(sys.argv[2], {}).get(sys.argv[3], 0)))
END
}

# of ADDRESS WHAT: the current value at srnic1
of()
{
	on b srnic -j peer show srnic1 >/run/test/now.json
	member /run/test/now.json "$@"
}

# was ADDRESS WHAT: the value at srnic1 at the end of the last attack
was()
{
	member /run/test/then.json "$@"
}

# sent [NOT]: number of packets that the stranger has sent, except those of kind NOT
sent()
{
	tail -n 1 /run/test/attack.log |
		python3 -c 'import json,sys; print(sum(n for k, n in json.load(sys.stdin).items() if k not in sys.argv))' "$@"
}

# watched COMMAND...: run COMMAND and save srnic1's records while its QPs still exist
watched()
{
	"$@"
	on b srnic -j peer show srnic1 >/run/test/then.json
	on b rdma -j -dd resource show qp link srnic1 >/run/test/qps.json
}

# attack: inject packets from a stranger that knows all numbers of a running connection
attack()
{
	frozen watched in a srnic-malform --dev va --from 10.77.0.1 --to 10.77.0.2 --as $stranger \
		--not wrong_sth
	tail -n 1 /run/test/attack.log
	[ $SURVIVED = yes ] || fail "the connection died: $(tail -n 2 /run/test/c.log)"
	on b srnic peer
}

testbed up
say "datagrams that are longer than our own buffers are nobody's fault"
in-b timeout 60 ibv_ud_pingpong -d srnic1 -g "$(gid_of b srnic1)" -s 64 >/run/test/s.log 2>&1 &
server=$!
settle $server ibv_ud_pingpong
on a timeout 5 ibv_ud_pingpong -d srnic0 -g "$(gid_of a srnic0)" -s 512 -n 10 10.77.0.2 \
	>/run/test/c.log 2>&1 || true
kill $server 2>/dev/null || true
wait $server || true
expect_count b srnic1 ud_too_long -gt 0
expect_count b srnic1 malformed -eq 0

say "without a rule he is counted, by kind"
[ -z "$(on b srnic peer)" ] || fail "there are peers before anything happened: $(on b srnic peer)"
attack
[ "$(of $stranger garbage)" -eq "$(sent unknown_qp)" ] || fail "garbage: not $(sent unknown_qp)"
[ "$(of $stranger astray)" -eq "$(($(sent) - $(sent unknown_qp)))" ] || fail "astray"
[ "$(of $stranger cut_off)" -eq 0 ] || fail "cut off without a rule"
[ "$(of 10.77.0.1 garbage)" -eq 0 ] || fail "the honest peer is blamed for it"
! on a srnic peer | grep $stranger || fail "another device has it"
expect_count b srnic1 peer_cut_off -eq 0
python3 - <<'END'
import json

qps = json.load(open("/run/test/qps.json"))
assert max(qp.get("drv_faults_garbage", 0) for qp in qps) > 0, f"the one he meant has nothing: {qps}"
END

# Cut off for so long that the stranger is still cut off when the test looks
say "by rule he is cut off, and the connection goes on"
on b srnic limit set srnic1 cutoff 3600
on b srnic limit set srnic1 faults 20
before=$(($(of $stranger garbage) + $(of $stranger astray)))
attack
[ "$(was $stranger cut_off)" -eq 1 ] || fail "not cut off"
left=$(was $stranger seconds)
((left > 0 && left <= 3600)) || fail "for $left seconds"
dropped=$(of $stranger dropped)
[ "$dropped" -gt 0 ] || fail "nothing was dropped"
expect_count b srnic1 peer_cut_off -eq "$dropped"
after=$(($(of $stranger garbage) + $(of $stranger astray)))
[ $((after - before + dropped)) -eq "$(sent)" ] || fail "$after and $before, $dropped dropped"

say "and comes back in time"
on b srnic peer allow srnic1 $stranger
on b srnic limit set srnic1 cutoff 2
attack
[ "$(of $stranger dropped)" -gt "$dropped" ] || fail "not cut off by the rule"
back() { [ "$(of $stranger cut_off)" -eq 0 ]; }
soon back || fail "still cut off"
on b srnic limit set srnic1 faults none
dropped=$(of $stranger dropped)
before=$(of $stranger garbage)
attack
[ "$(of $stranger dropped)" -eq "$dropped" ] || fail "packets are dropped still"
[ "$(of $stranger garbage)" -gt "$before" ] || fail "he is not counted any more"

say "by hand"
timeout 3000 in-b rping -s -P -a 10.77.0.2 >/run/test/s.log 2>&1 &
server=$!
settle $server rping
heard()
{
	timeout 300 in-a rping -c -v -a 10.77.0.2 -C 3 >/run/test/c.log 2>&1 && grep -q 'ping data' /run/test/c.log
}
heard || fail "there is no way: $(cat /run/test/c.log)"
on b srnic peer cut srnic1 10.77.0.1
in-a rping -c -v -a 10.77.0.2 -C 3 >/run/test/c.log 2>&1 &
client=$!
# dropped: whether the first request and a retransmission have been dropped
dropped() { [ "$(of 10.77.0.1 dropped)" -ge 2 ]; }
soon dropped || fail "nothing was dropped: $(cat /run/test/c.log)"
! grep 'ping data' /run/test/c.log || fail "who is cut off by hand was heard"
kill $client || true
wait $client || true
[ "$(of 10.77.0.1 seconds)" -eq 0 ] || fail "it ends by itself"
on b srnic peer allow srnic1 10.77.0.1
heard || fail "who is allowed again was not heard: $(cat /run/test/c.log)"
kill $server
wait $server || true

say "what cannot be, and who may not"
! on b srnic peer allow srnic1 10.77.0.1 2>/run/test/err || fail "allowed twice"
grep -q 'this peer is not cut off' /run/test/err || fail "$(cat /run/test/err)"
! on b srnic peer cut srnic1 10.77.0.1 seconds 99999999 2>/run/test/err || fail "for three years"
grep -q 'seconds must be at most 2073600' /run/test/err || fail "$(cat /run/test/err)"
user() { on b setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all "$@"; }
for what in "peer" "peer cut srnic1 10.77.0.1" "peer allow srnic1 10.77.0.1"; do
	# shellcheck disable=SC2086 # words of a command
	! user srnic $what 2>/run/test/err || fail "anybody may: $what"
	grep -q 'CAP_NET_ADMIN' /run/test/err || fail "$(cat /run/test/err)"
done
testbed down
