#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Compare packets of IP over InfiniBand with the demands of RFC 4391, and inject some.

    ipoib_frames.py check PCAP A B
    ipoib_frames.py inject NETDEV MAC A B
    ipoib_frames.py pkeys PCAP PKEY
    ipoib_frames.py stray NETDEV MAC A B PKEY...
    ipoib_frames.py rarp IPOIB

A and B are the link addresses of both ib0s; ib0 has 10.78.0.1 at A, 10.78.0.2 at B.

check   reads a capture of clear traffic, and prints how many packets show each demand.
inject  sends echo requests as A does, from its netdev to the one with that MAC, each with one
        thing different, and prints which were answered.
pkeys   checks that a capture has packets of that partition: MADs of the connection manager,
        connections, and datagrams whose groups name it.
stray   sends a packet with each of these P_Keys to the queue pair at B.
rarp    broadcasts a request of RARP through that netdev of ib_ipoib.

P_Keys are in hexadecimal.

The packets are made and read by tools/codec, which shares no code with srnic.
"""

import os
import socket
import struct
import sys
import time
from collections import Counter
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/codec"))
from capture import carried, frames                                         # noqa: E402
from sth import Header, Packet, deth                                        # noqa: E402
from sth.packet import INFINIBAND                                           # noqa: E402

IPV4, ARP, RARP, IPV6 = 0x0800, 0x0806, 0x8035, 0x86dd
UD_SEND_ONLY, MULTICAST_QPN = 0x64, 0xffffff
ICMP6 = 58
# Octets in front of the options, by type of neighbour discovery (RFC 4861, 4)
OPTIONS_AT = {133: 8, 134: 16, 135: 24, 136: 24}
SPORT_GRH = 0x4000          # of a source port: the packet has a GRH (protocol.md, section 17)
QKEY = 0x80000b1b           # of the broadcast group
PKEY = 0xffff
ADDRESSES = "10.78.0.1", "10.78.0.2"
ETH_P_ALL, SOL_PACKET, PACKET_IGNORE_OUTGOING = 3, 263, 23
LIMIT = 60                  # seconds to wait for an answer


def mgid(signature, group):
    """Return the MGID of section 4 for the low 80 bits of a group's address."""
    return (bytes.fromhex("ff12") + signature.to_bytes(2, "big") + PKEY.to_bytes(2, "big")
            + group.to_bytes(10, "big"))


BROADCAST = mgid(0x401b, 0xffffffff)
LIMITED = b"\xff" * 4


@dataclass(frozen=True)
class Station:
    """A link address: flags, QPN, GID (section 9.1.1)."""

    raw: bytes

    @classmethod
    def of(cls, text):
        return cls(bytes.fromhex(text.replace(":", "")))

    @property
    def qpn(self):
        return int.from_bytes(self.raw[1:4], "big")

    @property
    def gid(self):
        return self.raw[4:]


@dataclass(frozen=True)
class Datagram:
    """A datagram of ib0: its addresses, and the payload of its UD packet."""

    sgid: bytes
    dgid: bytes
    sport: int
    header: Header
    payload: bytes

    @classmethod
    def of(cls, frame):
        """Return the datagram in a frame, or None: MADs are not of ib0."""
        found = carried(frame)
        if not found or found[3] != INFINIBAND or int.from_bytes(found[2][5:8], "big") < 2:
            return None
        sgid, dgid, body, _ = found
        header = Header.parse(body, 8)
        return cls(sgid, dgid, int.from_bytes(frame[54:56], "big"), header,
                   body[20:len(body) - header.pad])

    @property
    def qkey(self):
        return int.from_bytes(self.header.ext[:4], "big")

    @property
    def sqpn(self):
        return int.from_bytes(self.header.ext[5:8], "big")

    @property
    def type(self):
        return int.from_bytes(self.payload[:2], "big")

    @property
    def to_group(self):
        return self.dgid[0] == 0xff

    def mgid_of_address(self):
        """Return the MGID that the destination address of an IP packet maps to, or None."""
        if self.type == IPV4:
            to = self.payload[20:24]
            if to in (LIMITED, IPv4Address("10.78.0.255").packed):
                return BROADCAST
            if to[0] >> 4 == 14:
                return mgid(0x401b, int.from_bytes(to, "big") & 0x0fffffff)
        elif self.type == IPV6 and self.payload[28] == 0xff:
            return mgid(0x601b, int.from_bytes(self.payload[34:44], "big"))
        return None

    def options(self):
        """Yield the link address options of a neighbour discovery packet (RFC 4861, 4.6.1)."""
        icmp = self.payload[44:]
        if self.type != IPV6 or self.payload[10] != ICMP6 or not icmp:
            return
        at = OPTIONS_AT.get(icmp[0], len(icmp))
        while at + 2 <= len(icmp):
            if icmp[at] in (1, 2):
                yield icmp[at:at + 8 * icmp[at + 1]]
            at += 8 * icmp[at + 1] or len(icmp)


