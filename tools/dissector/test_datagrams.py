#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Sealed datagrams in the dissector: run tshark on captures made by the independent codec."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "codec"))
import test_dissector as bed                                                # noqa: E402
from test_dissector import (A, A6, A_IB, B, B6, B_IB, BAD, GOOD, KEY, UNVERIFIED,  # noqa: E402
                            changed, dissect, frame_of, notes, number, octets, one)
from sth import (SUITES, UD_OPCODES, End, Header, Seal, Speaker, deth,      # noqa: E402
                 has_datagrams, k_group, k_pair)
from sth.datagram import GROUP_QPN, STH_LEN                                 # noqa: E402

setUpModule, tearDownModule = bed.setUpModule, bed.tearDownModule
SEALS = [(suite.name, mode) for suite in SUITES.values() if has_datagrams(suite)
         for mode in suite.modes]
GROUP, GROUP6 = End.at("239.77.0.1", GROUP_QPN), End.at("ff15::77", GROUP_QPN)
GROUP_IB = End.at("ff12:401b:ffff::ffff:ffff", GROUP_QPN, 1)
SALT = b"saltsalt"
GCM, CMAC, HEADER = ("aes-gcm-128", "aead"), ("aes-cmac-128", "packet"), ("aes-gmac-128", "header")
OPAQUE = "aes-gcm-192", "opaque"


class Talk:
    """The datagrams of one queue pair to one destination."""

    def __init__(self, suite, mode, sender=A, to=B, key=KEY, salt=SALT):
        k_ud = k_group(key) if to.qpn == GROUP_QPN else k_pair(key, sender.gid, to.gid)
        self.seal = Seal(SUITES[suite], mode, k_ud)
        self.speaker, self.to = Speaker(sender, salt), to

    def body(self, text=b"text", opcode=0x64, counter=None, **header):
        """Return the packet from BTH to pad."""
        pad = -len(text) % 4
        ext = deth(0x11111111, self.speaker.end.qpn) + (b"\1\2\3\4" if opcode == 0x65 else b"")
        header = Header(opcode, self.to.qpn, 0xfffffe, ext, **{"pad": pad, **header})
        return self.speaker.seal(self.seal, header, text + bytes(pad), self.to.gid, counter)

    def wire(self, body, **more):
        return frame_of(self.speaker.end, self.to, body, **more)

    def packet(self, *arguments, **more):
        return self.wire(self.body(*arguments, **more))


