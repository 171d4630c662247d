# SPDX-License-Identifier: GPL-2.0
"""Sealing, opening and the handshake (protocol.md, sections 4, 5, 7 to 10)."""

import hmac
from dataclasses import dataclass, field

from .packet import BTH_LEN, CONFIRM_ACK, HELLO, OPCODES, Header
from .suites import CODE_LEN, aead_open, aead_seal, cmac, prf_tag

EMISSIONS = 1 << 26
WINDOW = 1 << 23
HS_CODE = 2


class Refused(Exception):
    """Reports a packet that must be dropped, and why."""


def nonce64(conn, sender, psn64):
    return (conn.is_b(sender) << 63 | psn64).to_bytes(8, "big")


def mac_input(conn, sender, psn64, counter, hdr, udp_len, sgid=None, dgid=None):
    """Return M up to and including the extension headers (section 4)."""
    receiver = conn.other(sender)
    masked = bytearray(hdr)
    masked[4] = 0xff
    return (nonce64(conn, sender, psn64)
            + (b"" if counter is None else counter.to_bytes(4, "big"))
            + (sgid or sender.gid) + (dgid or receiver.gid)
            + udp_len.to_bytes(2, "big") + bytes(masked))


def extend(expected, start, psn):
    """Extend a 24-bit PSN to PSN64 (section 5)."""
    low = expected - WINDOW
    psn64 = low + ((psn - low) & 0xffffff)
    if psn64 < start:
        raise Refused("PSN below the start of the flow")
    return psn64


@dataclass
class Flow:
    """One side's requests and the responses to them: the inputs of K_F."""

    conn: object
    owner: object
    start: int
    nq: bytes
    nr: bytes
    expected: int = None
    k_flow: bytes = field(init=False)
    sub_keys: dict = field(init=False, default_factory=dict)

    def __post_init__(self):
        self.k_flow = self.conn.k_flow(self.owner, self.start, self.nq, self.nr)
        if self.expected is None:
            self.expected = self.start

    def sender(self, response):
        return self.conn.other(self.owner) if response else self.owner

    def key(self, response, epoch):
        if (response, epoch) not in self.sub_keys:
            self.sub_keys[response, epoch] = self.conn.sub_key(
                self.k_flow, self.sender(response), response, epoch)
        return self.sub_keys[response, epoch]


def _cover(conn, flow, response, psn64, counter, hdr, payload, udp_len, addresses=(),
           k_sr=None):
    """Return (key, M or associated data, nonce) of a packet."""
    sender = flow.sender(response)
    m = mac_input(conn, sender, psn64, counter, hdr, udp_len, *addresses)
    if k_sr:
        m += cmac(k_sr, m)
    if conn.mode == "packet":
        m += payload
    nonce = nonce64(conn, sender, psn64) + (counter or 0).to_bytes(4, "big")
    return flow.key(response, psn64 >> 24), m, nonce


class Sender:
    """Seals packets of one side of a flow; counts emissions per epoch."""

    def __init__(self, flow, response):
        self.flow, self.response = flow, response
        self.emitted = {}

    def seal(self, header, payload, psn64, counter=None, k_sr=None):
        """Return the packet from BTH to pad; `payload` includes the pad. `k_sr`: the key of the
        accessed memory, if it is protected (section 12)."""
        conn = self.flow.conn
        suite = conn.suite
        header.code = suite.code
        header.psn = psn64 & 0xffffff
        hdr = header.bytes()
        epoch = psn64 >> 24
        if suite.nonce_family:
            if counter is None:
                counter = self.emitted.get(epoch, 0)
            self.emitted[epoch] = counter + 1
        udp_len = 8 + len(hdr) + suite.sth_len + len(payload) + 4
        key, m, nonce = _cover(conn, self.flow, self.response, psn64, counter, hdr, payload,
                               udp_len, k_sr=k_sr)
        if not suite.nonce_family:
            return hdr + prf_tag(suite, key, m) + payload
        text, tag = aead_seal(suite, key, nonce, m, payload if conn.mode == "aead" else b"")
        sth = counter.to_bytes(4, "big") + tag
        return hdr + sth + (text if conn.mode == "aead" else payload)


class Receiver:
    """Opens packets of one side of a flow."""

    def __init__(self, flow, response):
        self.flow, self.response = flow, response
        self.seen = set()

    def open(self, body, sgid=None, dgid=None, k_sr=None):
        """Return (header, payload with pad) of a packet from BTH to pad, or raise Refused.
        `k_sr`: the key that must be proved, if the memory is protected."""
        conn, suite = self.flow.conn, self.flow.conn.suite
        opcode = OPCODES.get(body[0])
        if not opcode or opcode.response != self.response:
            raise Refused("opcode")
        header = Header.parse(body, opcode.hdr_len - BTH_LEN)
        if header.code != suite.code or len(body) < opcode.hdr_len + suite.sth_len:
            raise Refused("STH code")
        assert CODE_LEN[header.code] == suite.sth_len
        hdr = body[:opcode.hdr_len]
        sth = body[opcode.hdr_len:opcode.hdr_len + suite.sth_len]
        payload = body[opcode.hdr_len + suite.sth_len:]

        psn64 = extend(self.flow.expected, self.flow.start, header.psn)
        counter = None
        if suite.nonce_family:
            counter = int.from_bytes(sth[:4], "big")
            if counter >= EMISSIONS or (psn64 >> 24, counter) in self.seen:
                raise Refused("counter")
        key, m, nonce = _cover(conn, self.flow, self.response, psn64, counter, hdr, payload,
                               8 + len(body) + 4, (sgid, dgid), k_sr)
        if suite.nonce_family:
            text = aead_open(suite, key, nonce, m, payload if conn.mode == "aead" else b"",
                             sth[4:])
            if text is None:
                raise Refused("tag")
            payload = text if conn.mode == "aead" else payload
            self.seen.add((psn64 >> 24, counter))
        elif not hmac.compare_digest(prf_tag(suite, key, m), sth):
            raise Refused("tag")
        if conn.mode != "header" and header.pad and any(payload[-header.pad:]):
            raise Refused("pad")
        return header, payload


def _hs_tag(conn, sender, start, hdr):
    m = mac_input(conn, sender, start, None, hdr, 72)
    return hmac.digest(conn.k_hs, m, "sha256")[:16]


def handshake_frame(conn, sender, opcode, start, nq, nr=bytes(16), pkey=0xffff):
    """Return BTH, body and tag of a handshake frame (section 7)."""
    header = Header(opcode, conn.other(sender).qpn, start, nq + nr, pkey=pkey, code=HS_CODE)
    hdr = header.bytes()
    return hdr + _hs_tag(conn, sender, start, hdr)


def parse_handshake(conn, sender, frame):
    """Return (opcode, start, n_q, n_r) of a frame from `sender`, or raise Refused."""
    if len(frame) != 60 or not HELLO <= frame[0] <= CONFIRM_ACK:
        raise Refused("no handshake frame")
    header = Header.parse(frame, 32)
    if header.code != HS_CODE or header.pad or header.tver or header.ackreq:
        raise Refused("handshake header")
    if not hmac.compare_digest(_hs_tag(conn, sender, header.psn, frame[:44]), frame[44:]):
        raise Refused("tag")
    nq, nr = header.ext[:16], header.ext[16:]
    if not any(nq) or any(nr) == (header.opcode == HELLO):
        raise Refused("nonces")
    return header.opcode, header.psn, nq, nr
