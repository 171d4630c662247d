#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""redirect - turn a connection towards another peer, which must fail.

redirect.py DEVICE OWN OTHER [sealed]

Connects a QP to OWN, drains it (SQD), and changes its address to OTHER, which must fail with
EACCES. In the clear, the policy must have 'require' for OTHER; changing back to OWN is
allowed. With 'sealed', any change of address must fail, whatever the policy says of OTHER.

Example:
    in-a tests/programs/redirect.py srnic0 10.77.0.1 10.77.0.2
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
    """Return the errno of the change of address, or 0."""
    attr = QPAttr(qp_state=e.IBV_QPS_SQD, port_num=1)
    attr.ah_attr = way
    try:
        qp.modify(attr, e.IBV_QP_AV)
    except PyverbsError as error:
        return errno_of(error)
    return 0


def main():
    if len(sys.argv) not in (4, 5) or sys.argv[1].startswith("-") or \
            sys.argv[4:] not in ([], ["sealed"]):
        print(__doc__)
        return 2
    ctx = Context(name=sys.argv[1])
    index, _ = own_gid(ctx)
    own, other = (way_to(gid_of(address), index) for address in sys.argv[2:4])
    cq = CQ(ctx, 4)
    cap = QPCap(max_send_wr=1, max_recv_wr=1, max_send_sge=1, max_recv_sge=1)
    qp = QP(PD(ctx), QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap))
    qp.to_rts(connection(own, 0x1234))
    qp.modify(QPAttr(qp_state=e.IBV_QPS_SQD), e.IBV_QP_STATE)
    said = turn(qp, other), turn(qp, own)
    print(f"to another peer: {errno.errorcode.get(said[0], said[0])}, "
          f"back to its own: {errno.errorcode.get(said[1], said[1] or 'granted')}")
    return 0 if said == (errno.EACCES, errno.EACCES if sys.argv[4:] else 0) else 1


if __name__ == "__main__":
    sys.exit(main())
