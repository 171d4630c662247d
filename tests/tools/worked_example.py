#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Compute all of Documentation/protocol.md, section 15, from the text of the page alone.

To be read beside the page, from top to bottom; numbers in brackets are sections of the page. The
code serves nothing but these examples. It shares nothing with tools/codec or with the kernel, so
that a mistake of either shows here, as a value that the page does not have.
"""
import hmac
import re
import sys
import unittest
import zlib
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "kunit/vectors"))
import example                                          # noqa: E402


def u(number, length):
    """Encode an integer: unsigned, big-endian."""
    return number.to_bytes(length, "big")


# [3] The two suites of the examples: id, STH code, bytes of the STH, bytes of the tag. Their keys
# have 16 bytes.
CMAC_128 = {"id": 0x0101, "family": "PRF", "code": 2, "sth": 16, "tag": 16}
GCM_128 = {"id": 0x0401, "family": "nonce", "code": 3, "sth": 20, "tag": 16}
HEADER, PACKET, AEAD, OPAQUE = 1, 2, 3, 4
REQUESTS, RESPONSES = 0, 1      # [6] kind


# ------------------------------------------------------------------------- primitives

def cmac(key, data):
    """AES-CMAC (RFC 4493)."""
    mac = CMAC(AES(key))
    mac.update(data)
    return mac.finalize()


def gcm(key, nonce, associated, plaintext):
    """AES-GCM (SP 800-38D): ciphertext and tag."""
    both = AESGCM(key).encrypt(nonce, plaintext, associated)
    return both[:-16], both[-16:]


def kdf(key, label, context, length):
    """[6] SP 800-108r1, counter mode with HMAC-SHA-256; two blocks are enough here."""
    blocks = [hmac.digest(key, u(i, 4) + label + b"\0" + context + u(8 * length, 4), "sha256")
              for i in (1, 2)]
    return b"".join(blocks)[:length]


def share(scalar):
    """X25519 (RFC 7748) of the base point."""
    return X25519PrivateKey.from_private_bytes(scalar).public_key().public_bytes(
        Encoding.Raw, PublicFormat.Raw)


def x25519(scalar, point):
    return X25519PrivateKey.from_private_bytes(scalar).exchange(
        X25519PublicKey.from_public_bytes(point))


# ------------------------------------------------------------------------- packets

def bth(opcode, destination_qp, psn, code, pad=0, ackreq=0):
    """[2] The base transport header (IBA 9.2), 12 bytes. P_Key 0xffff."""
    return (u(opcode, 1) + u(pad << 4, 1) + u(PKEY, 2) + u(0, 1) + u(destination_qp, 3)
            + u(ackreq << 7 | code << 4, 1) + u(psn & 0xffffff, 3))


def split(mode, headers):
    """[2] The headers that precede the STH, and those that are ciphertext behind it."""
    return (headers[:12], headers[12:]) if mode == OPAQUE else (headers, b"")


def mac_input(numbers, source, destination, headers, rest):
    """[4] M up to and with the headers that precede the STH. `rest`: bytes that follow them in the
    packet, without the ICRC."""
    udp_length = 8 + len(headers) + rest + 4
    masked = headers[:4] + b"\xff" + headers[5:]
    return numbers + source + destination + u(udp_length, 2) + masked


def ipv4(source, destination, body):
    """A packet from IP header to ICRC: identification 0, DF, TTL 64, UDP checksum 0."""
    udp_length = 8 + len(body) + 4
    udp = u(SOURCE_PORT, 2) + u(4791, 2) + u(udp_length, 2)

    def header(tos, ttl, checksum):
        return (b"\x45" + u(tos, 1) + u(20 + udp_length, 2) + u(0, 2) + u(0x4000, 2) + u(ttl, 1)
                + u(17, 1) + checksum + source[12:] + destination[12:])

    total = int.from_bytes(header(0, 64, u(0, 2)), "big") % 0xffff    # RFC 1071
    checksum = u(0xffff - total, 2)
    # RoCEv2, annex A17.3.3: eight bytes of ones, then the packet with ones for TOS, TTL, both
    # checksums and byte 4 of the BTH
    variant = (b"\xff" * 8 + header(0xff, 0xff, b"\xff\xff") + udp + b"\xff\xff"
               + body[:4] + b"\xff" + body[5:])
    icrc = zlib.crc32(variant).to_bytes(4, "little")
    return header(0, 64, checksum) + udp + b"\0\0" + body + icrc


# ------------------------------------------------------------------------- inputs, as the page has them

def stated(pattern):
    """Find what the section's text says, between its values."""
    text = " ".join(line for line in example.section().splitlines() if not line.startswith("    "))
    found = re.search(pattern, text)
    if not found:
        sys.exit(f"worked_example: section 15 does not say: {pattern}")
    return found.group(1)


