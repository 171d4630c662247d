# SPDX-License-Identifier: GPL-2.0
"""RoCEv2 packets and their ICRC (protocol.md, section 2; IBA 9; annex A17)."""

import struct
import zlib
from dataclasses import dataclass

BTH_LEN = 12

# kinds of port (protocol.md, sections 1 and 17), and their UDP ports
ROCE, INFINIBAND = 0, 1
PORTS = {ROCE: 4791, INFINIBAND: 4792}

# lengths of extension headers (IBA 9.3, A14, A19)
EXT_LEN = {"RETH": 16, "AtomicETH": 28, "AETH": 4, "AtomicAckETH": 8, "ImmDt": 4, "IETH": 4,
           "DETH": 8, "FETH": 4, "XRCETH": 4, "HS": 72}


@dataclass(frozen=True)
class Opcode:
    """The contents of an opcode's packets (IBA table 38, A14, A19)."""

    value: int
    name: str
    ext: tuple = ()
    payload: bool = False
    response: bool = False

    @property
    def ext_len(self):
        return sum(EXT_LEN[e] for e in self.ext)

    @property
    def hdr_len(self):
        return BTH_LEN + self.ext_len

    def clear_len(self, mode):
        """Return how many bytes precede the STH."""
        return BTH_LEN if mode == "opaque" else self.hdr_len


def _rc():
    rows = [
        (0x00, "SEND_FIRST", (), True), (0x01, "SEND_MIDDLE", (), True),
        (0x02, "SEND_LAST", (), True), (0x03, "SEND_LAST_IMM", ("ImmDt",), True),
        (0x04, "SEND_ONLY", (), True), (0x05, "SEND_ONLY_IMM", ("ImmDt",), True),
        (0x06, "WRITE_FIRST", ("RETH",), True), (0x07, "WRITE_MIDDLE", (), True),
        (0x08, "WRITE_LAST", (), True), (0x09, "WRITE_LAST_IMM", ("ImmDt",), True),
        (0x0a, "WRITE_ONLY", ("RETH",), True),
        (0x0b, "WRITE_ONLY_IMM", ("RETH", "ImmDt"), True),
        (0x0c, "READ_REQ", ("RETH",), False),
        (0x13, "CMP_SWAP", ("AtomicETH",), False), (0x14, "FETCH_ADD", ("AtomicETH",), False),
        (0x16, "SEND_LAST_INV", ("IETH",), True), (0x17, "SEND_ONLY_INV", ("IETH",), True),
        (0x1c, "FLUSH", ("FETH", "RETH"), False), (0x1d, "ATOMIC_WRITE", ("RETH",), True),
    ]
    responses = [
        (0x0d, "READ_RESP_FIRST", ("AETH",), True), (0x0e, "READ_RESP_MIDDLE", (), True),
        (0x0f, "READ_RESP_LAST", ("AETH",), True), (0x10, "READ_RESP_ONLY", ("AETH",), True),
        (0x11, "ACK", ("AETH",), False), (0x12, "ATOMIC_ACK", ("AETH", "AtomicAckETH"), False),
    ]
    return ([Opcode(v, n, e, p) for v, n, e, p in rows]
            + [Opcode(v, n, e, p, True) for v, n, e, p in responses])


def _xrc():
    """Opcodes of XRC (A14): those of RC without A19's, and an XRCETH in each request."""
    return [Opcode(0xa0 | o.value, "XRC_" + o.name, o.ext if o.response else ("XRCETH", *o.ext),
                   o.payload, o.response)
            for o in _rc() if o.name not in ("FLUSH", "ATOMIC_WRITE")]


HELLO, HELLO_ACK, CONFIRM, CONFIRM_ACK = range(0xc0, 0xc4)
HANDSHAKE = {HELLO: "HELLO", HELLO_ACK: "HELLO_ACK", CONFIRM: "CONFIRM",
             CONFIRM_ACK: "CONFIRM_ACK"}
