#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Try, without privileges, to send to an ib0 as one of its network does.

    ipoib_user.py DEVICE GID QPN

DEVICE is an InfiniBand port; GID and QPN are those of another node's ib0. The Q_Key of IP over
InfiniBand is privileged (RFC 4391, sections 4.1 and 13): a queue pair must not get it, and in a
work request it means the queue pair's own (IBA 10.2.5). Sends one datagram.
"""

import errno
import os
import sys

import pyverbs.enums as e
from pyverbs.addr import AH
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

from endpoint import completion, errno_of, way_to

PRIVILEGED, ORDINARY = 0x80000b1b, 0x0b1b
NOBODY = 65534


def queue(pd, cq, qkey):
    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_UD, scq=cq, rcq=cq,
                           cap=QPCap(max_send_wr=4, max_recv_wr=4)))
    attr = QPAttr(port_num=1)
    attr.qkey = qkey
    qp.to_rts(attr)
    return qp


def main():
    name, gid, qpn = sys.argv[1], sys.argv[2], int(sys.argv[3], 0)
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    ctx = Context(name=name)
    pd, cq = PD(ctx), CQ(ctx, 8)
    try:
        queue(pd, cq, PRIVILEGED)
        sys.exit("FAIL: a user has a queue pair with a privileged Q_Key")
    except PyverbsRDMAError as why:
        if errno_of(why) != errno.EPERM:
            sys.exit(f"FAIL: {why}")
    qp, mr = queue(pd, cq, ORDINARY), MR(pd, 64, e.IBV_ACCESS_LOCAL_WRITE)
    way = AH(pd, attr=way_to(gid, 0))
    wr = SendWR(opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(mr.buf, 64, mr.lkey)],
                send_flags=e.IBV_SEND_SIGNALED)
    wr.set_wr_ud(way, qpn, PRIVILEGED)
    qp.post_send(wr)
    if completion(cq) != e.IBV_WC_SUCCESS:
        sys.exit("FAIL: the datagram was not sent")


if __name__ == "__main__":
    main()
