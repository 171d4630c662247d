#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""redirect - turn a connection in the clear towards a peer that must not be spoken to so.

A queue pair is connected to CLEAR, drained (SQD), and given the address of SEALED, for which
the policy has 'require': that must be refused with EACCES. Back to CLEAR it may go.

Example:
  in-a tools/verify/redirect.py srnic0 10.77.0.1 10.77.0.2
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


def gid_of(address):
    return ipaddress.IPv6Address(f"::ffff:{address}").exploded


def turn(qp, way):
    """The errno that it is refused with, or 0."""
    attr = QPAttr(qp_state=e.IBV_QPS_SQD, port_num=1)
    attr.ah_attr = way
    try:
        qp.modify(attr, e.IBV_QP_AV)
    except PyverbsError as error:
        return errno_of(error)
    return 0


def main():
    if len(sys.argv) != 4 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    ctx = Context(name=sys.argv[1])
    index, _ = own_gid(ctx)
    clear, sealed = (way_to(gid_of(address), index) for address in sys.argv[2:])
    cq = CQ(ctx, 4)
    cap = QPCap(max_send_wr=1, max_recv_wr=1, max_send_sge=1, max_recv_sge=1)
    qp = QP(PD(ctx), QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap))
    qp.to_rts(connection(clear, 0x1234))
    qp.modify(QPAttr(qp_state=e.IBV_QPS_SQD), e.IBV_QP_STATE)
    said = turn(qp, sealed), turn(qp, clear)
    print(f"to the sealed peer: {errno.errorcode.get(said[0], said[0])}, "
          f"to the other: {errno.errorcode.get(said[1], said[1] or 'granted')}")
    return 0 if said == (errno.EACCES, 0) else 1


if __name__ == "__main__":
    sys.exit(main())
