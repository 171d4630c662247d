#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the codec against its specification, other implementations, and itself."""

import hmac
import pathlib
import re
import struct
import tempfile
import unittest

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sth import (MODES, OPCODES, RIGHTS, SUITES, Connection, End, Flow, Frame, Header, Packet,
                 Receiver, Refused, Region, Sender, Shared, access_key, block_key, handshake_frame, k_access,
                 k_memory, kdf, parse_handshake, ratchet, root_key)
from sth.packet import EXT_LEN, HELLO
from sth.seal import EMISSIONS, extend, mac_input
from sth.suites import CODE_LEN, cmac, prf_tag
import capture
import memory_vectors
import vectors

SPEC = pathlib.Path(__file__).resolve().parents[2] / "Documentation/protocol.md"
KUNIT = pathlib.Path(__file__).resolve().parents[2] / "kunit/vectors"
A, B = End.at("10.77.0.1", 0x11), End.at("10.77.0.2", 0x12)


def shared_of(conn):
    return Shared.between(conn, A, b"\3" * 32, b"\4" * 32)


def flow_of(suite, mode, start=0xfffff0):
    conn = Connection(A, B, SUITES[suite], mode, bytes(range(32)))
    return Flow(conn, A, start, b"\1" * 16, b"\2" * 16, shared_of(conn))


def every_mode():
    return [(s.name, mode) for s in SUITES.values() for mode in s.modes]


def every_mode_with_proofs():
    return [(suite, mode) for suite, mode in every_mode() if mode != "opaque"]


class Specification(unittest.TestCase):
    def test_suites_are_those_of_the_table(self):
        row = re.compile(r"^\| (\S+) \| (0x\d+) \| (PRF|nonce) \| [^|]+ \| (\d+) \| (\d+) "
                         r"\| (\d+) \| (\d) \| ([a-z, ]+) \|$", re.M)
        rows = row.findall(SPEC.read_text())
        self.assertEqual(len(rows), len(SUITES))
        for name, ident, family, key, tag, sth, code, modes in rows:
            s = SUITES[name]
            self.assertEqual((s.id, s.nonce_family, s.key_len, s.tag_len, s.sth_len, s.code),
                             (int(ident, 0), family == "nonce", int(key), int(tag), int(sth),
                              int(code)), name)
            self.assertEqual(s.modes, tuple(modes.split(", ")), name)

    def test_code_announces_the_length(self):
        for s in SUITES.values():
            self.assertEqual(CODE_LEN[s.code], s.sth_len, s.name)

    def test_worked_example_is_what_the_codec_makes(self):
        self.assertIn(vectors.example(), SPEC.read_text())
        self.assertIn(memory_vectors.example(), SPEC.read_text())

    def test_kunit_has_the_vectors_that_the_codec_makes(self):
        self.assertEqual(vectors.c_header(vectors.collect(SUITES)) + "\n",
                         (KUNIT / "sth.h").read_text())
        self.assertEqual(memory_vectors.c_header(memory_vectors.collect()) + "\n",
                         (KUNIT / "memory.h").read_text())


