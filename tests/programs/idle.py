#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""idle - connect two QPs with each other, send nothing, and wait until they end.

Each QP must enter ERR, raise the event QP_FATAL, and flush its receive request.

Example:
    in-a tests/programs/idle.py srnic0		(set the rule soon: srnic limit set srnic0 idle 2)
"""
import argparse
import sys
import time

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPCap, QPInitAttr
from pyverbs.wr import RecvWR, SGE

from endpoint import connection, way_to_self

LIMIT = 600
SPARED = 15


class End:
    """A QP with a receive request."""

    def __init__(self, ctx):
        self.ctx = ctx
        self.pd = PD(ctx)
        self.cq = CQ(ctx, 4)
        self.mr = MR(self.pd, 64, e.IBV_ACCESS_LOCAL_WRITE)
        cap = QPCap(max_send_wr=1, max_recv_wr=1, max_send_sge=1, max_recv_sge=1)
        self.qp = QP(self.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=cap))

    def connect(self, peer):
        self.qp.to_rts(connection(way_to_self(self.ctx), peer.qp.qp_num))
        self.qp.post_recv(RecvWR(num_sge=1, sg=[SGE(self.mr.buf, 64, self.mr.lkey)]))

    def state(self):
        return self.qp.query(e.IBV_QP_STATE)[0].qp_state

    def flushed(self):
        found = self.cq.poll(1)[1]
        return bool(found) and found[0].status == e.IBV_WC_WR_FLUSH_ERR


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    ap.add_argument("--spared", action="store_true", help=f"still there after {SPARED} seconds")
    ap.add_argument("device")
    args = ap.parse_args()
    ctx = Context(name=args.device)
    ends = End(ctx), End(ctx)
    ends[0].connect(ends[1])
    ends[1].connect(ends[0])
    print("ready", flush=True)
    start = time.monotonic()
    limit = SPARED if args.spared else LIMIT
    while time.monotonic() < start + limit and any(x.state() != e.IBV_QPS_ERR for x in ends):
        time.sleep(0.2)
    if args.spared:
        sys.exit(any(x.state() == e.IBV_QPS_ERR for x in ends))
    events = []
    for _ in ends:
        event = ctx.get_async_event()
        events.append(event.event_type)
        event.ack()
    time.sleep(0.5)
    print(f"ended after {time.monotonic() - start:.1f} s, events {events}")
    if events != [e.IBV_EVENT_QP_FATAL] * 2:
        sys.exit("not the events that it should be")
    if not all(x.flushed() for x in ends):
        sys.exit("a receive request did not come back")


if __name__ == "__main__":
    main()