class Suites(unittest.TestCase):
    """All seals of datagrams, to a host and to a group."""

    TEXTS = [b"", b"a", b"four", bytes(range(256)), b"seventeen bytes.."]

    @classmethod
    def setUpClass(cls):
        cls.sent, cls.frames = [], []
        for i, seal in enumerate(SEALS):
            for sender, to in ((A, B), (A6, B6), (B, GROUP), (B6, GROUP6), (A_IB, B_IB),
                               (B_IB, GROUP_IB)):
                # each pair of hosts has a rule of its own
                sender = End(sender.gid[:-1] + bytes([0x80 + i]), sender.qpn, sender.kind)
                talk = Talk(*seal, sender, to)
                talk.speaker.counter = 0x3ffffe0 + i
                for n, opcode in enumerate(UD_OPCODES.values()):
                    text = cls.TEXTS[(i + n) % len(cls.TEXTS)]
                    body = talk.body(text, opcode.value, ackreq=n == 0)
                    cls.frames.append(talk.wire(body))
                    cls.sent.append((talk, opcode, text, body))

    def check_wire(self, row, talk, opcode, body, mode=None):
        """`mode`: the seal's, or None if it is not known; then mode opaque looks like the others."""
        at = opcode.clear_len(mode)
        sth = body[at:at + STH_LEN]
        known = mode or talk.seal.mode != "opaque"
        self.assertEqual(number(row, "opcode"), opcode.value)
        self.assertEqual(number(row, "qpn"), talk.to.qpn)
        self.assertEqual(number(row, "sqpn"), talk.speaker.end.qpn if known else
                         int.from_bytes(body[17:20], "big"))
        self.assertEqual(number(row, "psn"), 0xfffffe)
        self.assertEqual(number(row, "sth.code"), 5)
        self.assertEqual(octets(row, "sth.salt"), SALT if known else sth[:8])
        self.assertEqual(number(row, "sth.counter"), int.from_bytes(sth[8:16], "big"))
        self.assertEqual(octets(row, "sth.tag"), sth[16:])
        self.assertEqual(one(row, "icrc.status"), GOOD)
        self.assertEqual((row["sth.psn64"], row["sth.epoch"]), ([], []))

    def test_with_the_key_all_is_named_verified_and_opened(self):
        rows = dissect(self.frames, keys=bed.FOLDER.keys)
        for row, (talk, opcode, text, body) in zip(rows, self.sent, strict=True):
            with self.subTest(suite=talk.seal.suite.name, mode=talk.seal.mode, to=talk.to):
                self.check_wire(row, talk, opcode, body, talk.seal.mode)
                self.assertEqual(one(row, "sth.suite"), talk.seal.suite.name)
                self.assertEqual(one(row, "sth.mode"), talk.seal.mode)
                self.assertEqual(one(row, "sth.key"), "lab.key")
                self.assertEqual(one(row, "sth.tag.status"), GOOD)
                self.assertEqual(octets(row, "payload"), text)
                self.assertEqual(notes(row), set())
                hidden = talk.seal.mode == "opaque"
                self.assertEqual(number(row, "qkey"), 0x11111111 if hidden else None)
                self.assertEqual(number(row, "imm"),
                                 0x01020304 if hidden and "ImmDt" in opcode.ext else None)

    def test_without_a_key_it_says_what_the_wire_says(self):
        possible = ", ".join(s.name for s in SUITES.values() if has_datagrams(s))
        for row, (talk, opcode, _, body) in zip(dissect(self.frames), self.sent, strict=True):
            self.check_wire(row, talk, opcode, body)
            self.assertEqual(one(row, "sth.suites"), possible)
            self.assertIsNone(one(row, "sth.suite"))
            self.assertEqual(one(row, "sth.tag.status"), UNVERIFIED)
            self.assertEqual(octets(row, "payload.wire"), body[opcode.hdr_len + STH_LEN:])
            self.assertEqual(notes(row), set())


def every_other_byte(talk):
    body = talk.body(b"changed")
    # Byte 4 is not covered; the counter's first five bytes would make it too large; the other
    # excluded bytes would change the kind of the packet
    counter = UD_OPCODES[0x64].clear_len(talk.seal.mode) + 8
    return [talk.wire(changed(body, at, 1 << at % 8)) for at in range(len(body))
            if at not in (0, 1, 4, 8, *range(counter, counter + 5))]


def other_payload(talk):
    return [talk.wire(talk.body(b"text")[:-4] + b"TEXT")]


def wrong_icrc(talk):
    return [changed(talk.packet(), -1, 1)]


def counter_spent(talk):
    return [talk.packet(counter=1 << 26), talk.packet(counter=1 << 32)]


def other_code(talk):
    return [talk.wire(changed(talk.body(b"some text, for there to be room, too"), 8, mask))
            for mask in (0x10, 0x20, 0x70)]


def short(talk):
    return [talk.wire(talk.body(b"")[:-1]), talk.wire(changed(talk.body(b""), 1, 0x30))]


def pad_of_ones(talk):
    return [talk.wire(talk.body(b"abc\1", pad=1))]


def of_another_suite(talk):
    return [Talk("aes-gcm-256", "aead", talk.speaker.end, talk.to, bytes(32)).packet(counter=77)]


def from_another(talk):
    """Return the packet as if from another queue pair, and from another host."""
    end, body = talk.speaker.end, talk.body()
    return [talk.wire(changed(body, 19, 1)), frame_of(End(B.gid, end.qpn), talk.to, body)]