class Demands:
    """Counts the packets that show each demand, and those that violate one."""

    def __init__(self, stations):
        self.stations = {station.gid: station for station in stations}
        self.shown, self.violated = Counter(), []

    def expect(self, demand, right, datagram):
        self.shown[demand] += 1
        if not right:
            self.violated.append(f"{demand}: {datagram}")

    def arp(self, d):
        hardware, _, length = struct.unpack_from(">HHB", d.payload, 4)
        self.expect("I26 ARP of hardware type 32, length 20", (hardware, length) == (32, 20), d)
        sender = Station(d.payload[12:32])
        own = self.stations[d.sgid]
        # RFC 4755 uses two bits of the first octet; the others are zero
        self.expect("I21 a link address is flags, QPN, GID",
                    not sender.raw[0] & 0x3f and (sender.qpn, sender.gid) == (d.sqpn, d.sgid)
                    and sender == own, d)

    def of_connection(self, d):
        """Tell whether a packet is of a connection: neither a datagram nor for an ib0."""
        return (d.header.opcode != UD_SEND_ONLY and not d.to_group
                and d.header.dqpn != self.stations[d.dgid].qpn)

    def take(self, d):
        expect, kind = self.expect, d.type
        expect("I1 over UD", d.header.opcode == UD_SEND_ONLY, d)
        expect("I7 the P_Key is a full member's", d.header.pkey == PKEY, d)
        expect("I15 the reserved octets are zero", d.payload[2:4] == b"\0\0", d)
        expect("I16 the type is one of four", kind in (IPV4, ARP, RARP, IPV6), d)
        expect(f"I16 type {kind:04x}", True, d)
        expect("I17 packets say that they have a GRH", d.sport & SPORT_GRH, d)
        expect("I8 I24 the Q_Key is the broadcast group's", d.qkey == QKEY, d)
        if d.to_group:
            signature = 0x601b if kind == IPV6 else 0x401b
            expect("I2 I6 I11 groups are transient, and link-local", d.dgid[1] == 0x12, d)
            expect(f"I3 signature {signature:x}", d.dgid[2:4] == signature.to_bytes(2, "big"), d)
            expect("I4 the P_Key is in the MGID", d.dgid[4:6] == PKEY.to_bytes(2, "big"), d)
            expect("I4 I5 the group's bits are in the MGID",
                   d.dgid == (BROADCAST if kind in (ARP, RARP) else d.mgid_of_address()), d)
            if kind == IPV4 and d.payload[20:24] == LIMITED:
                expect("I5 the limited broadcast", True, d)
        else:
            expect("I22 unicast goes to the advertised QPN",
                   d.header.dqpn == self.stations[d.dgid].qpn, d)
        if kind == ARP:
            self.arp(d)
        for option in d.options():
            expect("I27 an option has length 3, and two zero octets first",
                   (len(option), option[2:4]) == (24, b"\0\0")
                   and Station(option[4:]) == self.stations[d.sgid], d)


# Each must be shown: demands, the limited broadcast, signatures, types
ALL = {"I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "I11", "I15", "I16", "I17", "I21", "I22",
       "I24", "I26", "I27", "limited", "401b", "601b", "0800", "0806", "8035", "86dd"}


def check(pcap, *addresses):
    demands = Demands([Station.of(address) for address in addresses])
    for frame in frames(Path(pcap)):
        datagram = Datagram.of(frame)
        if datagram and not demands.of_connection(datagram):
            demands.take(datagram)
    for demand, count in sorted(demands.shown.items()):
        print(f"{count:5} {demand}")
    seen = {word for demand in demands.shown for word in demand.split()}
    missing = ALL - seen
    for violation in demands.violated[:20]:
        print(violation, file=sys.stderr)
    if missing:
        print(f"not shown: {', '.join(sorted(missing))}", file=sys.stderr)
    return not (demands.violated or missing)


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return (total ^ 0xffff).to_bytes(2, "big")


def echo(ident):
    """Return an echo request of A to B, an IPv4 packet."""
    icmp = struct.pack(">BBHHH", 8, 0, 0, ident, 1) + b"ipoib   "
    icmp = icmp[:2] + checksum(icmp) + icmp[4:]
    source, to = (IPv4Address(address).packed for address in ADDRESSES)
    head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(icmp), 0, 0, 64, 1, 0, source, to)
    return head[:10] + checksum(head) + head[12:] + icmp