def number(pattern):
    return int(stated(pattern), 0)


def gid(address):
    """[1] IPv4 in mapped form."""
    return bytes(10) + b"\xff\xff" + bytes(int(byte) for byte in address.split("."))


def given(label):
    return next(value for _, name, value in example.values() if name == label)


PKEY = number(r"P_Key (0x\w+)")
SOURCE_PORT = number(r"source port (0x\w+)")
GID_A, QP_A = gid(stated(r"A at ([\d.]+),")), number(r"A at [\d.]+, QP (0x\w+)")
GID_B, QP_B = gid(stated(r"B at ([\d.]+),")), number(r"B at [\d.]+, QP (0x\w+)")
START = number(r"starts at PSN (0x\w+)")
K_PD, N_Q, N_R = given("K_PD"), given("n_q"), given("n_r")
EPHEMERAL_A, EPHEMERAL_B = given("ephemeral key of A"), given("ephemeral key of B")

A, B = GID_A + u(QP_A, 4), GID_B + u(QP_B, 4)           # [1]
assert A < B                                            # so A is A
A_SENDS, B_SENDS = 0, 1                                 # [4] direction
ADDRESS, RKEY = number(r"address (0x\w+)"), number(r"rkey (0x\w+)")
SYNDROME, MSN = number(r"syndrome (0x\w+)"), number(r"MSN (\w+)")
WRITE_COUNTER, ACK_COUNTER = number(r"counters (\d+)"), number(r"counters \d+ and (\d+)")
ACK_PSN64 = 0x1000001                                   # in the value's name
HELLO_PADDED = b"hello" + bytes(3)                      # payload, and its pad


# ------------------------------------------------------------------------- keys of the connection [6]

K_C = kdf(K_PD, b"STH1 connection", b"", 32)
K_AB = kdf(K_C, b"STH1 pair", A + B, 32)


KEY_ID = kdf(K_AB, b"STH2 key id", A + B, 4)
E_A, E_B = share(EPHEMERAL_A), share(EPHEMERAL_B)
Z = x25519(EPHEMERAL_A, E_B)
assert Z == x25519(EPHEMERAL_B, E_A)
ROOTS = kdf(K_AB, b"STH2 shared", Z + E_A + E_B, 64)
K_X_A, K_X_B = ROOTS[:32], ROOTS[32:]


def s_of(suite, mode):
    return u(suite["id"], 2) + u(mode, 1) + u(suite["tag"], 1)


def k_hs(suite, mode):
    return kdf(K_AB, b"STH2 handshake", s_of(suite, mode) + A + B, 32)


def k_f(suite, mode):
    owner = u(0, 1)                                     # A's flow
    context = s_of(suite, mode) + owner + bytes(3) + u(START, 4) + N_Q + N_R + A + B
    return kdf(K_X_A, b"STH2 flow", context, 32)        # of epoch 0


def k_f_of_epoch(suite, mode, epoch):
    key = k_f(suite, mode)
    for _ in range(epoch):
        key = kdf(key, b"STH2 ratchet", b"", 32)
    return key


def sub_key(suite, mode, direction, kind, epoch):
    context = s_of(suite, mode) + u(direction, 1) + u(kind, 1) + bytes(2) + u(epoch, 8)
    return kdf(k_f_of_epoch(suite, mode, epoch), b"STH2 packet", context, 16)


def nonce64(direction, psn64):
    return u(direction << 63 | psn64, 8)                # [4]


# ------------------------------------------------------------------------- handshake [7]

def frame(suite, mode, opcode, direction, n_r):
    source, destination, qp = (GID_A, GID_B, QP_B) if direction == A_SENDS else (GID_B, GID_A, QP_A)
    own_share = E_A if direction == A_SENDS else E_B
    headers = bth(opcode, qp, START, 2) + u(2, 1) + bytes(3) + KEY_ID + N_Q + n_r + own_share
    m = mac_input(nonce64(direction, START), source, destination, headers, 16)
    return headers + hmac.digest(k_hs(suite, mode), m, "sha256")[:16]


# ------------------------------------------------------------------------- sealing [8]

def head_of(suite, direction, psn64, counter, headers, text):
    """M up to and with `headers`, which precede the STH of a packet of the connection."""
    source, destination = (GID_A, GID_B) if direction == A_SENDS else (GID_B, GID_A)
    numbers = nonce64(direction, psn64)
    if suite["family"] == "nonce":
        numbers += u(counter, 4)
    return mac_input(numbers, source, destination, headers, suite["sth"] + len(text))