class Wrong(unittest.TestCase):
    """Packets that a receiver drops, between two that it accepts."""

    CASES = [
        (every_other_byte, GCM, {"sth.tag.bad"}, BAD),
        (every_other_byte, CMAC, {"sth.tag.bad"}, BAD),
        (every_other_byte, OPAQUE, {"sth.tag.bad"}, BAD),
        (counter_spent, OPAQUE, {"sth.counter.spent"}, GOOD),
        (pad_of_ones, OPAQUE, {"sth.pad"}, GOOD),
        (other_payload, GCM, {"sth.tag.bad"}, BAD),
        (other_payload, HEADER, set(), GOOD),
        (wrong_icrc, GCM, {"icrc.bad"}, GOOD),
        (counter_spent, GCM, {"sth.counter.spent"}, GOOD),
        (counter_spent, CMAC, {"sth.counter.spent"}, GOOD),
        (other_code, CMAC, {"sth.unexpected"}, UNVERIFIED),
        (short, GCM, {"sth.short"}, None),
        (pad_of_ones, GCM, {"sth.pad"}, GOOD),
        (pad_of_ones, CMAC, {"sth.pad"}, GOOD),
        (pad_of_ones, HEADER, set(), GOOD),
        (of_another_suite, GCM, {"sth.tag.bad"}, BAD),
    ]

    def test_what_is_wrong_is_said_and_nothing_else(self):
        for make, seal, expected, status in self.CASES:
            talk = Talk(*seal)
            frames = [talk.packet(b"before"), *make(talk), talk.packet(b"after")]
            before, *middle, after = dissect(frames, keys=bed.FOLDER.keys)
            with self.subTest(what=make.__name__, seal=seal):
                self.assertEqual([notes(row) for row in middle], [expected] * len(middle))
                self.assertEqual([one(row, "sth.tag.status") for row in middle],
                                 [status] * len(middle))
                self.assertEqual([octets(row, "payload") for row in (before, after)],
                                 [b"before", b"after"])
                self.assertEqual([notes(row) for row in (before, after)], [set()] * 2)
                if status == BAD:
                    self.assertEqual({octets(row, "payload") for row in middle}, {b""})

    def test_who_sent_it_counts(self):
        talk = Talk(*GCM)
        rows = dissect([talk.packet(), *from_another(talk)], keys=bed.FOLDER.keys)
        self.assertEqual([notes(row) for row in rows], [set(), {"sth.tag.bad"}, {"no_key"}])

    def test_a_number_opens_once_in_each_stream(self):
        talk = Talk(*GCM)
        frame = talk.packet(counter=77)
        others = [Talk(*GCM, salt=b"SALTsalt"), Talk(*GCM, sender=End(A.gid, 0x99)),
                  Talk(*GCM, to=GROUP)]
        rows = dissect([frame, talk.packet(counter=5), frame,
                        *(other.packet(counter=77) for other in others)], keys=bed.FOLDER.keys)
        self.assertEqual([notes(row) for row in rows],
                         [set(), set(), {"sth.replayed"}, set(), set(), set()])
        self.assertEqual([one(row, "sth.replays") for row in rows],
                         [None, None, "1", None, None, None])


class Ports(unittest.TestCase):
    """The two kinds of port (protocol.md, sections 1 and 17)."""

    def test_what_one_kind_has_sealed_the_other_does_not_open(self):
        for seal in (GCM, CMAC, OPAQUE):
            talk = Talk(*seal, A_IB, B_IB)
            body = talk.body()
            other = frame_of(End(A_IB.gid, A_IB.qpn), End(B_IB.gid, B_IB.qpn), body)
            rows = dissect([talk.wire(body), other], keys=bed.FOLDER.keys)
            self.assertEqual([notes(row) for row in rows], [set(), {"sth.tag.bad"}])

    def test_ends_that_differ_in_kind_alone_are_two(self):
        ends = [(A6, B6), tuple(End(end.gid, end.qpn, 1) for end in (A6, B6))]
        rows = dissect([Talk(*GCM, *pair).packet(counter=7) for pair in ends],
                       keys=bed.FOLDER.keys)
        self.assertEqual([(notes(row), octets(row, "payload")) for row in rows],
                         [(set(), b"text")] * 2)

    def test_wireshark_itself_dissects_an_infiniband_ports_packets(self):
        clear = Header(0x64, B_IB.qpn, 7, deth(0x80000b1b, A_IB.qpn)).bytes() + b"text"
        done = bed.tshark(bed.DISSECTOR, "-r", bed.FOLDER.capture([frame_of(A_IB, B_IB, clear)]),
                          "-T", "fields", "-e", "infiniband.deth.srcqp", "-e",
                          "infiniband.bth.psn")
        self.assertEqual([int(word, 0) for word in done.stdout.split()], [A_IB.qpn, 7])


