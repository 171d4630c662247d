# SPDX-License-Identifier: GPL-2.0
"""Sealed datagrams (protocol.md, section 11)."""

import hmac
from collections import OrderedDict
from dataclasses import dataclass

from .keys import End, kdf
from .packet import BTH_LEN, UD_OPCODES, Header
from .seal import EMISSIONS, Refused
from .suites import CODE_LEN, ENCRYPTING, MODES, Suite, aead_open, aead_seal, prf_tag

CODE, TAG_LEN, SALT_LEN, COUNTER_LEN = 5, 16, 8, 8
STH_LEN = SALT_LEN + COUNTER_LEN + TAG_LEN
GROUP_QPN = 0xffffff        # IBA 10.5.2.1: the QPN of all members of a group
WINDOW = 1984               # counters, including the greatest
assert CODE_LEN[CODE] == STH_LEN


def k_pair(k_pd, x_gid, y_gid):
    """Derive K_UD of two hosts."""
    k_c = kdf(k_pd, "STH1 connection", b"", 32)
    return kdf(k_c, "STH1 datagram pair", b"".join(sorted((x_gid, y_gid))), 32)


def k_group(key):
    """Return K_UD of a group from its key."""
    if not 16 <= len(key) <= 32:
        raise ValueError("keys have 16 to 32 bytes")
    return key.ljust(32, b"\0")


def has_datagrams(suite):
    """Test whether a suite supports datagrams: its tag fits after salt and counter."""
    return suite.tag_len == TAG_LEN


def deth(qkey, qpn):
    """Encode the datagram extended transport header (IBA 9.3.2)."""
    return qkey.to_bytes(4, "big") + qpn.to_bytes(4, "big")


@dataclass(frozen=True)
class Seal:
    """The seal of datagrams between two hosts, or among the members of a group."""

    suite: Suite
    mode: str
    k_ud: bytes

    def __post_init__(self):
        if not has_datagrams(self.suite) or self.mode not in self.suite.modes:
            raise ValueError(f"{self.suite.name} {self.mode} has no datagram form")

    @property
    def s(self):
        return self.suite.id.to_bytes(2, "big") + bytes([MODES[self.mode], TAG_LEN])

    def sub_key(self, sender, salt):
        qpn = 0 if self.mode == "opaque" else sender.qpn
        end = End(sender.gid, qpn, sender.kind)
        return kdf(self.k_ud, "STH1 datagram", self.s + end.bytes + salt, self.suite.key_len)

    def cover(self, salt, counter, sgid, dgid, hdr, payload, udp_len):
        """Return (M or associated data, nonce) of a packet; `hdr`: the bytes before the STH."""
        masked = bytearray(hdr)
        masked[4] = 0xff
        numbers = counter.to_bytes(COUNTER_LEN, "big")
        m = salt + numbers + sgid + dgid + udp_len.to_bytes(2, "big") + bytes(masked)
        return m + (payload if self.mode == "packet" else b""), bytes(4) + numbers


class Speaker:
    """A queue pair that sends datagrams, with one salt and one counter for all its peers."""

    def __init__(self, end, salt, counter=0):
        self.end, self.salt, self.counter = end, salt, counter

    def seal(self, seal, header, payload, dgid, counter=None):
        """Return the packet from BTH to pad; `header` has DETH and ImmDt, `payload` includes
        the pad. An explicit counter does not advance the speaker's own."""
        if counter is None:
            counter = self.counter
            self.counter += 1
        header.code = CODE
        hdr = header.bytes()
        at = UD_OPCODES[header.opcode].clear_len(seal.mode)
        hdr, payload = hdr[:at], hdr[at:] + payload
        udp_len = 8 + len(hdr) + STH_LEN + len(payload) + 4
        m, nonce = seal.cover(self.salt, counter, self.end.gid, dgid, hdr, payload, udp_len)
        key, text = seal.sub_key(self.end, self.salt), payload
        if not seal.suite.nonce_family:
            tag = prf_tag(seal.suite, key, m)
        elif seal.mode in ENCRYPTING:
            text, tag = aead_seal(seal.suite, key, nonce, m, payload)
        else:
            _, tag = aead_seal(seal.suite, key, nonce, m, b"")
        return hdr + self.salt + counter.to_bytes(COUNTER_LEN, "big") + tag + text