RC_OPCODES = {o.value: o for o in _rc()}
XRC_OPCODES = {o.value: o for o in _xrc()}
OPCODES = RC_OPCODES | XRC_OPCODES     # of connections
UD_OPCODES = {o.value: o for o in [Opcode(0x64, "UD_SEND_ONLY", ("DETH",), True),
                                   Opcode(0x65, "UD_SEND_ONLY_IMM", ("DETH", "ImmDt"), True)]}


@dataclass
class Header:
    """A BTH and the bytes of its extension headers."""

    opcode: int
    dqpn: int
    psn: int
    ext: bytes = b""
    se: bool = False
    mig: bool = False
    pad: int = 0
    tver: int = 0
    pkey: int = 0xffff
    variant: int = 0    # byte 4: FECN, BECN, reserved
    ackreq: bool = False
    code: int = 0
    reserved: int = 0   # low four bits of byte 8: echo and gap

    def bytes(self):
        flags = self.se << 7 | self.mig << 6 | self.pad << 4 | self.tver
        byte8 = self.ackreq << 7 | self.code << 4 | self.reserved
        return (struct.pack(">BBHBI", self.opcode, flags, self.pkey, self.variant,
                            self.dqpn << 8 | byte8)
                + self.psn.to_bytes(3, "big") + self.ext)

    @classmethod
    def parse(cls, data, ext_len):
        opcode, flags, pkey, variant, word = struct.unpack(">BBHBI", data[:9])
        byte8 = word & 0xff
        return cls(opcode=opcode, dqpn=word >> 8, psn=int.from_bytes(data[9:12], "big"),
                   ext=data[12:12 + ext_len], se=bool(flags >> 7), mig=bool(flags >> 6 & 1),
                   pad=flags >> 4 & 3, tver=flags & 15, pkey=pkey, variant=variant,
                   ackreq=bool(byte8 >> 7), code=byte8 >> 4 & 7, reserved=byte8 & 15)


def icrc(ip_header, udp_header, body):
    """Compute the ICRC of a packet; `body` starts with the BTH and excludes the ICRC (A17.3.3)."""
    ip = bytearray(ip_header)
    if ip[0] >> 4 == 4:
        ip[1] = 0xff                    # DSCP, ECN
        ip[8] = 0xff                    # TTL
        ip[10:12] = b"\xff\xff"         # checksum
    else:
        ip[0] |= 0x0f                   # traffic class, flow label
        ip[1:4] = b"\xff\xff\xff"
        ip[7] = 0xff                    # hop limit
    udp = udp_header[:6] + b"\xff\xff"  # checksum
    bth = bytearray(body[:BTH_LEN])
    bth[4] = 0xff
    masked = b"\xff" * 8 + bytes(ip) + udp + bytes(bth) + body[BTH_LEN:]
    return zlib.crc32(masked).to_bytes(4, "little")


@dataclass
class Packet:
    """A packet on the wire, from IP header to ICRC."""

    sgid: bytes
    dgid: bytes
    body: bytes         # BTH to pad
    sport: int = 0xc000
    ip_id: int = 0
    ttl: int = 64
    kind: int = ROCE

    @property
    def udp_len(self):
        return 8 + len(self.body) + 4

    @property
    def v4(self):
        return self.sgid[:12] == bytes(10) + b"\xff\xff"

    def ip_header(self):
        if self.v4:
            head = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + self.udp_len, self.ip_id, 0x4000,
                               self.ttl, 17, 0, self.sgid[12:], self.dgid[12:])
            total = sum(struct.unpack(">10H", head))
            while total >> 16:
                total = (total & 0xffff) + (total >> 16)
            return head[:10] + (total ^ 0xffff).to_bytes(2, "big") + head[12:]
        return struct.pack(">IHBB16s16s", 6 << 28, self.udp_len, 17, self.ttl,
                           self.sgid, self.dgid)

    def udp_header(self):
        return struct.pack(">HHHH", self.sport, PORTS[self.kind], self.udp_len, 0)

    def bytes(self):
        ip, udp = self.ip_header(), self.udp_header()
        return ip + udp + self.body + icrc(ip, udp, self.body)