class Keys(unittest.TestCase):
    def test_kdf_is_counter_mode_written_out(self):
        for length in (16, 20, 32, 33, 64):
            out = b"".join(hmac.digest(b"k" * 32, i.to_bytes(4, "big") + b"label\0" + b"context"
                                       + (8 * length).to_bytes(4, "big"), "sha256")
                           for i in (1, 2))[:length]
            self.assertEqual(kdf(b"k" * 32, "label", b"context", length), out)

    def test_no_two_keys_are_the_same(self):
        seen = set()
        for suite, mode in every_mode():
            for owner in (A, B):
                conn = Connection(A, B, SUITES[suite], mode, bytes(range(32)))
                flow = Flow(conn, owner, 0, b"\1" * 16, b"\2" * 16, shared_of(conn))
                for response in (False, True):
                    for epoch in (0, 1):
                        seen.add(flow.key(response, epoch)[:16])
        self.assertEqual(len(seen), 8 * len(every_mode()))

    def test_order_of_ends_does_not_matter(self):
        for x, y in ((A, B), (B, A)):
            conn = Connection(x, y, SUITES["aes-gcm-128"], "aead", bytes(16))
            self.assertEqual((conn.a, conn.b), (A, B))

    def test_an_end_is_not_its_own_peer(self):
        with self.assertRaises(ValueError):
            Connection(A, A, SUITES["aes-gcm-128"], "aead", bytes(16))


    def test_two_keys_both_enter(self):
        suite, policy, own = SUITES["aes-gcm-128"], b"p" * 32, b"o" * 16
        seen = set()
        for pair_key in (False, True):
            for first, then in ((policy, own), (own, policy), (policy, policy)):
                second = Connection(A, B, suite, "aead", then, pair_key)
                alone = Connection(A, B, suite, "aead", first, pair_key)
                both = Connection(A, B, suite, "aead", first, pair_key, second)
                self.assertEqual(both.k_ab, kdf(alone.k_ab, "STH1 both",
                                                (second.k_ab + bytes(16))[:32], 32))
                seen |= {alone.k_ab, second.k_ab, both.k_ab}
        self.assertEqual(len(seen), 10)

    def test_the_second_key_is_for_the_same_ends(self):
        suite = SUITES["aes-gcm-128"]
        with self.assertRaises(ValueError):
            Connection(A, B, suite, "aead", bytes(16), False,
                       Connection(A, End.at("10.77.0.3", 0x12), suite, "aead", bytes(16)))


