#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""outlive - keep a connection and an address handle on an address, and use them when told.

Prints "ready" when both exist, waits for a line of input, and sends through both: the
connection must fail, the datagram must complete with any status, and nothing else may
happen.

Example:
    in-a tests/programs/outlive.py srnic0 10.89.0.1
"""
import ipaddress
import sys

import pyverbs.enums as e
from pyverbs.addr import AH
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

from endpoint import completion, connection, way_to

GIDS = 32
QKEY = 0x11111111


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    ctx = Context(name=sys.argv[1])
    gid = ipaddress.IPv6Address(f"::ffff:{sys.argv[2]}")
    index = next((i for i in range(GIDS)
                  if ipaddress.IPv6Address(ctx.query_gid(1, i).gid) == gid), None)
    if index is None:
        sys.exit(f"{sys.argv[1]} has no GID of {gid}")
    pd, cqs = PD(ctx), [CQ(ctx, 4), CQ(ctx, 4)]
    cap = QPCap(max_send_wr=1, max_recv_wr=1, max_send_sge=1, max_recv_sge=1)
    connected, datagrams = (QP(pd, QPInitAttr(qp_type=kind, scq=cq, rcq=cq, cap=cap))
                            for kind, cq in zip((e.IBV_QPT_RC, e.IBV_QPT_UD), cqs))
    way = way_to(gid.exploded, index)
    connected.to_rts(connection(way, 0x1234, timeout=10, retry_cnt=2))
    attr = QPAttr(port_num=1)
    attr.qkey = QKEY
    datagrams.to_rts(attr)
    handle = AH(pd, attr=way)
    mr = MR(pd, 64, e.IBV_ACCESS_LOCAL_WRITE)
    print("ready", flush=True)
    sys.stdin.readline()

    wr = SendWR(opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(mr.buf, 64, mr.lkey)])
    connected.post_send(wr)
    wr = SendWR(opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(mr.buf, 64, mr.lkey)])
    wr.set_wr_ud(handle, 0x123456, QKEY)
    datagrams.post_send(wr)
    ended = [completion(cq, 300) for cq in cqs]
    print(f"connection: status {ended[0]}, datagram: status {ended[1]}")
    return 0 if ended[0] == e.IBV_WC_RETRY_EXC_ERR and ended[1] is not None else 1


if __name__ == "__main__":
    sys.exit(main())
