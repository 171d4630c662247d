# SPDX-License-Identifier: GPL-2.0
"""Sealing, opening and the handshake (protocol.md, sections 4, 5, 7 to 10)."""

import hmac
from dataclasses import dataclass, field

from .keys import Shared, ratchet
from .packet import BTH_LEN, CONFIRM_ACK, EXT_LEN, HELLO, OPCODES, Header
from .suites import CODE_LEN, ENCRYPTING, aead_open, aead_seal, cmac, prf_tag

EMISSIONS = 1 << 26
PHASES = 4                  # that the BTH tells apart
WINDOW = 1 << 23
HS_CODE = 2
HS_VERSION = 2
HS_LEN = BTH_LEN + EXT_LEN["HS"] + 16
HS_UDP_LEN = 8 + HS_LEN + 4


class Refused(Exception):
    """Reports a packet that must be dropped, and why."""


def nonce64(conn, sender, psn64):
    return (conn.is_b(sender) << 63 | psn64).to_bytes(8, "big")


def mac_input(conn, sender, psn64, counter, hdr, udp_len, sgid=None, dgid=None):
    """Return M up to and with the headers that precede the STH (section 4)."""
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
    shared: Shared
    expected: int = None
    k_flow: bytes = field(init=False)
    sub_keys: dict = field(init=False, default_factory=dict)

    def __post_init__(self):
        self.k_flow = self.conn.k_flow(self.owner, self.start, self.nq, self.nr, self.shared)
        if self.expected is None:
            self.expected = self.start

    def sender(self, response):
        return self.conn.other(self.owner) if response else self.owner

    def key(self, response, epoch, phase=0):
        if (response, epoch, phase) not in self.sub_keys:
            self.sub_keys[response, epoch, phase] = self.conn.sub_key(
                ratchet(self.k_flow, epoch), self.sender(response), response, epoch, phase)
        return self.sub_keys[response, epoch, phase]


def _cover(conn, flow, response, psn64, counter, hdr, udp_len, addresses=()):
    """Return (M up to and with the headers that precede the STH, nonce) of a packet."""
    sender = flow.sender(response)
    head = mac_input(conn, sender, psn64, counter, hdr, udp_len, *addresses)
    return head, nonce64(conn, sender, psn64) + (counter or 0).to_bytes(4, "big")


def prove(flow, k_sr, head, wire):
    """Return the memory proof (section 12); `wire`: payload and pad as they are sent."""
    return cmac(k_sr, flow.nq + flow.nr + head + (b"" if flow.conn.mode == "header" else wire))


def with_proof(tag, proof):
    """Add a proof to a tag, or take it away again."""
    return bytes(a ^ b for a, b in zip(tag, proof)) + tag[len(proof):]


class Sender:
    """Seals packets of one side of a flow; counts emissions per epoch and phase."""

    def __init__(self, flow, response):
        self.flow, self.response = flow, response
        self.emitted = {}       # epoch: (phase, packets sealed in it)

    def number(self, epoch, emission):
        """Return (phase, counter) of the next packet, and count it. `emission`: another than the
        next one, counted over all phases."""
        phase, count = self.emitted.get(epoch, (0, 0))
        if emission is not None:
            phase, count = divmod(emission, EMISSIONS)
        elif count == EMISSIONS:
            phase, count = phase + 1, 0
        self.emitted[epoch] = phase, count + 1
        return phase, count

    def seal(self, header, payload, psn64, emission=None, k_sr=None):
        """Return the packet from BTH to pad; `payload` includes the pad. `emission`: another than
        the next one of its epoch. `k_sr`: the key of the accessed memory, if it is protected
        (section 12)."""
        conn = self.flow.conn
        suite = conn.suite
        if k_sr and conn.mode == "opaque":
            raise ValueError("a request in opaque mode has no proof")
        phase, counter = self.number(psn64 >> 24, emission)
        if not suite.nonce_family:
            counter = None
        header.code = suite.code
        header.psn = psn64 & 0xffffff
        header.variant = phase % PHASES
        hdr = header.bytes()
        at = OPCODES[header.opcode].clear_len(conn.mode)
        hdr, payload = hdr[:at], hdr[at:] + payload
        udp_len = 8 + len(hdr) + suite.sth_len + len(payload) + 4
        head, nonce = _cover(conn, self.flow, self.response, psn64, counter, hdr, udp_len)
        key = self.flow.key(self.response, psn64 >> 24, phase)
        m = head + (payload if conn.mode == "packet" else b"")
        if suite.nonce_family:
            text, tag = aead_seal(suite, key, nonce, m,
                                  payload if conn.mode in ENCRYPTING else b"")
        else:
            text, tag = b"", prf_tag(suite, key, m)
        wire = text if conn.mode in ENCRYPTING else payload
        if k_sr:
            tag = with_proof(tag, prove(self.flow, k_sr, head, wire))
        return hdr + (counter.to_bytes(4, "big") if suite.nonce_family else b"") + tag + wire


