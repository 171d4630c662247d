#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""changes - change queue pairs and shared receive queues as their manual pages allow.

Each row is a change that once failed, or did not do all that ibv_modify_qp(3) and
ibv_modify_srq(3) say.

Example:
    in a tests/programs/changes.py srnic0
"""

import os
import select
import sys
import time

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.wr import RecvWR, SGE, SendWR

from endpoint import completion, connect, connection, way_to_self

LIMIT = 120         # seconds to wait for an event
NO_EVENT = 1        # seconds in which none must come


class Bed:
    def __init__(self, device):
        self.ctx = Context(name=device)
        self.pd = PD(self.ctx)
        self.way = way_to_self(self.ctx)

    def qp(self, kind=e.IBV_QPT_RC, srq=None):
        cq = CQ(self.ctx, 16)
        cap = QPCap(max_send_wr=8, max_recv_wr=8, max_send_sge=1, max_recv_sge=1)
        qp = QP(self.pd, QPInitAttr(qp_type=kind, scq=cq, rcq=cq, cap=cap, srq=srq))
        return qp, cq

    def event(self, limit=LIMIT):
        """Return the type of the next event, or None."""
        fds = [int(fd) for fd in os.listdir("/proc/self/fd")
               if "infinibandevent" in link(f"/proc/self/fd/{fd}")]
        if not select.select(fds, [], [], limit)[0]:
            return None
        event = self.ctx.get_async_event()
        event.ack()
        return event.event_type


def link(path):
    try:
        return os.readlink(path)
    except FileNotFoundError:       # that of the list itself
        return ""


def drain(qp, notify=False):
    attr, mask = QPAttr(qp_state=e.IBV_QPS_SQD), e.IBV_QP_STATE
    if notify:
        attr.en_sqd_async_notify = 1
        mask |= e.IBV_QP_EN_SQD_ASYNC_NOTIFY
    qp.modify(attr, mask)


def path_while_drained(kind):
    def run(bed):
        qp, _ = bed.qp(kind)
        qp.to_rts(connection(bed.way, qp.qp_num))
        drain(qp)
        attr = QPAttr(qp_state=e.IBV_QPS_SQD, port_num=1)
        attr.ah_attr = bed.way
        qp.modify(attr, e.IBV_QP_AV)
        return qp.query(e.IBV_QP_STATE)[0].qp_state == e.IBV_QPS_SQD
    return run


def drained_once(bed):
    """An event is asked for once, for a connection: the next one does not ask."""
    qp, _ = bed.qp()
    qp.to_rts(connection(bed.way, qp.qp_num))
    drain(qp, notify=True)
    if bed.event() != e.IBV_EVENT_SQ_DRAINED:
        return False
    qp.modify(QPAttr(qp_state=e.IBV_QPS_RESET), e.IBV_QP_STATE)
    qp.to_rts(connection(bed.way, qp.qp_num))
    drain(qp)
    return bed.event(NO_EVENT) is None


def forgotten(bed):
    """RESET leaves nothing of the connection for query_qp to show."""
    qp, _ = bed.qp()
    qp.to_rts(connection(bed.way, qp.qp_num, rq_psn=77, sq_psn=78, qp_access_flags=7))
    qp.modify(QPAttr(qp_state=e.IBV_QPS_RESET), e.IBV_QP_STATE)
    attr, _ = qp.query(e.IBV_QP_STATE | e.IBV_QP_AV | e.IBV_QP_RQ_PSN | e.IBV_QP_SQ_PSN)
    return not (attr.rq_psn or attr.sq_psn or attr.dest_qp_num or attr.qp_access_flags)


def limit_on_empty(bed):
    """A limit that is armed above what waits is reported with the next message."""
    srq = SRQ(bed.pd, SrqInitAttr(SrqAttr(max_wr=8, max_sge=1)))
    sender, cq = bed.qp()
    receiver, _ = bed.qp(srq=srq)
    connect(bed.way, sender, receiver)
    srq.modify(SrqAttr(srq_limit=4), e.IBV_SRQ_LIMIT)
    mr = MR(bed.pd, 64, e.IBV_ACCESS_LOCAL_WRITE)
    sges = [SGE(mr.buf, 8, mr.lkey)]
    sender.post_send(SendWR(opcode=e.IBV_WR_SEND, num_sge=1, sg=sges,
                            send_flags=e.IBV_SEND_SIGNALED))
    if bed.event() != e.IBV_EVENT_SRQ_LIMIT_REACHED:
        return False
    srq.post_recv(RecvWR(num_sge=1, sg=sges))
    return completion(cq) == e.IBV_WC_SUCCESS and bed.event(NO_EVENT) is None


def smaller_with_limit(bed):
    """A new size and a new limit together: the old limit does not matter."""
    srq = SRQ(bed.pd, SrqInitAttr(SrqAttr(max_wr=200, max_sge=1)))
    srq.modify(SrqAttr(srq_limit=100), e.IBV_SRQ_LIMIT)
    srq.modify(SrqAttr(max_wr=32, srq_limit=10), e.IBV_SRQ_MAX_WR | e.IBV_SRQ_LIMIT)
    attr = srq.query()
    return attr.srq_limit == 10 and attr.max_wr < 100


ROWS = (
    ("RC: another path while the send queue is drained", path_while_drained(e.IBV_QPT_RC)),
    ("UC: another path while the send queue is drained", path_while_drained(e.IBV_QPT_UC)),
    ("the event of a drained queue is not asked for beyond RESET", drained_once),
    ("RESET forgets the attributes of the connection", forgotten),
    ("a limit that is armed on an empty shared queue is reported", limit_on_empty),
    ("a shared queue shrinks together with its limit", smaller_with_limit),
)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if "-h" in sys.argv or "--help" in sys.argv else 2
    wrong = 0
    for what, run in ROWS:
        start = time.monotonic()
        right = run(Bed(sys.argv[1]))
        print(f"{'ok  ' if right else 'FAIL'} {what} [{time.monotonic() - start:.1f} s]", flush=True)
        wrong += not right
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
