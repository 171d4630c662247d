#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Try, without privileges, to manage an InfiniBand port of one's own host.

    ipoib_local.py DEVICE NETDEV LINK-ADDRESS

DEVICE is the port, on NETDEV, and LINK-ADDRESS that of its ib0. Sends management datagrams to the
port, from UDP sockets and from a queue pair: requests to add the port to a partition, in both SMP
classes, and to create a group. The kernel's own port must be taken. Prints how many were sent.
"""

import errno
import os
import socket
import sys

import pyverbs.enums as e
from pyverbs.addr import AH, AHAttr
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

from endpoint import completion
from ipoib_forger import GSI_QKEY, NO_GRH, SUBN_DIRECTED, SUBN_LID, UD_SEND_ONLY, join, smp
from ipoib_frames import Header, INFINIBAND, Packet, Station, deth
from sth.packet import PORTS

PORT = PORTS[INFINIBAND]
NOBODY = 65534


def by_socket(station, netdev):
    """Send from a source port that says "without a GRH"; return how many datagrams."""
    gid = station.gid
    address = socket.inet_ntop(socket.AF_INET6, gid)
    scope = socket.if_nametoindex(netdev)
    sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    try:
        sock.bind((address, PORT, 0, scope))
        sys.exit(f"FAIL: port {PORT} is free")
    except OSError as why:
        if why.errno != errno.EADDRINUSE:
            raise
    sock.bind((address, NO_GRH, 0, scope))
    rows = [(qpn, smp(mgmt_class)) for qpn in (0, 1) for mgmt_class in (SUBN_LID, SUBN_DIRECTED)]
    rows.append((1, join(gid, 77)))
    for qpn, data in rows:
        header = Header(UD_SEND_ONLY, qpn, 7, deth(GSI_QKEY if qpn else 0, qpn))
        packet = Packet(gid, gid, header.bytes() + data, sport=NO_GRH, kind=INFINIBAND)
        # behind the IPv6 and UDP headers, which are the kernel's
        sock.sendto(packet.bytes()[48:], (address, PORT, 0, scope))
    return len(rows)


def by_queue_pair(device):
    """Send to QP0, by LID alone; return how many datagrams."""
    ctx = Context(name=device)
    pd, cq = PD(ctx), CQ(ctx, 8)
    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_UD, scq=cq, rcq=cq,
                           cap=QPCap(max_send_wr=4, max_recv_wr=4)))
    attr = QPAttr(port_num=1)
    attr.qkey = 0
    qp.to_rts(attr)
    way = AH(pd, attr=AHAttr(port_num=1, dlid=ctx.query_port(1).lid))
    for mgmt_class in (SUBN_LID, SUBN_DIRECTED):
        data = smp(mgmt_class)
        mr = MR(pd, len(data), e.IBV_ACCESS_LOCAL_WRITE)
        mr.write(data, len(data))
        wr = SendWR(opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(mr.buf, len(data), mr.lkey)],
                    send_flags=e.IBV_SEND_SIGNALED)
        wr.set_wr_ud(way, 0, 0)
        qp.post_send(wr)
        if completion(cq) != e.IBV_WC_SUCCESS:
            sys.exit("FAIL: the datagram was not sent")
    return 2


def main():
    device, netdev, address = sys.argv[1:]
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    print(by_socket(Station.of(address), netdev) + by_queue_pair(device))


if __name__ == "__main__":
    main()
