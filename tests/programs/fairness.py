#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""fairness - one greedy and 15 modest senders compete for a shared receive queue.

Uses sixteen connections of a device with itself. Fifteen keep a few messages in flight, the
greedy one as many as its queue holds. The consumer posts receive requests in small portions
and so late that all senders meet an empty queue and compete for each request. Prints how
many each has got; each of the 15 must have at least 80 % of a sixteenth.

Example:
    in-a tests/programs/fairness.py srnic0 rdma -dd resource show qp
"""
import argparse
import subprocess
import sys
import time

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.wr import RecvWR, SendWR, SGE

from endpoint import connection, way_to_self

STREAMS = 16
ROOM = 64               # entries of the shared queue
PORTION = 16            # receive requests posted at a time
UNDER_WAY = 4           # in-flight messages of a modest sender
WARM_UP = 10 * ROOM
MEASURED = 50 * ROOM
ENOUGH = 0.8
RNR_TIMER = 18          # 5.12 ms (IBA table 46): makes retries cheap
PAUSE = 0.05            # seconds without receive requests, in which all senders retry several times
PATIENCE = 1200         # seconds until the test gives up


class Stream:
    """A connection: the sending QP and the receiving one."""

    def __init__(self, bed, window):
        self.bed = bed
        self.window = window
        self.under_way = 0
        cap = QPCap(max_send_wr=ROOM, max_recv_wr=1, max_send_sge=1, max_recv_sge=1)
        self.tx = QP(bed.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=bed.scq, rcq=bed.scq,
                                        cap=cap, sq_sig_all=1))
        self.rx = QP(bed.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=bed.scq, rcq=bed.rcq,
                                        cap=cap, srq=bed.srq))
        way = way_to_self(bed.ctx)
        self.tx.to_rts(connection(way, self.rx.qp_num))
        self.rx.to_rts(connection(way, self.tx.qp_num, min_rnr_timer=RNR_TIMER))

    def send(self):
        while self.under_way < self.window:
            self.tx.post_send(self.bed.send_wr)
            self.under_way += 1


class Bed:
    """Objects that all connections share."""

    def __init__(self, device):
        self.ctx = Context(name=device)
        self.pd = PD(self.ctx)
        self.scq = CQ(self.ctx, 2 * STREAMS * ROOM)
        self.rcq = CQ(self.ctx, 2 * ROOM)
        self.srq = SRQ(self.pd, SrqInitAttr(SrqAttr(max_wr=ROOM, max_sge=1)))
        self.mr = MR(self.pd, 64, e.IBV_ACCESS_LOCAL_WRITE)
        self.sges = [SGE(self.mr.buf, 1, self.mr.lkey), SGE(self.mr.buf, 64, self.mr.lkey)]
        self.send_wr = SendWR(num_sge=1, sg=[self.sges[0]], opcode=e.IBV_WR_SEND)
        self.recv_wr = RecvWR(num_sge=1, sg=[self.sges[1]])
        self.streams = [Stream(self, ROOM)]
        self.streams += [Stream(self, UNDER_WAY) for _ in range(STREAMS - 1)]
        self.by_tx = {x.tx.qp_num: x for x in self.streams}
        self.posted = 0
        self.empty = 0          # time since which the queue is empty

    def post(self):
        """Post a portion, if the last one was used up some time ago."""
        if self.posted or time.monotonic() < self.empty + PAUSE:
            return
        for _ in range(PORTION):
            self.srq.post_recv(self.recv_wr)
        self.posted = PORTION

    def take(self, got):
        """Count received messages by QP; return their number."""
        found = poll(self.rcq)
        for wc in found:
            got[wc.qp_num] = got.get(wc.qp_num, 0) + 1
        self.posted -= len(found)
        if found:
            self.empty = time.monotonic()
        return len(found)

    def go_on(self):
        for wc in poll(self.scq):
            self.by_tx[wc.qp_num].under_way -= 1
        for stream in self.streams:
            stream.send()

    def run(self, messages, deadline):
        got = {}
        while messages > 0:
            if time.monotonic() > deadline:
                sys.exit(f"{messages} messages did not come in {PATIENCE} s")
            self.go_on()
            self.post()
            messages -= self.take(got)
        return [got.get(x.rx.qp_num, 0) for x in self.streams]


def poll(cq):
    found = cq.poll(PORTION)[1]
    bad = [wc.status for wc in found if wc.status != e.IBV_WC_SUCCESS]
    if bad:
        sys.exit(f"a completion says {bad[0]}")
    return found


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    ap.add_argument("device")
    ap.add_argument("command", nargs=argparse.REMAINDER, help="to be run before all ends")
    args = ap.parse_args()
    bed = Bed(args.device)
    deadline = time.monotonic() + PATIENCE
    bed.run(WARM_UP, deadline)
    got = bed.run(MEASURED, deadline)
    fair = sum(got) / STREAMS
    print(f"hog {bed.streams[0].rx.qp_num}: {got[0] / fair:.2f} of a fair share; the others:",
          *(f"{x / fair:.2f}" for x in got[1:]), flush=True)
    if args.command:
        subprocess.run(args.command, check=True)
    if min(got[1:]) < ENOUGH * fair:
        sys.exit(f"one of the others got {min(got[1:]) / fair:.2f} of a fair share: {got}")


if __name__ == "__main__":
    main()