class Memory(unittest.TestCase):
    PAPERS = Region(0x7f0000000000, 1 << 24, 0x1234, 4, 20)

    def test_a_mebibyte_of_sixteen_is_four_steps(self):
        for block in range(16):
            path = self.PAPERS.path(block << 20, (block + 1) << 20)
            self.assertEqual((len(path) - 1, path[-1]), (4, (block << 20, 20)))

    def test_the_node_is_the_smallest_block_around(self):
        for length in (1, 2, 7, 8, 21, 32):
            for depth, shift in ((0, 0), (2, 0), (9, 0), (9, 2), (3, 9)):
                region = Region(0, length, 1, depth, shift)
                k = region.root_shift
                nodes = [(s, j) for j in range(k + 1) for s in range(0, 1 << k, 1 << j)
                         if k - j <= depth and (j >= shift or j == k)]
                for start in range(length):
                    for end in range(start + 1, length + 1):
                        around = [n for n in nodes if n[0] <= start and end <= n[0] + (1 << n[1])]
                        self.assertEqual(region.path(start, end)[-1],
                                         min(around, key=lambda n: n[1]))

    def test_what_is_not_inside_has_no_path(self):
        for start, end in ((-1, 5), (5, 5), (0, (1 << 24) + 1), (1 << 24, (1 << 24) + 1)):
            with self.assertRaises(ValueError):
                self.PAPERS.path(start, end)

    def test_derivation_is_cmac_written_out(self):
        k_m = k_memory(bytes(range(32)))
        self.assertEqual(k_m, kdf(bytes(range(32)), "STH1 memory", b"", 16))
        u64 = [n.to_bytes(8, "big") for n in (0x7f0000000000, 0x7f0001000000)]
        key = cmac(k_m, b"\0" + u64[0] + u64[1] + bytes.fromhex("00001234"))
        key = cmac(key, bytes.fromhex("0103"))
        for start, end in ((0, 0x800000), (0x400000, 0x800000), (0x400000, 0x600000),
                           (0x500000, 0x600000)):
            key = cmac(key, b"\2" + start.to_bytes(8, "big") + end.to_bytes(8, "big"))
        key = cmac(key, b"\3" + (0x500010).to_bytes(8, "big") + (0x500018).to_bytes(8, "big"))
        self.assertEqual(k_access(self.PAPERS.k_mr(k_m), self.PAPERS, "atomic", 0x500010,
                                  0x500018), key)

    def test_a_block_gives_what_is_inside_and_no_sibling(self):
        root = root_key(bytes(16), "read")
        region = Region(0, 64, 1, 6, 0)
        mine = block_key(root, region.path(16, 32))
        for start in range(64):
            for end in range(start + 1, 65):
                path = region.path(start, end)
                whole = access_key(block_key(root, path), start, end)
                inside = 16 <= start and end <= 32
                below = path[path.index((16, 4)):] if (16, 4) in path else [None]
                self.assertEqual(access_key(block_key(mine, below), start, end) == whole, inside)

    def test_no_two_keys_are_the_same(self):
        seen, count = set(), 0
        for region in memory_vectors.REGIONS:
            k_mr = region.k_mr(k_memory(bytes(32)))
            for right in RIGHTS:
                for start, end in memory_vectors.ranges(region):
                    seen.add(k_access(k_mr, region, right, start, end))
                    count += 1
        self.assertEqual(len(seen), count)

    def test_only_who_proves_is_let_in(self):
        right, wrong = b"r" * 16, b"w" * 16
        for suite, mode in every_mode_with_proofs():
            for opcode in (o for o in OPCODES.values() if {"RETH", "AtomicETH"} & set(o.ext)):
                flow = flow_of(suite, mode)
                ext = bytes(range(sum(EXT_LEN[e] for e in opcode.ext)))
                text = b"data" if opcode.payload else b""
                body = Sender(flow, False).seal(Header(opcode.value, 0x12, 0, ext), text,
                                                0xfffff0, k_sr=right)
                for k_sr in (None, wrong):
                    with self.assertRaises(Refused):
                        Receiver(flow, False).open(body, k_sr=k_sr)
                self.assertEqual(Receiver(flow, False).open(body, k_sr=right)[1], text)

    def test_the_proof_is_added_to_the_tag(self):
        flow, k_sr = flow_of("hmac-sha256", "packet"), b"r" * 16
        header = Header(0x0a, 0x12, 0, bytes(range(16)))
        body = Sender(flow, False).seal(header, b"data", 0xfffff0, k_sr=k_sr)
        head = mac_input(flow.conn, A, 0xfffff0, None, header.bytes(), 8 + len(body) + 4)
        tag = prf_tag(flow.conn.suite, flow.key(False, 0), head + b"data")
        proof = cmac(k_sr, flow.nq + flow.nr + head + b"data")
        self.assertEqual([a ^ b for a, b in zip(body[len(header.bytes()):-4], tag)],
                         list(proof) + [0] * 16)

    def test_an_insider_cannot_change_what_was_proved(self):
        """C2: K_AB and a proved WRITE yield tags, but no proof for another payload, nor for another
        life of the connection."""
        k_sr = b"r" * 16
        for suite, mode in every_mode_with_proofs():
            if mode == "header":
                continue
            flow = flow_of(suite, mode)
            header = Header(0x0a, 0x12, 0, bytes(range(16)))
            seen = Sender(flow, False).seal(header, b"data", 0xfffff0, k_sr=k_sr)
            at = len(header.bytes()) + flow.conn.suite.sth_len - flow.conn.suite.tag_len
            tag_end = at + flow.conn.suite.tag_len

            def tag_of(where, text):
                body = Sender(where, False).seal(Header(0x0a, 0x12, 0, bytes(range(16))), text,
                                                 0xfffff0)
                return body[at:tag_end], body

            proof = bytes(a ^ b for a, b in zip(seen[at:tag_end], tag_of(flow, b"data")[0]))
            again = Flow(flow.conn, A, flow.start, b"\1" * 16, b"\5" * 16, flow.shared)
            for where, text in ((flow, b"evil"), (again, b"data")):
                tag, body = tag_of(where, text)
                forged = (body[:at] + bytes(a ^ b for a, b in zip(tag, proof))
                          + body[tag_end:])
                with self.assertRaises(Refused):
                    Receiver(where, False).open(forged, k_sr=k_sr)