class Receiver:
    """Opens packets of one side of a flow."""

    def __init__(self, flow, response):
        self.flow, self.response = flow, response
        self.seen = set()
        self.newest = {}        # epoch: greatest phase of which a packet has verified

    def phase(self, epoch, header):
        """Return the phase that a packet names: the newest, the one before it, or the next."""
        newest = self.newest.get(epoch, 0)
        for phase in range(max(newest - 1, 0), newest + 2):
            if phase % PHASES == header.variant % PHASES:
                return phase
        raise Refused("phase")

    def open(self, body, sgid=None, dgid=None, k_sr=None):
        """Return (header, payload with pad) of a packet from BTH to pad, or raise Refused.
        `k_sr`: the key that must be proved, if the memory is protected; not in opaque mode, which
        cannot access it."""
        conn, suite = self.flow.conn, self.flow.conn.suite
        opcode = OPCODES.get(body[0])
        if not opcode or opcode.response != self.response:
            raise Refused("opcode")
        at = opcode.clear_len(conn.mode)
        header = Header.parse(body, at - BTH_LEN)
        if header.code != suite.code or len(body) < opcode.hdr_len + suite.sth_len:
            raise Refused("STH code")
        assert CODE_LEN[header.code] == suite.sth_len
        hdr, sth, payload = body[:at], body[at:at + suite.sth_len], body[at + suite.sth_len:]

        psn64 = extend(self.flow.expected, self.flow.start, header.psn)
        epoch = psn64 >> 24
        phase = self.phase(epoch, header)
        counter, tag = None, sth
        if suite.nonce_family:
            tag = sth[4:]
            counter = int.from_bytes(sth[:4], "big")
            if counter >= EMISSIONS or (epoch, phase, counter) in self.seen:
                raise Refused("counter")
        head, nonce = _cover(conn, self.flow, self.response, psn64, counter, hdr,
                             8 + len(body) + 4, (sgid, dgid))
        key = self.flow.key(self.response, epoch, phase)
        m = head + (payload if conn.mode == "packet" else b"")
        if k_sr:
            tag = with_proof(tag, prove(self.flow, k_sr, head, payload))
        if suite.nonce_family:
            text = aead_open(suite, key, nonce, m,
                             payload if conn.mode in ENCRYPTING else b"", tag)
            if text is None:
                raise Refused("tag")
            payload = text if conn.mode in ENCRYPTING else payload
            self.seen.add((epoch, phase, counter))
        elif not hmac.compare_digest(prf_tag(suite, key, m), tag):
            raise Refused("tag")
        self.newest[epoch] = max(phase, self.newest.get(epoch, 0))
        if conn.mode == "opaque":
            header.ext, payload = payload[:opcode.ext_len], payload[opcode.ext_len:]
        if conn.mode != "header" and header.pad and any(payload[-header.pad:]):
            raise Refused("pad")
        return header, payload


@dataclass(frozen=True)
class Frame:
    """The fields of a handshake frame (section 7)."""

    opcode: int
    start: int
    nq: bytes
    share: bytes            # of the sender
    nr: bytes = bytes(16)
    pkey: int = 0xffff


def _hs_tag(conn, sender, start, hdr):
    m = mac_input(conn, sender, start, None, hdr, HS_UDP_LEN)
    return hmac.digest(conn.k_hs, m, "sha256")[:16]


def handshake_frame(conn, sender, frame):
    """Return BTH, body and tag of a handshake frame."""
    body = bytes([HS_VERSION, 0, 0, 0]) + conn.key_id + frame.nq + frame.nr + frame.share
    hdr = Header(frame.opcode, conn.other(sender).qpn, frame.start, body, pkey=frame.pkey,
                 code=HS_CODE).bytes()
    return hdr + _hs_tag(conn, sender, frame.start, hdr)


def parse_handshake(conn, sender, data):
    """Return the Frame from `sender`, or raise Refused."""
    if len(data) != HS_LEN or not HELLO <= data[0] <= CONFIRM_ACK:
        raise Refused("no handshake frame")
    header = Header.parse(data, EXT_LEN["HS"])
    if header.code != HS_CODE or header.pad or header.tver or header.ackreq:
        raise Refused("handshake header")
    body = header.ext
    if body[:4] != bytes([HS_VERSION, 0, 0, 0]):
        raise Refused("version")
    if body[4:8] != conn.key_id:
        raise Refused("key")
    if not hmac.compare_digest(_hs_tag(conn, sender, header.psn, data[:-16]), data[-16:]):
        raise Refused("tag")
    nq, nr = body[8:24], body[24:40]
    if not any(nq) or any(nr) == (header.opcode == HELLO):
        raise Refused("nonces")
    return Frame(header.opcode, header.psn, nq, body[40:], nr, header.pkey)