class Window:
    """Accepted counters, as far back as the window reaches (RFC 6479)."""

    def __init__(self, width=WINDOW):
        self.width, self.next, self.seen = width, 0, 0

    def fresh(self, counter):
        """Test whether a counter is new; counters older than the window are not."""
        behind = self.next - 1 - counter
        return behind < 0 or (behind < self.width and not self.seen >> behind & 1)

    def mark(self, counter):
        ahead = max(0, counter + 1 - self.next)
        self.next += ahead
        self.seen = (self.seen << ahead | 1 << self.next - 1 - counter) & (1 << self.width) - 1


@dataclass(frozen=True)
class Datagram:
    """The parts of a sealed packet, before verification."""

    header: Header      # in mode opaque without extension headers
    hdr: bytes          # the bytes before the STH
    salt: bytes
    counter: int
    tag: bytes
    rest: bytes         # payload and pad; ciphertext in mode aead; in mode opaque with extension headers
    sqpn: int           # 0 in mode opaque

    @classmethod
    def parse(cls, body, mode="aead"):
        """Parse a packet from BTH to pad; raise Refused if it is malformed. All modes but opaque
        have the same form."""
        opcode = UD_OPCODES.get(body[0])
        if not opcode:
            raise Refused("opcode")
        at = opcode.clear_len(mode)
        header = Header.parse(body, at - BTH_LEN)
        if header.code != CODE or len(body) < opcode.hdr_len + STH_LEN + header.pad:
            raise Refused("STH code")
        sth, rest = body[at:at + STH_LEN], body[at + STH_LEN:]
        return cls(header, body[:at], sth[:SALT_LEN],
                   int.from_bytes(sth[SALT_LEN:SALT_LEN + COUNTER_LEN], "big"),
                   sth[-TAG_LEN:], rest, int.from_bytes(header.ext[5:8], "big"))

    def text(self, seal, sender, dgid):
        """Return payload and pad, in mode opaque behind the extension headers; None if the tag is
        wrong."""
        udp_len = 8 + len(self.hdr) + STH_LEN + len(self.rest) + 4
        m, nonce = seal.cover(self.salt, self.counter, sender.gid, dgid, self.hdr, self.rest,
                              udp_len)
        key = seal.sub_key(sender, self.salt)
        if not seal.suite.nonce_family:
            right = hmac.compare_digest(prf_tag(seal.suite, key, m), self.tag)
            return self.rest if right else None
        if seal.mode in ENCRYPTING:
            return aead_open(seal.suite, key, nonce, m, self.rest, self.tag)
        return None if aead_open(seal.suite, key, nonce, m, b"", self.tag) is None else self.rest


class Listener:
    """A host that opens datagrams. It has a window for each salt of each sender's queue pair
    (in mode opaque: of each sender), up to a maximum number; datagrams of forgotten windows are accepted a second time."""

    def __init__(self, most=256):
        self.most, self.windows = most, OrderedDict()

    def window(self, name):
        """Return the window of that name and mark it as the newest."""
        self.windows.setdefault(name, Window())
        self.windows.move_to_end(name)
        if len(self.windows) > self.most:
            self.windows.popitem(last=False)
        return self.windows[name]

    def open(self, seal, body, sgid, dgid, kind=0):
        """Return (header, payload with pad) of a packet from BTH to pad, or raise Refused. `kind`:
        of both ports."""
        packet = Datagram.parse(body, seal.mode)
        sender = End(sgid, packet.sqpn, kind)
        name = sender.bytes, dgid, packet.salt
        known = self.windows.get(name)
        if packet.counter >= EMISSIONS or (known and not known.fresh(packet.counter)):
            raise Refused("counter")
        text = packet.text(seal, sender, dgid)
        if text is None:
            raise Refused("tag")
        self.window(name).mark(packet.counter)
        pad = packet.header.pad
        if seal.mode == "opaque":
            ext_len = UD_OPCODES[body[0]].ext_len
            packet.header.ext, text = text[:ext_len], text[ext_len:]
        if seal.mode != "header" and pad and any(text[-pad:]):
            raise Refused("pad")
        return packet.header, text