def parts(suite, mode, direction, kind, psn64, counter, headers, text):
    """The emission counter as sent, tag and text of a packet of the connection, with header mode
    for CMAC, and for GCM a mode that encrypts."""
    key = sub_key(suite, mode, direction, kind, psn64 >> 24)
    m = head_of(suite, direction, psn64, counter, headers, text)
    if suite["family"] == "PRF":
        return b"", cmac(key, m), text
    n = nonce64(direction, psn64) + u(counter, 4)
    ciphertext, tag = gcm(key, n, m, text)
    return u(counter, 4), tag, ciphertext


def seal(suite, mode, direction, kind, psn64, counter, headers, text):
    before, behind = split(mode, headers)
    return before + b"".join(parts(suite, mode, direction, kind, psn64, counter, before,
                                   behind + text))


def write_headers(suite, address):
    """WRITE ONLY: BTH and RETH (address, rkey, length of the payload)."""
    return (bth(0x0a, QP_B, START, suite["code"], pad=3, ackreq=1)
            + u(address, 8) + u(RKEY, 4) + u(len(b"hello"), 4))


def ack_headers(suite):
    """ACK: BTH and AETH (syndrome, MSN)."""
    return bth(0x11, QP_A, ACK_PSN64, suite["code"]) + u(SYNDROME, 1) + u(MSN, 3)


# ------------------------------------------------------------------------- memory keys [12]

def memory_keys():
    """The keys from K_M to K_SR, as the section names them."""
    size = number(r"region of (\d+) MiB") << 20
    depth, smallest = number(r"depth (\d+)"), number(r"smallest block (\d+) MiB") << 20
    start = number(r"offset (0x\w+)")
    end = start + len(b"hello")

    k_m = kdf(K_PD, b"STH1 memory", b"", 16)
    k_mr = cmac(k_m, b"\0" + u(ADDRESS, 8) + u(ADDRESS + size, 8) + u(RKEY, 4))
    node = cmac(k_mr, b"\1" + u(2, 1))                  # r = 2: write
    yield from (("K_M", k_m), ("K_MR", k_mr), ("root, write", node))

    low, length = 0, size                               # the root
    for step in range(1, depth + 1):
        length //= 2
        low += length if start >= low + length else 0
        assert length >= smallest and low <= start and end <= low + length
        node = cmac(node, b"\2" + u(low, 8) + u(low + length, 8))
        yield f"step {step}: [{low:#x}, {low + length:#x})", node
    yield f"K_SR of [{start:#x}, {end:#x})", cmac(node, b"\3" + u(start, 8) + u(end, 8))


# ------------------------------------------------------------------------- datagrams [11]

def datagram(suite, mode, k_ud, destination, qp):
    """Return the steps of a sealed datagram of A: values as the section names them."""
    salt, counter = bytes.fromhex(stated(r"salt (\w+)")), number(r"salt \w+, counter (\d+)")
    q_key, psn = number(r"Q_Key (0x\w+)"), number(r"PSN (0x\w+), Q_Key")
    sender_qp = 0 if mode == OPAQUE else QP_A
    key = kdf(k_ud, b"STH1 datagram", s_of(suite, mode) + GID_A + u(sender_qp, 4) + salt, 16)
    headers = bth(0x64, qp, psn, 5, pad=3) + u(q_key, 4) + u(QP_A, 4)      # BTH and DETH
    numbers = salt + u(counter, 8)
    before, behind = split(mode, headers)
    plain = behind + HELLO_PADDED
    m = mac_input(numbers, GID_A, destination, before, 32 + len(plain))
    m += plain if mode == PACKET else b""
    n = bytes(4) + u(counter, 8)
    if suite["family"] == "PRF":
        text, tag = plain, cmac(key, m)
    else:
        text, tag = gcm(key, n, m, plain)
    yield from (("K_UD", k_ud), ("S", s_of(suite, mode)), ("sub-key", key), ("M", m))
    if suite["family"] == "nonce":
        yield "N", n
    yield f'SEND ONLY, counter {counter}, payload "hello"', before + numbers + tag + text


# ------------------------------------------------------------------------- the section, in its order

SEALS = (("aes-cmac-128, header", CMAC_128, HEADER), ("aes-gcm-128, aead", GCM_128, AEAD),
         ("aes-gcm-128, opaque", GCM_128, OPAQUE))


def named(suite, counter):
    """Return the counter, as the name of a value has it."""
    return f", counter {counter}" if suite["family"] == "nonce" else ""