@dataclass
class Injector:
    """A's netdev, through which packets go to B without A's stack."""

    netdev: str
    mac: bytes
    a: Station
    b: Station

    def __post_init__(self):
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.sock.bind((self.netdev, 0))
        self.sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.sock.settimeout(1)
        self.idents = iter(range(os.getpid() & 0x7fff | 0x4000, 0x10000))

    def put(self, ident, kind=IPV4, reserved=0, qkey=QKEY, pkey=PKEY, to=None, qpn=None, **more):
        """Send an echo request; `more`: fields of Packet."""
        payload = struct.pack(">HH", kind, reserved) + echo(ident)
        header = Header(UD_SEND_ONLY, self.b.qpn if qpn is None else qpn, 7,
                        deth(qkey, self.a.qpn), pad=-len(payload) % 4, pkey=pkey)
        body = header.bytes() + payload + bytes(header.pad)
        to = to or self.b.gid
        packet = Packet(self.a.gid, to, body, kind=INFINIBAND, **more)
        mac = b"\x33\x33" + to[12:] if to[0] == 0xff else self.mac
        self.sock.send(mac + self.sock.getsockname()[4] + b"\x86\xdd" + packet.bytes())

    def answers(self, last):
        """Return the identifiers of all answers up to the one to `last`."""
        found, end = set(), time.monotonic() + LIMIT
        while last not in found and time.monotonic() < end:
            try:
                datagram = Datagram.of(self.sock.recv(65535))
            except TimeoutError:
                continue
            if datagram and datagram.type == IPV4 and datagram.payload[13] == 1 \
                    and datagram.payload[24] == 0:
                found.add(int.from_bytes(datagram.payload[28:30], "big"))
        return found

    def answered(self, **fields):
        """Tell whether a request with these fields is answered: before the answer to an
        ordinary one that follows it, since B keeps their order."""
        ident, last = next(self.idents), next(self.idents)
        self.put(ident, **fields)
        self.put(last)
        found = self.answers(last)
        assert last in found, "an ordinary request was not answered"
        return ident in found


# demand, what is different, whether the request is answered
CASES = [
    ("I1", {}, True),
    ("I15", {"reserved": 0xffff}, True),
    ("I16", {"kind": 0x1234}, False),
    ("I17", {"sport": 0x8001}, True),           # without a GRH
    ("I17", {"ttl": 0}, True),                  # hop limit
    ("I17", {"ttl": 1}, True),
    ("I8", {"qkey": QKEY & 0x7fffffff}, False),
    ("I8", {"qkey": 0}, False),
    ("I24", {"qkey": QKEY ^ 1}, False),
    ("I7", {"pkey": 0x7fff}, True),             # a limited member's, to a full member
    ("I7", {"pkey": 0x8001}, False),
    ("I5", {"to": BROADCAST, "qpn": MULTICAST_QPN}, True),
    ("I4", {"to": mgid(0x401b, 0x0f123456), "qpn": MULTICAST_QPN}, False),   # not joined
    # not the QPN of groups, and a group's QPN without a group
    ("I22", {"to": BROADCAST}, False),
    ("I22", {"qpn": MULTICAST_QPN}, False),
]


def inject(netdev, mac, a, b):
    injector = Injector(netdev, bytes.fromhex(mac.replace(":", "")), Station.of(a), Station.of(b))
    right = True
    for demand, fields, expected in CASES:
        answered = injector.answered(**fields)
        shown = {name: IPv6Address(value) if isinstance(value, bytes) else hex(value)
                 for name, value in fields.items()}
        words = ", ".join(f"{name} {value}" for name, value in shown.items()) or "ordinary"
        print(f"{'ok  ' if answered == expected else 'FAIL'} {demand}: {words}: "
              f"{'' if answered else 'not '}answered")
        right &= answered == expected
    return right


def stray(netdev, mac, a, b, *pkeys):
    injector = Injector(netdev, bytes.fromhex(mac.replace(":", "")), Station.of(a), Station.of(b))
    for pkey in pkeys:
        injector.put(1, pkey=int(pkey, 16))
    return True


def link_address(netdev, name):
    text = Path(f"/sys/class/net/{netdev}/{name}").read_text().strip()
    return bytes.fromhex(text.replace(":", ""))


def rarp(netdev):
    """Ask for this node's own address (RFC 903), with link addresses of 20 octets."""
    own, to = link_address(netdev, "address"), link_address(netdev, "broadcast")
    request = struct.pack(">HHBBH", 32, IPV4, 20, 4, 3) + (own + bytes(4)) * 2
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        # ib_ipoib's packets begin with the link address that they go to
        sock.sendto(to + struct.pack(">HH", RARP, 0) + request, (netdev, RARP))
    return True


def pkeys(pcap, wanted):
    pkey, seen = int(wanted, 16), Counter()
    for frame in frames(Path(pcap)):
        found = carried(frame)
        if not found or found[3] != INFINIBAND or Header.parse(found[2], 0).pkey != pkey:
            continue
        _, dgid, body, _ = found
        if dgid[0] == 0xff:
            seen["groups"] += 1
            assert dgid[4:6] == pkey.to_bytes(2, "big"), IPv6Address(dgid)
        elif int.from_bytes(body[5:8], "big") == 1:
            seen["MADs"] += 1
        else:
            seen["datagrams" if body[0] == UD_SEND_ONLY else "connections"] += 1
    print(dict(seen))
    return len(seen) == 4


def main():
    verbs = {"check": check, "inject": inject, "pkeys": pkeys, "stray": stray, "rarp": rarp}
    if len(sys.argv) < 2 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    sys.exit(not verbs[sys.argv[1]](*sys.argv[2:]))


if __name__ == "__main__":
    main()
