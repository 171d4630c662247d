#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Send datagrams from a user's queue pair of an InfiniBand port, up to its MTU.

    ipoib_longest.py DEVICE GID MTU

GID is another port's. MTU is what the device must report as its active MTU, in bytes: a datagram
of that length is sent, and one with a byte more is not (IBA 11.4.1.1).
"""

import sys

import pyverbs.enums as e
from pyverbs.addr import AH
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

from endpoint import completion, way_to

QKEY, NOBODY = 0x0b1b, 77   # no queue pair has this number


def main():
    name, gid, mtu = sys.argv[1], sys.argv[2], int(sys.argv[3])
    ctx = Context(name=name)
    active = 128 << ctx.query_port(1).active_mtu
    if active != mtu:
        sys.exit(f"FAIL: the active MTU is {active}")
    pd, cq = PD(ctx), CQ(ctx, 8)
    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_UD, scq=cq, rcq=cq,
                           cap=QPCap(max_send_wr=4, max_recv_wr=4)))
    attr = QPAttr(port_num=1)
    attr.qkey = QKEY
    qp.to_rts(attr)
    mr, way = MR(pd, mtu + 1, e.IBV_ACCESS_LOCAL_WRITE), AH(pd, attr=way_to(gid, 0))
    for length, status in (mtu, e.IBV_WC_SUCCESS), (mtu + 1, e.IBV_WC_LOC_LEN_ERR):
        wr = SendWR(opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(mr.buf, length, mr.lkey)],
                    send_flags=e.IBV_SEND_SIGNALED)
        wr.set_wr_ud(way, NOBODY, QKEY)
        qp.post_send(wr)
        found = completion(cq)
        if found != status:
            sys.exit(f"FAIL: a datagram of {length} bytes has status {found}")


if __name__ == "__main__":
    main()