def connection():
    yield from (("A", A), ("B", B), ("K_PD", K_PD), ("n_q", N_Q), ("n_r", N_R),
                ("ephemeral key of A", EPHEMERAL_A), ("ephemeral key of B", EPHEMERAL_B),
                ("E_A", E_A), ("E_B", E_B), ("Z", Z), ("K_C", K_C), ("K_AB", K_AB),
                ("key id", KEY_ID), ("K_X of A", K_X_A), ("K_X of B", K_X_B))
    for name, suite, mode in SEALS:
        yield f"{name}: S", s_of(suite, mode)
        yield "K_HS", k_hs(suite, mode)
        yield "K_F, epoch 0", k_f(suite, mode)
        yield "K_F, epoch 1", k_f_of_epoch(suite, mode, 1)
        yield "request key, epoch 0", sub_key(suite, mode, A_SENDS, REQUESTS, 0)
        yield "response key, epoch 1", sub_key(suite, mode, B_SENDS, RESPONSES, 1)
        yield "HELLO", frame(suite, mode, 0xc0, A_SENDS, bytes(16))
        yield "HELLO-ACK", frame(suite, mode, 0xc1, B_SENDS, N_R)
        yield "CONFIRM", frame(suite, mode, 0xc2, A_SENDS, N_R)
        yield "CONFIRM-ACK", frame(suite, mode, 0xc3, B_SENDS, N_R)
        yield (f'WRITE ONLY, PSN64 {START:#x}{named(suite, WRITE_COUNTER)}, payload "hello"',
               seal(suite, mode, A_SENDS, REQUESTS, START, WRITE_COUNTER,
                    write_headers(suite, ADDRESS), HELLO_PADDED))
        ack = seal(suite, mode, B_SENDS, RESPONSES, ACK_PSN64, ACK_COUNTER, ack_headers(suite), b"")
        yield f"ACK, PSN64 {ACK_PSN64:#x}{named(suite, ACK_COUNTER)}", ack
        yield "the same ACK, IP to ICRC", ipv4(GID_B, GID_A, ack)


def memory():
    keys = list(memory_keys())
    yield from keys
    k_sr, address = keys[-1][1], ADDRESS + number(r"offset (0x\w+)")
    count = number(r"next counter, (\d+)")
    for name, suite, mode in SEALS[:2]:                 # opaque mode has no proofs
        headers = write_headers(suite, address)
        head = head_of(suite, A_SENDS, START, count, headers, HELLO_PADDED)
        sth, tag, sent = parts(suite, mode, A_SENDS, REQUESTS, START, count, headers, HELLO_PADDED)
        covered = sent if mode == AEAD else b""         # header mode covers no payload
        proof = cmac(k_sr, N_Q + N_R + head + covered)
        sum_of = bytes(a ^ b for a, b in zip(tag, proof))
        yield f"{name}: M up to and with the extension headers", head
        yield "proof", proof
        yield (f'WRITE ONLY, PSN64 {START:#x}{named(suite, count)}, payload "hello"',
               headers + sth + sum_of + sent)


def datagrams():
    group = gid(stated(r"group ([\d.]+),"))
    pair_key = kdf(K_C, b"STH1 datagram pair", GID_A + GID_B, 32)
    group_key = K_PD                                    # a key of the same bytes
    for name, suite, mode, k_ud, to, qp in (
            ("aes-cmac-128, packet, to B", CMAC_128, PACKET, pair_key, GID_B, QP_B),
            ("aes-gcm-128, aead, to B", GCM_128, AEAD, pair_key, GID_B, QP_B),
            ("aes-gcm-128, opaque, to B", GCM_128, OPAQUE, pair_key, GID_B, QP_B),
            ("aes-gcm-128, aead, to the group", GCM_128, AEAD, group_key, group, 0xffffff)):
        (first, value), *others = steps = list(datagram(suite, mode, k_ud, to, qp))
        yield f"{name}: {first}", value
        yield from others
    yield "the same, IP to ICRC", ipv4(GID_A, group, steps[-1][1])


class WorkedExample(unittest.TestCase):
    maxDiff = None

    def check(self, part, computed):
        """Compare every value of a part, and their names and order."""
        printed = [(name, value) for where, name, value in example.values() if where == part]
        computed = list(computed)
        self.assertEqual(len(printed), len(computed))
        for (name, value), (own_name, own) in zip(printed, computed):
            with self.subTest(name):
                self.assertEqual(value.hex(), own.hex())
                self.assertEqual(name, own_name)

    def test_connection(self):
        self.check("connection", connection())

    def test_memory(self):
        self.check("memory", memory())

    def test_datagrams(self):
        self.check("datagrams", datagrams())

    def test_every_value_belongs_to_a_part(self):
        self.assertEqual({part for part, *_ in example.values()}, set(example.PARTS))

    def test_kunit_has_the_values_of_the_page(self):
        self.assertEqual(example.header() + "\n",
                         (ROOT / "kunit/vectors/example.h").read_text())


if __name__ == "__main__":
    unittest.main()