class Keys(unittest.TestCase):
    def test_hosts_and_groups_have_keys_of_their_own(self):
        short = b"the group's own key"
        files = [bed.FOLDER.file("group", short), bed.FOLDER.file("other", bytes(20)),
                 bed.FOLDER.keys]
        frames = [Talk(*GCM).packet(b"pair"), Talk(*GCM, to=GROUP, key=short).packet(b"group"),
                  Talk(*GCM, B, A, salt=b"another.").packet(b"back")]
        rows = dissect(frames, keys=";".join(map(str, files)))
        self.assertEqual([(one(row, "sth.key"), octets(row, "payload")) for row in rows],
                         [("lab.key", b"pair"), ("group", b"group"), ("lab.key", b"back")])

    def test_another_key_opens_nothing(self):
        other = bed.FOLDER.file("other", bytes(32).hex().encode())
        for to in (B, GROUP):
            row, = dissect([Talk(*CMAC, to=to).packet()], keys=other)
            self.assertEqual((notes(row), one(row, "sth.tag.status")), ({"no_key"}, UNVERIFIED))

    def test_a_rule_may_change(self):
        talks = [Talk(*seal) for seal in (GCM, CMAC, OPAQUE, ("chacha20-poly1305", "aead"))]
        rows = dissect([talk.packet(counter=n) for n, talk in enumerate(talks)],
                       keys=bed.FOLDER.keys)
        self.assertEqual([(one(row, "sth.suite"), octets(row, "payload")) for row in rows],
                         [(talk.seal.suite.name, b"text") for talk in talks])


class Captures(unittest.TestCase):
    def test_super_packets_are_taken_apart(self):
        for ends in ((A, B), (A6, B6)):
            talk = Talk(*GCM, *ends)
            texts = [bytes([n]) * 256 for n in range(3)] + [b"the last, shorter one."]
            row, = dissect([bed.Captures().super_packet(*ends, self.numbered(talk, texts))],
                           keys=bed.FOLDER.keys)
            self.assertEqual(row["segments"], ["4"] * 4)
            self.assertEqual(row["sth.counter"], list("0123"))
            self.assertEqual(row["sth.tag.status"], [GOOD] * 4)
            self.assertEqual([bytes.fromhex(p.replace(":", "")) for p in row["payload"]], texts)
            self.assertEqual(notes(row), {"superpacket"})

    @staticmethod
    def numbered(talk, texts):
        """Yield packets as in a burst: of one queue pair, with increasing PSNs."""
        for n, text in enumerate(texts):
            header = Header(0x64, talk.to.qpn, 0xfffffe + n & 0xffffff,
                            deth(0x11111111, talk.speaker.end.qpn), pad=-len(text) % 4)
            yield talk.speaker.seal(talk.seal, header, text + bytes(header.pad), talk.to.gid)

    def test_packets_that_were_cut_short(self):
        row, = dissect([Talk(*CMAC).packet(bytes(300))], keys=bed.FOLDER.keys, snaplen=200)
        self.assertEqual((notes(row), one(row, "sth.tag.status")), ({"cut"}, None))

    def test_the_list_of_packets_says_it_too(self):
        talk = Talk(*GCM)
        frames = [talk.packet(), changed(talk.packet(), -5, 1), Talk(*GCM, key=bytes(32), to=GROUP)
                  .packet()]
        done = bed.tshark(bed.DISSECTOR, "-r", bed.FOLDER.capture(frames), "-o",
                          f"srnic.keys:{bed.FOLDER.keys}")
        lines = done.stdout.splitlines()
        self.assertIn("[STH of a datagram, aes-gcm-128 aead, tag good]", lines[0])
        self.assertIn("[STH of a datagram, aes-gcm-128 aead, ICRC WRONG, TAG WRONG]", lines[1])
        self.assertIn("[STH of a datagram]", lines[2])


if __name__ == "__main__":
    unittest.main()
