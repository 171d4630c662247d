# SPDX-License-Identifier: GPL-2.0
"""Ends, key derivation and the key tree (protocol.md, sections 1 and 6)."""

import ipaddress
from dataclasses import dataclass
from functools import cached_property

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.kbkdf import CounterLocation, KBKDFHMAC, Mode
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .suites import MODES, Suite, cmac


def kdf(key, label, context, length):
    """SP 800-108r1, 4.1: counter mode, HMAC-SHA-256."""
    return KBKDFHMAC(algorithm=SHA256(), mode=Mode.CounterMode, length=length,
                     rlen=4, llen=4, location=CounterLocation.BeforeFixed,
                     label=label.encode("ascii"), context=context, fixed=None).derive(key)


@dataclass(frozen=True)
class End:
    """The address of a queue pair. `kind`: of its port, a key of packet.PORTS."""

    gid: bytes
    qpn: int
    kind: int = 0

    @classmethod
    def at(cls, address, qpn, kind=0):
        ip = ipaddress.ip_address(address)
        if ip.version == 4:
            return cls(bytes(10) + b"\xff\xff" + ip.packed, qpn, kind)
        return cls(ip.packed, qpn, kind)

    @property
    def bytes(self):
        return self.gid + bytes([self.kind]) + self.qpn.to_bytes(3, "big")


def share_of(scalar):
    """Return the X25519 share of an ephemeral key (RFC 7748)."""
    return X25519PrivateKey.from_private_bytes(scalar).public_key().public_bytes(
        Encoding.Raw, PublicFormat.Raw)


def shared_secret(scalar, share):
    """Return Z; raise ValueError if it would be zeros."""
    return X25519PrivateKey.from_private_bytes(scalar).exchange(
        X25519PublicKey.from_public_bytes(share))


def kdf_pair_paper(k_pd, x, y):
    """Derive K_AB as in the paper, section 4.5."""
    a, b = sorted((x.bytes, y.bytes))
    return cmac(k_pd, a + b)


class Connection:
    """The shared state of a connection's ends: identities, seal and secret.

    `second` is a connection of the same ends: if both a policy and the application provide a
    key, both keys enter, and `second` has the application's."""

    def __init__(self, x, y, suite: Suite, mode: str, key, pair_key=False, second=None):
        if x.bytes == y.bytes:
            raise ValueError("both ends are the same")
        if mode not in suite.modes:
            raise ValueError(f"{suite.name} has no mode {mode}")
        if not 16 <= len(key) <= 32:
            raise ValueError("keys have 16 to 32 bytes")
        self.a, self.b = sorted((x, y), key=lambda end: end.bytes)
        self.suite, self.mode = suite, mode
        if second and second.ends != self.ends:
            raise ValueError("the second key is for other ends")
        self.key, self.pair_key, self.second = key, pair_key, second

    def is_b(self, end):
        return end.bytes == self.b.bytes

    def other(self, end):
        return self.a if self.is_b(end) else self.b

    @property
    def s(self):
        return (self.suite.id.to_bytes(2, "big")
                + bytes([MODES[self.mode], self.suite.tag_len]))

    @property
    def ends(self):
        return self.a.bytes + self.b.bytes

    @cached_property
    def k_c(self):
        return kdf(self.key, "STH1 connection", b"", 32)

    @cached_property
    def k_ab(self):
        first = self.key if self.pair_key else kdf(self.k_c, "STH1 pair", self.ends, 32)
        if not self.second:
            return first
        # a given key may be shorter: pad it as HMAC would
        return kdf(first, "STH1 both", self.second.k_ab.ljust(32, b"\0"), 32)

    @cached_property
    def key_id(self):
        return kdf(self.k_ab, "STH2 key id", self.ends, 4)

    @cached_property
    def k_hs(self):
        return kdf(self.k_ab, "STH2 handshake", self.s + self.ends, 32)

    def k_flow(self, owner, start, nq, nr, shared):
        """Derive K_F of epoch 0."""
        context = (self.s + bytes([self.is_b(owner), 0, 0, 0]) + start.to_bytes(4, "big")
                   + nq + nr + self.ends)
        return kdf(shared.root(self, owner), "STH2 flow", context, 32)

    def sub_key(self, k_flow, sender, response, epoch, phase=0):
        context = (self.s + bytes([self.is_b(sender), response])
                   + phase.to_bytes(2, "big") + epoch.to_bytes(8, "big"))
        return kdf(k_flow, "STH2 packet", context, self.suite.key_len)


def ratchet(k_flow, epochs=1):
    """Derive K_F of a later epoch."""
    for _ in range(epochs):
        k_flow = kdf(k_flow, "STH2 ratchet", b"", 32)
    return k_flow


@dataclass(frozen=True)
class Shared:
    """The secret of a connection: shares of A and B, and Z."""

    a: bytes
    b: bytes
    z: bytes

    @classmethod
    def between(cls, conn, x, x_scalar, y_scalar):
        """Compute it from the ephemeral keys of x and of the other end."""
        a, b = (y_scalar, x_scalar) if conn.is_b(x) else (x_scalar, y_scalar)
        return cls(share_of(a), share_of(b), shared_secret(a, share_of(b)))

    def share(self, conn, end):
        return self.b if conn.is_b(end) else self.a

    def root(self, conn, owner):
        """Derive K_X of an end's flow."""
        both = kdf(conn.k_ab, "STH2 shared", self.z + self.a + self.b, 64)
        return both[32:] if conn.is_b(owner) else both[:32]
