#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Sealed datagrams: tests of the codec against its specification, and against itself."""

import hmac
import pathlib
import random
import re
import unittest

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from sth import (SUITES, UD_OPCODES, End, Header, Listener, Packet, Refused, Seal, Speaker, Window,
                 deth, has_datagrams, k_group, k_pair, kdf)
from sth.datagram import CODE, GROUP_QPN, SALT_LEN, STH_LEN, TAG_LEN
from sth.packet import EXT_LEN, INFINIBAND
from sth.suites import cmac
import capture
import datagram_vectors

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = ROOT / "Documentation/protocol.md"
KUNIT = ROOT / "kunit/vectors"
KEY = bytes(range(32))
A, B = End.at("10.77.0.1", 0x11), End.at("10.77.0.2", 0x12)
A6, B6 = End.at("fd77::2", 0x100), End.at("fd77::1", 0x12)
GROUP = End.at("239.77.0.1", GROUP_QPN)
# InfiniBand ports
A_IB, B_IB = End.at("fe80::1:1", 0x100, INFINIBAND), End.at("fe80::1:2", 0x12, INFINIBAND)
GROUP_IB = End.at("ff12:401b:ffff::ffff:ffff", GROUP_QPN, INFINIBAND)
SALT = b"saltsalt"


def pair_seal(suite, mode, x=A, y=B, key=KEY):
    return Seal(SUITES[suite], mode, k_pair(key, x.gid, y.gid))


def every_seal(x=A, y=B):
    return [pair_seal(suite.name, mode, x, y) for suite, mode in datagram_vectors.seals()]


def head(opcode=0x64, sender=A, to=B, pad=0, **more):
    imm = bytes.fromhex("01020304") if opcode == 0x65 else b""
    return Header(opcode, to.qpn, 0x1001, deth(0x11111111, sender.qpn) + imm, pad=pad, **more)


def sealed(seal, text=b"abc", counter=None, sender=A, to=B, opcode=0x64, salt=SALT):
    pad = -len(text) % 4
    return Speaker(sender, salt).seal(seal, head(opcode, sender, to, pad), text + bytes(pad),
                                      to.gid, counter)


def opened(seal, body, listener=None, sgid=A.gid, dgid=B.gid, kind=0):
    return (listener or Listener()).open(seal, body, sgid, dgid, kind)


