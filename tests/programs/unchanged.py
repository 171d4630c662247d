#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""unchanged - a failed change of state leaves a QP's attributes unchanged.

unchanged.py DEVICE PEER

Moves a QP from INIT to RTR, towards a PEER for which the policy has 'require' and no key.
This must fail with EACCES, and a query must return the same attributes as before.

Example:
    in-a tests/programs/unchanged.py srnic0 10.77.0.2
"""
import errno
import ipaddress
import sys

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr

from endpoint import connection, errno_of, own_gid, way_to

RTR = e.IBV_QP_STATE | e.IBV_QP_AV | e.IBV_QP_PATH_MTU | e.IBV_QP_DEST_QPN | e.IBV_QP_RQ_PSN | \
    e.IBV_QP_MAX_DEST_RD_ATOMIC | e.IBV_QP_MIN_RNR_TIMER


def told(qp):
    """Return the attributes that RTR sets, as query_qp reports them."""
    attr, _ = qp.query(RTR)
    return {"state": attr.qp_state, "peer": attr.dest_qp_num, "mtu": attr.path_mtu,
            "psn": attr.rq_psn, "reads": attr.max_dest_rd_atomic, "rnr": attr.min_rnr_timer,
            "way": str(attr.ah_attr)}


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    ctx = Context(name=sys.argv[1])
    index, _ = own_gid(ctx)
    peer = ipaddress.IPv6Address(f"::ffff:{sys.argv[2]}").exploded
    cq = CQ(ctx, 4)
    cap = QPCap(max_send_wr=1, max_recv_wr=1, max_send_sge=1, max_recv_sge=1)
    qp = QP(PD(ctx), QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap))
    qp.to_init(QPAttr(port_num=1))
    before = told(qp)
    attr = connection(way_to(peer, index), 0x1234, rq_psn=77)
    attr.qp_state = e.IBV_QPS_RTR
    said = 0
    try:
        qp.modify(attr, RTR)
    except PyverbsError as error:
        said = errno_of(error)
    after = told(qp)
    changed = {name: (before[name], after[name]) for name in before if before[name] != after[name]}
    print(f"RTR: {errno.errorcode.get(said, said)}; changed: {changed or 'nothing'}")
    return 0 if said == errno.EACCES and not changed else 1


if __name__ == "__main__":
    sys.exit(main())
