#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""early - connect a sealed QP that is ready before its peer, with no retransmission timer.

early.py DEVICE

Connects two QPs with each other; a rule seals them. The first HELLO is lost, because the
second QP is not ready yet, and must be retransmitted when it is. With a timeout of 0 the
transport retransmits nothing by time (IBA 9.7.6.1.3), so a message that arrives has not
waited for a retry interval.

Example:
    in a tests/programs/early.py srnic0
"""
import sys
import time

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPCap, QPInitAttr
from pyverbs.wr import RecvWR, SGE, SendWR

from endpoint import completion, connection, way_to_self

TIMEOUT = 0         # infinite
EARLIER = 0.5       # seconds between the two ends becoming ready
HANGS = 120         # seconds until the test gives up
SIZE = 8


class End:
    def __init__(self, ctx, way):
        self.way = way
        self.cq = CQ(ctx, 8)
        pd = PD(ctx)
        cap = QPCap(max_send_wr=1, max_recv_wr=1, max_send_sge=1, max_recv_sge=1)
        self.qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=cap))
        self.mr = MR(pd, SIZE, e.IBV_ACCESS_LOCAL_WRITE)
        self.sge = SGE(self.mr.buf, SIZE, self.mr.lkey)

    def connect(self, peer):
        self.qp.to_rts(connection(self.way, peer.qp.qp_num, timeout=TIMEOUT))
        self.qp.post_recv(RecvWR(num_sge=1, sg=[self.sge]))

    def send(self):
        self.qp.post_send(SendWR(opcode=e.IBV_WR_SEND, num_sge=1, sg=[self.sge],
                                 send_flags=e.IBV_SEND_SIGNALED))

    def done(self, limit):
        """Return whether a completion arrives within `limit` seconds, and is successful."""
        return completion(self.cq, limit) == e.IBV_WC_SUCCESS


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    ctx = Context(name=sys.argv[1])
    way = way_to_self(ctx)
    failed = 0
    for who in ("early", "late"):
        early, late = End(ctx, way), End(ctx, way)
        early.connect(late)
        time.sleep(EARLIER)
        late.connect(early)
        begin = time.monotonic()
        (early if who == "early" else late).send()
        heard = (late if who == "early" else early).done(HANGS)
        failed += not heard
        print(f"{'ok' if heard else 'NOT HEARD'}: the {who} one's first message, "
              f"{time.monotonic() - begin:.2f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