class Specification(unittest.TestCase):
    def test_the_form_is_that_of_section_11(self):
        code, size, *parts = map(int, re.search(
            r"STH, code (\d) \((\d+) bytes\) = salt \((\d+)\) ‖ counter \((\d+)\) ‖ tag \((\d+)\)",
            SPEC.read_text()).groups())
        self.assertEqual((code, size), (CODE, STH_LEN))
        self.assertEqual(parts, [SALT_LEN, STH_LEN - SALT_LEN - TAG_LEN, TAG_LEN])

    def test_worked_example_is_what_the_codec_makes(self):
        self.assertIn(datagram_vectors.example(), SPEC.read_text())

    def test_kunit_has_the_vectors_that_the_codec_makes(self):
        self.assertEqual(datagram_vectors.c_header(datagram_vectors.collect()) + "\n",
                         (KUNIT / "datagram.h").read_text())

    def test_vectors_have_each_seal_with_all_places_opcodes_and_lengths(self):
        data = datagram_vectors.collect()
        names = {row["name"] for row in data["keys"]}
        seals = [f"{s.name} {mode}" for s in SUITES.values() if s.tag_len == 16 for mode in s.modes]
        places = [f"{what} {family}" for what in ("pair", "group")
                  for family in ("ipv4", "ipv6", "infiniband")]
        self.assertEqual(names, {f"{seal} {place}" for seal in seals for place in places})
        for part in (lambda p: (p["payload_length"], p["header_length"]),
                     lambda p: (p["keys"] % 4, p["header_length"])):
            for i in range(len(seals)):
                found = {part(p) for p in data["packets"] if p["keys"] // 4 == i}
                self.assertEqual(len(found), 8)
        used = {p["keys"] for p in data["packets"] if data["keys"][p["keys"]]["kind"]}
        self.assertEqual(len(used), 2 * len(seals))

    def test_vectors_open(self):
        data = datagram_vectors.collect()
        for packet in data["packets"]:
            keys = data["keys"][packet["keys"]]
            seal = Seal(SUITES[keys["suite"]], keys["mode"], keys["k_ud"])
            _, text = Listener().open(seal, packet["sealed"], keys["sgid"], keys["dgid"],
                                      keys["kind"])
            self.assertEqual(text, datagram_vectors.payload(packet["payload_length"])
                             + bytes(packet["pad"]))


class Keys(unittest.TestCase):
    @staticmethod
    def kdf(key, label, context, length):
        """Derive one block, written out (section 6)."""
        fixed = label + b"\0" + context + (8 * length).to_bytes(4, "big")
        return hmac.digest(key, b"\0\0\0\1" + fixed, "sha256")[:length]

    def test_derivation_is_what_section_11_says(self):
        k_c = self.kdf(KEY, b"STH1 connection", b"", 32)
        k_ud = self.kdf(k_c, b"STH1 datagram pair", A.gid + B.gid, 32)
        self.assertEqual(k_pair(KEY, A.gid, B.gid), k_ud)
        context = bytes.fromhex("04010310") + A.gid + bytes.fromhex("00000011") + SALT
        self.assertEqual(pair_seal("aes-gcm-128", "aead").sub_key(A, SALT),
                         self.kdf(k_ud, b"STH1 datagram", context, 16))

    def test_a_sender_at_an_infiniband_port_is_another(self):
        k_c = self.kdf(KEY, b"STH1 connection", b"", 32)
        k_ud = self.kdf(k_c, b"STH1 datagram pair", A_IB.gid + B_IB.gid, 32)
        for mode, number, qpn in (("aead", "03", "01000100"), ("opaque", "04", "01000000")):
            context = bytes.fromhex(f"0401{number}10") + A_IB.gid + bytes.fromhex(qpn) + SALT
            self.assertEqual(pair_seal("aes-gcm-128", mode, A_IB, B_IB).sub_key(A_IB, SALT),
                             self.kdf(k_ud, b"STH1 datagram", context, 16))

    def test_hosts_come_in_either_order(self):
        self.assertEqual(k_pair(KEY, A.gid, B.gid), k_pair(KEY, B.gid, A.gid))

    def test_a_groups_key_is_given(self):
        self.assertEqual(k_group(KEY), KEY)
        self.assertEqual(k_group(KEY[:20]), KEY[:20] + bytes(12))
        for length in (15, 33):
            with self.assertRaises(ValueError):
                k_group(bytes(length))

    def test_no_two_sub_keys_are_the_same(self):
        seen, names = set(), set()
        for k_ud in (k_pair(KEY, A.gid, B.gid), k_pair(KEY, A.gid, A6.gid), k_group(KEY)):
            for suite, mode in datagram_vectors.seals():
                for sender in (A, B, A6, End(A.gid, 0x12)):
                    for salt in (SALT, b"SALTsalt"):
                        seen.add(Seal(suite, mode, k_ud).sub_key(sender, salt)[:16])
                        # in opaque mode the sender's QPN is a secret
                        qpn = 0 if mode == "opaque" else sender.qpn
                        names.add((k_ud, suite.name, mode, sender.gid, qpn, salt))
        self.assertEqual(len(seen), len(names))

    def test_only_tags_of_sixteen_bytes_fit(self):
        for suite in SUITES.values():
            self.assertEqual(has_datagrams(suite), suite.tag_len == 16)
            for mode in suite.modes if suite.tag_len != 16 else ():
                with self.assertRaises(ValueError):
                    Seal(suite, mode, KEY)
        with self.assertRaises(ValueError):
            Seal(SUITES["aes-gcm-128"], "packet", KEY)


class Packets(unittest.TestCase):
    def test_a_mac_is_cmac_written_out(self):
        seal = pair_seal("aes-cmac-128", "packet")
        body = sealed(seal, b"abc", 7)
        m = (SALT + (7).to_bytes(8, "big") + A.gid + B.gid
             + (8 + 20 + 32 + 4 + 4).to_bytes(2, "big")
             + bytes.fromhex("6410ffffff00001250001001") + bytes.fromhex("1111111100000011")
             + b"abc\0")
        self.assertEqual(body, bytes.fromhex("6410ffff00000012500010011111111100000011") + SALT
                         + (7).to_bytes(8, "big") + cmac(seal.sub_key(A, SALT), m) + b"abc\0")

    def test_an_aead_is_gcm_written_out(self):
        seal = pair_seal("aes-gcm-128", "aead")
        body = sealed(seal, b"text", 0x3020100, opcode=0x65)
        m = (SALT + (0x3020100).to_bytes(8, "big") + A.gid + B.gid + (8 + 24 + 32 + 4 + 4)
             .to_bytes(2, "big") + bytes.fromhex("6500ffffff00001250001001")
             + bytes.fromhex("111111110000001101020304"))
        out = AESGCM(seal.sub_key(A, SALT)).encrypt(bytes(8) + bytes.fromhex("03020100"),
                                                     b"text", m)
        self.assertEqual(body[24 + 16:], out[4:] + out[:4])

    def test_an_opaque_one_hides_its_deth(self):
        """GCM, written out."""
        seal = pair_seal("aes-gcm-128", "opaque")
        body, whole = sealed(seal, b"text", 0x3020100, opcode=0x65), head(0x65, code=CODE).bytes()
        k_ud = k_pair(KEY, A.gid, B.gid)
        context = bytes.fromhex("04010410") + A.gid + bytes(4) + SALT
        key = kdf(k_ud, "STH1 datagram", context, 16)
        m = (SALT + (0x3020100).to_bytes(8, "big") + A.gid + B.gid + (8 + 24 + 32 + 4 + 4)
             .to_bytes(2, "big") + bytes.fromhex("6500ffffff00001250001001"))
        out = AESGCM(key).encrypt(bytes(8) + bytes.fromhex("03020100"), whole[12:] + b"text", m)
        self.assertEqual(body, whole[:12] + SALT + (0x3020100).to_bytes(8, "big") + out[-16:]
                         + out[:-16])
        self.assertEqual(opened(seal, body)[0].ext, whole[12:])

    def test_what_is_sealed_opens(self):
        for x, y in ((A, B), (A6, B6), (A, GROUP)):
            for seal in every_seal(x, y):
                for opcode in UD_OPCODES:
                    for text in (b"", b"a", b"abcd", bytes(4096)):
                        body = sealed(seal, text, sender=x, to=y, opcode=opcode)
                        header, found = opened(seal, body, sgid=x.gid, dgid=y.gid)
                        self.assertEqual(found[:len(text)], text)
                        self.assertEqual(header.ext[4:8], x.qpn.to_bytes(4, "big"))

    def test_what_one_kind_of_port_seals_the_other_does_not_open(self):
        for seal in every_seal(A_IB, B_IB):
            body = sealed(seal, sender=A_IB, to=B_IB)
            ends = {"sgid": A_IB.gid, "dgid": B_IB.gid}
            self.assertEqual(opened(seal, body, kind=INFINIBAND, **ends)[1], b"abc\0")
            with self.assertRaisesRegex(Refused, "tag"):
                opened(seal, body, **ends)

    def test_no_bit_may_change(self):
        for seal in every_seal():
            for opcode in UD_OPCODES:
                self.no_bit_may_change(seal, sealed(seal, b"abc", opcode=opcode))

    def no_bit_may_change(self, seal, body):
        for bit in range(8 * len(body)):
            changed = bytearray(body)
            changed[bit // 8] ^= 0x80 >> bit % 8
            free = bit // 8 == 4 or (seal.mode == "header" and bit // 8 >= len(body) - 4)
            try:
                opened(seal, bytes(changed))
            except Refused:
                self.assertFalse(free, f"bit {bit} of {body.hex()}")
            else:
                self.assertTrue(free, f"bit {bit} of {body.hex()}")

    def test_nobody_elses_seal_opens_it(self):
        for seal in every_seal():
            body = sealed(seal)
            for other in every_seal() + [Seal(seal.suite, seal.mode, k_group(KEY))]:
                if other == seal:
                    continue
                with self.assertRaises(Refused):
                    opened(other, body)
            for gids in ((B.gid, B.gid), (A.gid, A.gid), (B.gid, A.gid), (A.gid, GROUP.gid)):
                with self.assertRaises(Refused):
                    opened(seal, body, None, *gids)

    def test_what_is_no_sealed_datagram_is_refused(self):
        seal = pair_seal("aes-cmac-128", "packet")
        clear = head().bytes() + b"text"
        for body in (clear, sealed(seal)[:20 + 31], b"\4" + sealed(seal)[1:],
                     sealed(seal, b"")[:1] + b"\x30" + sealed(seal, b"")[2:]):
            with self.assertRaises(Refused):
                opened(seal, body)

    def test_pad_must_be_zero_where_that_can_be_told(self):
        for seal in every_seal():
            body = Speaker(A, SALT).seal(seal, head(pad=1), b"abc\1", B.gid)
            if seal.mode == "header":
                self.assertEqual(opened(seal, body)[1], b"abc\1")
                continue
            with self.assertRaisesRegex(Refused, "pad"):
                opened(seal, body)

    def test_headers_and_seal_count_in_the_length(self):
        self.assertEqual([o.hdr_len for o in UD_OPCODES.values()],
                         [12 + EXT_LEN["DETH"], 12 + EXT_LEN["DETH"] + EXT_LEN["ImmDt"]])
        self.assertEqual(Packet(A.gid, B.gid, sealed(every_seal()[0], b"")).udp_len,
                         8 + 20 + STH_LEN + 4)


class Counters(unittest.TestCase):
    SEAL = pair_seal("aes-gcm-128", "aead")

    def counters_of(self, listener, *counters, salt=SALT):
        """Return for each packet, in order, whether it is accepted."""
        taken = []
        for counter in counters:
            try:
                opened(self.SEAL, sealed(self.SEAL, counter=counter, salt=salt), listener)
                taken.append(True)
            except Refused:
                taken.append(False)
        return taken

    def test_one_counter_for_all_destinations(self):
        speaker = Speaker(A, SALT)
        counters = []
        for to in (B, A6, GROUP, B):
            seal = pair_seal("aes-gcm-128", "aead", A, to)
            body = speaker.seal(seal, head(to=to), b"", to.gid)
            counters.append(int.from_bytes(body[28:36], "big"))
        self.assertEqual(counters, [0, 1, 2, 3])

    def test_a_counter_opens_once(self):
        self.assertEqual(self.counters_of(Listener(), 5, 5, 4, 6, 4, 6, 0, 0),
                         [True, False, True, True, False, False, True, False])

    def test_every_salt_has_a_window(self):
        listener = Listener()
        self.assertEqual(self.counters_of(listener, 0, 0), [True, False])
        self.assertEqual(self.counters_of(listener, 0, 0, salt=b"SALTsalt"), [True, False])

    def test_the_window_reaches_so_far_back(self):
        self.assertEqual(self.counters_of(Listener(), 5000, 5000 - 1983, 5000 - 1984),
                         [True, True, False])

    def test_the_limit(self):
        self.assertEqual(self.counters_of(Listener(), 1 << 26, (1 << 26) - 1, 1 << 63),
                         [False, True, False])

    def test_a_wrong_tag_marks_nothing(self):
        listener, body = Listener(), sealed(self.SEAL, counter=9)
        with self.assertRaises(Refused):
            opened(self.SEAL, body[:-1] + bytes([body[-1] ^ 1]), listener)
        self.assertEqual(listener.windows, {})
        opened(self.SEAL, body, listener)

    def test_a_salt_that_is_forgotten_opens_again(self):
        listener = Listener(most=2)
        self.assertEqual(self.counters_of(listener, 0), [True])
        for salt in (b"salt 2..", b"salt 3.."):
            self.assertEqual(self.counters_of(listener, 0, salt=salt), [True])
        self.assertEqual(self.counters_of(listener, 0, 0), [True, False])

    def test_a_window_is_a_set_of_so_many(self):
        draw = random.Random(4791)
        for width in (1, 2, 64):
            window, seen, greatest, taken = Window(width), set(), -1, 0
            for step in range(4000):
                counter = max(0, step // 2 + draw.randrange(-2 * width, width + 1))
                fresh = counter not in seen and counter > greatest - width
                self.assertEqual(window.fresh(counter), fresh)
                if fresh:
                    window.mark(counter)
                    seen.add(counter)
                    greatest, taken = max(greatest, counter), taken + 1
            self.assertTrue(1000 < taken < 3000)


def frame_of(seal, speaker, to, opcode=0x64):
    body = speaker.seal(seal, head(opcode, speaker.end, to), b"text", to.gid)
    kind = b"\x86\xdd" if speaker.end.gid[0] else b"\x08\x00"
    return bytes(12) + kind + Packet(speaker.end.gid, to.gid, body, kind=speaker.end.kind).bytes()


class Capture(unittest.TestCase):
    SEALS = [("hmac-sha384", "header"), ("aes-cmac-128", "packet"), ("aes-gcm-128", "aead"),
             ("aes-gmac-256", "header"), ("aes-gcm-192", "opaque")]
    GROUP_KEY = b"the group's own key"

    def opener_of(self, frames):
        opener = capture.Opener(KEY, self.SEALS, self.GROUP_KEY)
        for number, frame in enumerate(frames):
            opener.frame(number, frame)
        return opener

    def test_the_suite_is_found_and_all_is_opened(self):
        for x, y in ((A, B), (A6, B6), (A, GROUP), (A6, End.at("ff15::77", GROUP_QPN)),
                     (A_IB, B_IB), (A_IB, GROUP_IB)):
            k_ud = (k_group(self.GROUP_KEY) if y.qpn == GROUP_QPN
                    else k_pair(KEY, x.gid, y.gid))
            for suite, mode in self.SEALS[1:]:
                seal, speaker = Seal(SUITES[suite], mode, k_ud), Speaker(x, SALT)
                opener = self.opener_of(frame_of(seal, speaker, y, opcode)
                                        for opcode in (0x64, 0x65, 0x64))
                self.assertEqual(opener.refused, [])
                self.assertEqual(opener.opened, {(suite, mode): {"UD_SEND_ONLY": 2,
                                                                 "UD_SEND_ONLY_IMM": 1}})

    def test_ports_of_both_kinds_have_numbers_of_their_own(self):
        ends = [(A6, B6)] + [tuple(End(end.gid, end.qpn, INFINIBAND) for end in (A6, B6))]
        frames = [frame_of(pair_seal("aes-gcm-128", "aead", x, y), Speaker(x, SALT), y)
                  for x, y in ends]
        self.assertEqual(self.opener_of(frames).refused, [])
        # as RoCEv2 takes it, it is none of its packets
        self.assertEqual([bool(capture.roce(frame)) for frame in frames], [True, False])
        moved = frames[1][:56] + frames[0][56:58] + frames[1][58:]
        self.assertEqual(self.opener_of([moved]).refused, ["packet 0: ICRC"])

    def test_no_number_comes_twice_to_whomever(self):
        speaker, frames = Speaker(A, SALT), []
        for to in (B, End.at("10.77.0.3", 0x12)):
            speaker.counter = 0
            frames.append(frame_of(pair_seal("aes-gcm-128", "aead", A, to), speaker, to))
        self.assertEqual(self.opener_of(frames).refused, ["packet 1: counter"])

    def test_what_is_wrong_is_refused(self):
        clear = bytes(12) + b"\x08\x00" + Packet(A.gid, B.gid, head().bytes() + b"text").bytes()
        other = frame_of(pair_seal("aes-gcm-256", "aead"), Speaker(A, SALT), B)
        alien = frame_of(pair_seal("aes-gcm-128", "aead", key=bytes(32)), Speaker(A, SALT), B)
        spent = frame_of(pair_seal("aes-gcm-128", "aead"), Speaker(A, SALT, 1 << 26), B)
        for frame, why in ((clear, "STH code"), (other, "no suite"), (alien, "no suite"),
                           (spent, "counter")):
            refused, = self.opener_of([frame]).refused
            self.assertIn(why, refused)


if __name__ == "__main__":
    unittest.main()
