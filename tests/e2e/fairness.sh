#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# kernel: stock
# what: of 16 connections that share a receive queue, one greedy connection leaves the others their share
# easy: yes
# timeout: 300
# cites: R20
. "$(dirname "$0")/../lib.sh"

testbed up
say "a hog and 15 others, all faster than the consumer"
on a "$repo/tests/programs/fairness.py" srnic0 rdma -j -dd resource show qp >/run/test/out
tee /run/test/got < <(head -n 1 /run/test/out)

say "it is counted and told, and nobody has been refused as often as the hog"
expect_count a srnic0 srq_unfair -gt 0
grep -q srq_unfair < <(on a srnic log) || fail "the log does not have it"
tail -n +2 /run/test/out >/run/test/qps.json
python3 - "$(awk '{ print $2 + 0 }' /run/test/got)" <<'END'
import json
import sys

qps = json.load(open("/run/test/qps.json"))
refused = {qp["lqpn"]: qp["drv_srq_unfair"] for qp in qps if qp.get("drv_srq_most")}
assert len(refused) == 16, f"{len(refused)} took something"
assert max(refused, key=refused.get) == int(sys.argv[1]), refused
END

say "unless the administrator says that they are friends"
before=$(count_of a srnic0 srq_unfair)
on a srnic limit set srnic0 greed 1
on a "$repo/tests/programs/fairness.py" srnic0 >/run/test/out 2>&1 || true
head -n 1 /run/test/out
expect_count a srnic0 srq_unfair -eq "$before"
testbed down