class Sequence(unittest.TestCase):
    def test_extension_takes_the_only_match(self):
        for expected in (0, 5, 0x7fffff, 0x800000, 0xffffff, 0x1000000, 0x123456789a):
            for ahead in (-(1 << 23), -1, 0, 1, (1 << 23) - 1):
                want = expected + ahead
                if want >= 0:
                    self.assertEqual(extend(expected, 0, want & 0xffffff), want)

    def test_below_the_start_is_refused(self):
        with self.assertRaises(Refused):
            extend(0x10, 0x10, 0x0f)


class Packets(unittest.TestCase):
    def test_icrc_is_scapys(self):
        from scapy.all import IP, raw
        from scapy.contrib.roce import BTH  # noqa: F401  (registers it for UDP)
        body = Header(0x0a, 0x12, 5, bytes(range(16))).bytes() + b"payload!"
        packet = Packet(A.gid, B.gid, body).bytes()
        theirs = IP(packet)
        theirs[BTH].icrc = None
        self.assertEqual(raw(theirs)[-4:], packet[-4:])

    def test_what_is_sealed_opens_and_no_bit_of_it_may_change(self):
        for suite, mode in every_mode():
            for opcode in OPCODES.values():
                flow = flow_of(suite, mode)
                ext = bytes(range(sum(EXT_LEN[e] for e in opcode.ext)))
                text = b"abc\0" if opcode.payload else b""
                header = Header(opcode.value, 0x12, 0, ext, pad=1 if text else 0)
                body = Sender(flow, opcode.response).seal(header, text, 0xfffff0)
                found, opened = Receiver(flow, opcode.response).open(body)
                self.assertEqual((found.ext, opened), (ext, text))
                self.no_bit_may_change(flow, opcode.response, body, mode, len(text))

    def no_bit_may_change(self, flow, response, body, mode, payload):
        for bit in range(0, 8 * len(body), 3):
            changed = bytearray(body)
            changed[bit // 8] ^= 0x80 >> bit % 8
            free = 32 <= bit < 38 or (mode == "header" and bit // 8 >= len(body) - payload)
            try:
                Receiver(flow, response).open(bytes(changed))
            except Refused:
                self.assertFalse(free)
            else:
                self.assertTrue(free, f"bit {bit} of {body.hex()}")

    def test_an_opaque_packet_shows_its_bth_and_its_seal_alone(self):
        """GCM, written out: associated data and plaintext meet where the STH is."""
        flow, ext = flow_of("aes-gcm-128", "opaque"), bytes(range(16))
        header = Header(0x0a, B.qpn, 0, ext, pad=1)
        body = Sender(flow, False).seal(header, b"abc\0", 0xfffff0, 7)
        bth = header.bytes()[:12]
        nonce = bytes.fromhex("0000000000fffff0" "00000007")
        m = (nonce + A.gid + B.gid + (8 + len(body) + 4).to_bytes(2, "big")
             + bth[:4] + b"\xff" + bth[5:])
        out = AESGCM(flow.key(False, 0)).encrypt(nonce, ext + b"abc\0", m)
        self.assertEqual(body, bth + nonce[8:] + out[-16:] + out[:-16])
        clear = Sender(flow_of("aes-gcm-128", "aead"), False).seal(
            Header(0x0a, B.qpn, 0, ext, pad=1), b"abc\0", 0xfffff0, 7)
        self.assertEqual((len(body), body[:12]), (len(clear), clear[:12]))

    def test_no_mode_opens_what_another_has_sealed(self):
        for suite in (s for s in SUITES.values() if "opaque" in s.modes):
            for sent, opened in (("aead", "opaque"), ("opaque", "aead")):
                for opcode in OPCODES.values():
                    ext = bytes(range(opcode.ext_len))
                    body = Sender(flow_of(suite.name, sent), opcode.response).seal(
                        Header(opcode.value, B.qpn, 0, ext), b"", 0xfffff0)
                    with self.assertRaises(Refused):
                        Receiver(flow_of(suite.name, opened), opcode.response).open(body)

    def test_an_opaque_request_has_no_proof(self):
        with self.assertRaises(ValueError):
            Sender(flow_of("aes-gcm-128", "opaque"), False).seal(
                Header(0x0a, B.qpn, 0, bytes(16)), b"data", 0xfffff0, k_sr=b"r" * 16)

    def test_a_counter_opens_once(self):
        flow = flow_of("aes-gcm-128", "aead")
        body = Sender(flow, False).seal(Header(4, 0x12, 0), b"data", 0xfffff0)
        receiver = Receiver(flow, False)
        receiver.open(body)
        with self.assertRaises(Refused):
            receiver.open(body)

    def test_only_the_nonce_family_has_a_counter(self):
        for suite, mode in every_mode():
            sender = Sender(flow_of(suite, mode), False)
            body = sender.seal(Header(4, 0x12, 0), b"data", 0xfffff0, 7)
            self.assertEqual(body[12:16] == bytes.fromhex("00000007"), SUITES[suite].nonce_family)

    def test_a_sub_key_is_replaced_when_it_is_used_up(self):
        for suite, mode in every_mode():
            flow = flow_of(suite, mode)
            sender, receiver = Sender(flow, False), Receiver(flow, False)
            bodies = [sender.seal(Header(4, 0x12, 0), b"data", 0xfffff0 + i,
                                  phase * EMISSIONS - 1 if phase and not i % 2 else None)
                      for i, phase in enumerate(n // 2 for n in range(2, 14))]
            self.assertEqual([body[4] for body in bodies], [0, 1, 1, 2, 2, 3, 3, 0, 0, 1, 1, 2])
            for body in bodies:
                self.assertEqual(receiver.open(body)[1], b"data")
            for body in bodies[:-3]:
                with self.assertRaises(Refused):
                    receiver.open(body)

    def test_a_phase_that_is_skipped_is_refused(self):
        flow = flow_of("aes-cmac-128", "packet")
        body = Sender(flow, False).seal(Header(4, 0x12, 0), b"data", 0xfffff0, 2 * EMISSIONS)
        with self.assertRaisesRegex(Refused, "phase"):
            Receiver(flow, False).open(body)

    def test_the_second_byte_of_a_phase_enters_the_sub_key(self):
        flow = flow_of("aes-gcm-128", "aead")
        keys = {flow.key(False, 0, phase) for phase in (0, 1, 4, 256, 257, 65535)}
        self.assertEqual(len(keys), 6)

    def test_pad_must_be_zero(self):
        for suite, mode in every_mode():
            if mode == "header":
                continue
            flow = flow_of(suite, mode)
            body = Sender(flow, False).seal(Header(4, 0x12, 0, pad=1), b"abc\1", 0xfffff0)
            with self.assertRaises(Refused):
                Receiver(flow, False).open(body)


class Handshake(unittest.TestCase):
    def test_frames_parse_and_no_bit_of_them_may_change(self):
        conn = flow_of("aes-gcm-128", "aead").conn
        for opcode in range(HELLO, HELLO + 4):
            nr = bytes(16) if opcode == HELLO else b"\2" * 16
            fields = Frame(opcode, 7, b"\1" * 16, b"\3" * 32, nr)
            frame = handshake_frame(conn, A, fields)
            self.assertEqual(parse_handshake(conn, A, frame), fields)
            with self.assertRaises(Refused):
                parse_handshake(conn, B, frame)
            for bit in range(8 * len(frame)):
                if bit // 8 == 4:
                    continue
                changed = bytearray(frame)
                changed[bit // 8] ^= 0x80 >> bit % 8
                with self.assertRaises(Refused):
                    parse_handshake(conn, A, bytes(changed))

    def test_ends_that_differ_in_mode_do_not_understand_each_other(self):
        for mode in MODES:
            if mode not in SUITES["aes-cmac-128"].modes:
                continue
            other = "packet" if mode == "header" else "header"
            conn = Connection(A, B, SUITES["aes-cmac-128"], mode, bytes(16))
            peer = Connection(A, B, SUITES["aes-cmac-128"], other, bytes(16))
            with self.assertRaises(Refused):
                parse_handshake(peer, A, handshake_frame(conn, A, Frame(HELLO, 0, b"\1" * 16,
                                                                        b"\3" * 32)))


def ether(sender, receiver, body):
    kind = b"\x08\x00" if sender.gid[:12] == bytes(10) + b"\xff\xff" else b"\x86\xdd"
    return bytes(12) + kind + Packet(sender.gid, receiver.gid, body).bytes()


def conversation(conn, start):
    """Return the frames of A's handshake, a request and its answer."""
    flow = Flow(conn, A, start, b"\1" * 16, b"\2" * 16, shared_of(conn))
    for number, frame in enumerate(vectors.frames(conn, flow)):
        yield ether(*((B, A) if number % 2 else (A, B)), frame)
    yield ether(A, B, Sender(flow, False).seal(Header(4, B.qpn, 0), b"data", start))
    yield ether(B, A, Sender(flow, True).seal(Header(0x11, A.qpn, 0, bytes(4)), b"", start))


class Capture(unittest.TestCase):
    SEALS = [("hmac-sha384", "header"), ("aes-cmac-128", "packet"), ("aes-gcm-128", "aead")]

    def opener_of(self, packets, secrets=None):
        """Write frames to a file like tcpdump's, and return the result of opening them."""
        data = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1)
        for packet in packets:
            data += struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet
        conn = Connection(A, B, SUITES["aes-gcm-128"], "aead", bytes(range(32)))
        shared = shared_of(conn)
        opener = capture.Opener(bytes(range(32)), self.SEALS,
                                secrets=secrets or {(shared.a, shared.b): shared})
        with tempfile.NamedTemporaryFile() as file:
            pathlib.Path(file.name).write_bytes(data)
            for number, frame in enumerate(capture.frames(pathlib.Path(file.name))):
                opener.frame(number, frame)
        return opener

    def test_the_suite_is_found_and_all_is_opened(self):
        for suite, mode in self.SEALS:
            conn = Connection(A, B, SUITES[suite], mode, bytes(range(32)))
            opener = self.opener_of(conversation(conn, 0xfffffe))
            self.assertEqual(opener.refused, [])
            self.assertEqual(opener.opened, {(suite, mode): {"SEND_ONLY": 1, "ACK": 1}})

    def test_the_key_alone_opens_nothing(self):
        """Forward secrecy: K_PD and a recording do not yield Z."""
        conn = Connection(A, B, SUITES["aes-gcm-128"], "aead", bytes(range(32)))
        shared = shared_of(conn)
        for z in (None, bytes(32), shared.a):
            secrets = {(shared.a, shared.b): Shared(shared.a, shared.b, z)} if z else {1: None}
            opener = self.opener_of(conversation(conn, 7), secrets)
            self.assertEqual((len(opener.refused), sum(map(len, opener.opened.values()))),
                             (2 if z else 3, 0))

    def test_no_earlier_epoch_follows_from_a_later_one(self):
        flow = flow_of("aes-gcm-128", "aead")
        later = ratchet(flow.k_flow, 5)
        self.assertEqual(ratchet(later, 2), ratchet(flow.k_flow, 7))
        for epoch in range(5):
            self.assertNotIn(flow.key(False, epoch),
                             [flow.conn.sub_key(ratchet(later, n), A, False, epoch)
                              for n in range(8)])

    def test_what_is_wrong_is_refused(self):
        conn = Connection(A, B, SUITES["aes-gcm-128"], "aead", bytes(range(32)))
        packets = list(conversation(conn, 7))
        request, refused = packets[-2], []
        # a bit of the tag, with and without a right ICRC; a repetition; another suite
        changed = bytearray(request[14 + 28:-4])
        changed[20] ^= 1
        refused.append(packets + [ether(A, B, bytes(changed))])
        refused.append(packets + [request[:-5] + bytes([request[-5] ^ 1]) + request[-4:]])
        refused.append(packets + [request])
        other = Connection(A, B, SUITES["aes-gcm-256"], "aead", bytes(range(32)))
        refused.append(list(conversation(other, 7)))
        for each in refused:
            self.assertNotEqual(self.opener_of(each).refused, [])


if __name__ == "__main__":
    unittest.main()
