#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The dissector: run tshark on captures made by the independent codec, and the dissector's
primitives on published vectors."""

import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "codec"))
from sth import (OPCODES, RIGHTS, SUITES, Connection, End, Flow, Frame, Header, Packet,  # noqa: E402
                 Region, Sender, Shared, block_key, handshake_frame, k_access, root_key)
from sth.seal import EMISSIONS                                              # noqa: E402
from sth.suites import cmac                                                 # noqa: E402
from sth.packet import CONFIRM, CONFIRM_ACK, EXT_LEN, HELLO, HELLO_ACK      # noqa: E402

DISSECTOR = HERE / "srnic.lua"
ORACLES = HERE / "test_oracles.lua"
VECTORS = HERE.parents[1] / "kunit/vectors"
KEY = bytes(range(32))
NQ, NR = b"\1" * 16, b"\2" * 16
X_SCALAR, Y_SCALAR = b"\3" * 32, b"\4" * 32     # ephemeral keys of A and B
BAD, GOOD, UNVERIFIED = "0", "1", "2"
ETHERNET, COOKED = 1, 113
A, B = End.at("10.77.0.1", 0x11), End.at("10.77.0.2", 0x12)
A6, B6 = End.at("fd77::2", 0x000100), End.at("fd77::1", 0xfffffe)
# InfiniBand ports
A_IB, B_IB = End.at("fe80::1:2", 0x100, 1), End.at("fe80::1:1", 0x12, 1)
NOTES = ["sth.tag.bad", "sth.tag.unproved", "sth.missing", "sth.unexpected", "sth.psn", "sth.phase.bad", "sth.counter.spent",
         "sth.replayed", "sth.pad", "sth.short", "handshake.wrong", "handshake.version_1", "cut",
         "no_key", "no_secret", "no_handshake", "icrc.bad", "superpacket"]
FIELDS = ["frame.number", *(f"srnic.{name}" for name in [
    "segments", "segment", "opcode", "qpn", "sqpn", "psn", "version", "key_id", "nq", "nr", "share", "sth.code", "echo", "gap", "sth",
    "sth.salt", "sth.counter",
    "sth.tag", "sth.tag.status", "sth.suite", "sth.suites", "sth.mode", "sth.key", "sth.grant", "sth.psn64",
    "sth.epoch", "sth.phase", "sth.replays", "payload", "payload.wire", "icrc", "icrc.status", "ext", "addr", "rkey",
    "dmalen", "feth", "swap", "compare", "orig", "imm", "syndrome", "msn", "qkey", "srqn", *NOTES])]
# Fields of extension headers: name, offset, bytes
EXTENSIONS = {
    "RETH": [("addr", 0, 8), ("rkey", 8, 4), ("dmalen", 12, 4)],
    "AtomicETH": [("addr", 0, 8), ("rkey", 8, 4), ("swap", 12, 8), ("compare", 20, 8)],
    "AETH": [("syndrome", 0, 1), ("msn", 1, 3)], "AtomicAckETH": [("orig", 0, 8)],
    "ImmDt": [("imm", 0, 4)], "IETH": [("rkey", 0, 4)], "DETH": [("qkey", 0, 4), ("sqpn", 5, 3)],
    "FETH": [("feth", 0, 4)], "XRCETH": [("srqn", 1, 3)],
}


class Folder:
    """Folder of captures and keys; also tshark's home, so that no personal settings apply."""

    def __init__(self):
        self.tmp = tempfile.TemporaryDirectory()
        self.path = Path(self.tmp.name)
        self.keys = self.file("lab.key", KEY.hex().encode() + b"\n")
        self.secrets = {}       # shares of A and B: Shared

    def secret(self, conn):
        """Agree on a secret of a connection, and remember it as srnic-secrets does."""
        shared = Shared.between(conn, conn.a, X_SCALAR, Y_SCALAR)
        self.secrets[shared.a, shared.b] = shared
        return shared

    def secrets_file(self, secrets=None):
        return self.file("secrets", "".join(
            f"Z {s.a.hex()} {s.b.hex()} {s.z.hex()}\n"
            for s in (self.secrets if secrets is None else secrets).values()).encode())

    def file(self, name, data):
        (self.path / name).write_bytes(data)
        return self.path / name

    def capture(self, frames, link=ETHERNET, snaplen=65535):
        data = struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, snaplen, link)
        for frame in frames:
            data += struct.pack("<IIII", 0, 0, min(len(frame), snaplen), len(frame))
            data += frame[:snaplen]
        return self.file("test.pcap", data)


def setUpModule():
    global FOLDER
    FOLDER = Folder()


def tearDownModule():
    FOLDER.tmp.cleanup()


def tshark(script, *options):
    environment = {**os.environ, "HOME": str(FOLDER.path), "LC_ALL": "C.UTF-8",
                   "WIRESHARK_CONFIG_DIR": str(FOLDER.path / "config")}
    done = subprocess.run(["tshark", "-n", "-X", f"lua_script:{script}", *map(str, options)],
                          env=environment, capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=120)
    assert done.returncode == 0, done.stderr
    return done


def dissect(frames, *options, keys=None, grants=(), secrets=None, link=ETHERNET, snaplen=65535):
    """Return a dictionary per frame: field without "srnic." -> its values. `secrets`: instead of
    those of all connections."""
    given = ["-o", f"srnic.keys:{keys}"] if keys else []
    given += ["-o", f"srnic.secrets:{FOLDER.secrets_file(secrets)}"]
    given += ["-o", f"srnic.grants:{';'.join(map(str, grants))}"] if grants else []
    done = tshark(DISSECTOR, "-r", FOLDER.capture(frames, link, snaplen), *given, *options,
                  "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=;",
                  *(word for field in [*FIELDS, "_ws.lua.error"] for word in ("-e", field)))
    rows = []
    for line in done.stdout.splitlines():
        *cells, error = (cell.split(";") if cell else [] for cell in line.split("\t"))
        assert not error, line
        rows.append({field.removeprefix("srnic."): values
                     for field, values in zip(FIELDS, cells, strict=True)})
    return rows


def one(row, field):
    """Return the only value of a field, or None."""
    values = row[field]
    assert len(values) < 2, f"{field} of frame {row['frame.number']}: {values}"
    return values[0] if values else None


def number(row, field):
    value = one(row, field)
    return None if value is None else int(value, 0)


def octets(row, field):
    value = one(row, field)
    return b"" if value is None else bytes.fromhex(value.replace(":", ""))


def notes(row):
    return {name for name in NOTES if row[name]}


def ether(packet):
    kind = b"\x08\x00" if packet[0] >> 4 == 4 else b"\x86\xdd"
    return bytes(12) + kind + packet


def frame_of(sender, receiver, body, **more):
    return ether(Packet(sender.gid, receiver.gid, body, kind=sender.kind, **more).bytes())


def handshake(conn, requester, start, shared, nq=NQ, nr=NR):
    responder = conn.other(requester)
    return [frame_of(sender, conn.other(sender),
                     handshake_frame(conn, sender, Frame(opcode, start, nq,
                                                         shared.share(conn, sender), answer)))
            for sender, opcode, answer in (
                (requester, HELLO, bytes(16)), (responder, HELLO_ACK, nr),
                (requester, CONFIRM, nr), (responder, CONFIRM_ACK, nr))]


def connection(suite, mode, x=A, y=B, **more):
    return Connection(x, y, SUITES[suite], mode, more.pop("key", KEY), **more)


class Session:
    """A flow from its handshake on, and the plaintext of its packets."""

    def __init__(self, conn, requester, start, nq=NQ, nr=NR):
        self.shared = FOLDER.secret(conn)
        self.conn, self.flow = conn, Flow(conn, requester, start, nq, nr, self.shared)
        self.senders = {response: Sender(self.flow, response) for response in (False, True)}
        self.handshake = handshake(conn, requester, start, self.shared, nq, nr)
        self.expected = []

    def frame_body(self, n):
        """Return a handshake frame without its carrier."""
        return self.handshake[n][14 + 28:-4]

    def frame(self, body):
        """Return the frame in its carrier, from the requester."""
        return frame_of(self.flow.owner, self.conn.other(self.flow.owner), body)

    def body(self, opcode, psn64, text=b"", emission=None, **header):
        """Return the packet from BTH to pad."""
        info = OPCODES[opcode]
        pad = -len(text) % 4
        receiver = self.conn.other(self.flow.sender(info.response))
        ext = bytes(range(1, 1 + sum(EXT_LEN[e] for e in info.ext)))
        header = Header(opcode, receiver.qpn, 0, ext, **{"pad": pad, **header})
        padded = text + bytes(header.pad)
        sealed = self.senders[info.response].seal(header, padded[:len(text) + pad], psn64,
                                                   emission)
        self.expected.append((opcode, receiver.qpn, psn64, text, sealed, info))
        return sealed

    def wire(self, body, **more):
        sender = self.flow.sender(OPCODES[body[0]].response)
        return frame_of(sender, self.conn.other(sender), body, **more)

    def packet(self, *arguments, **more):
        return self.wire(self.body(*arguments, **more))


def fields_of(info, ext):
    """Return the fields of extension headers by name, from the headers' bytes."""
    found = {}
    for name in info.ext:
        for field, at, size in EXTENSIONS[name]:
            found[field] = int.from_bytes(ext[at:at + size], "big")
        ext = ext[EXT_LEN[name]:]
    return found


def shown_extensions(row):
    return {field: number(row, field) for fields in EXTENSIONS.values() for field, *_ in fields
            if row[field]}


def sth_of(session, sealed, info):
    suite, at = session.conn.suite, info.clear_len(session.conn.mode)
    sth = sealed[at:at + suite.sth_len]
    return (int.from_bytes(sth[:4], "big"), sth[4:]) if suite.nonce_family else (None, sth)


class Primitives(unittest.TestCase):
    # RFC 8439, A.3, cases 7 to 9: sums around 2^130 - 5. Key, message, tag
    POLY1305 = [("02" + "00" * 31, "ff" * 16, "03" + "00" * 15),
                ("02" + "00" * 15 + "ff" * 16, "02" + "00" * 15, "03" + "00" * 15),
                ("01" + "00" * 31, "ff" * 16 + "f0" + "ff" * 15 + "11" + "00" * 15,
                 "05" + "00" * 15)]

    def rows(self):
        yield from (["poly", f"rfc-8439 A.3 {n}", *row] for n, row in enumerate(self.POLY1305, 7))
        row = re.compile(r"\{\s*((?:\"[^\"]*\"|true|false|,|\s)+?),?\s*\}", re.S)
        for kind, names in (("kdf", ["kdf"]), ("mac", ["cmac", "hmac", "gmac"]),
                            ("aead", ["gcm", "chacha"])):
            for name in names:
                text = (VECTORS / f"oracles_{name}.h").read_text().split("[] = {")[1]
                for match in row.finditer(text):
                    words = re.findall(r"\"([^\"]*)\"|(true|false)", match[1])
                    yield [kind, *(a or b for a, b in words)]

    def test_they_do_what_published_vectors_say(self):
        rows = list(self.rows())
        self.assertGreater(len(rows), 1000)
        table = FOLDER.file("oracles", "".join("\t".join(row) + "\n" for row in rows).encode())
        done = tshark(ORACLES, "-X", f"lua_script1:{table}", "-r", FOLDER.capture([]))
        self.assertEqual(done.stdout.splitlines(), [f"right: {len(rows)}"])


class Suites(unittest.TestCase):
    """All seals of the protocol with every opcode of RC and XRC, across an epoch's end."""

    SIZES = [0, 1, 5, 16, 17, 64, 256]

    @classmethod
    def setUpClass(cls):
        cls.sessions, cls.frames = [], []
        for i, (suite, mode) in enumerate(
                (s.name, mode) for s in SUITES.values() for mode in s.modes):
            x, y = ((A, B), (A6, B6), (A_IB, B_IB))[i % 3]
            x, y = End(x.gid, x.qpn + i, x.kind), End(y.gid, 0x2000 - i, y.kind)
            conn = connection(suite, mode, x, y, pair_key=i % 4 == 3)
            cls.sessions.append(Session(conn, (x, y)[i // 2 % 2], 0xfffff0,
                                        NQ[1:] + bytes([i]), NR[1:] + bytes([i])))
        for session in cls.sessions:
            cls.frames += session.handshake
            for n, opcode in enumerate(OPCODES.values()):
                size = cls.SIZES[n % len(cls.SIZES)] if opcode.payload else 0
                text = bytes((7 * k + n) % 256 for k in range(size))
                cls.frames.append(session.packet(opcode.value, 0xfffff0 + n, text,
                                                 ackreq=n % 2 == 0, reserved=n % 16))
        # Only the second pass can verify a HELLO
        cls.rows = dissect(cls.frames, "-2", keys=FOLDER.keys)

    def each(self, rows):
        """Yield (row, session, plaintext) of each packet after a handshake."""
        rows = iter(rows)
        for session in self.sessions:
            for _ in range(4):
                next(rows)
            for expected in session.expected:
                yield next(rows), session, expected
        self.assertIsNone(next(rows, None))

    def check_wire(self, row, expected):
        opcode, qpn, psn64, _, sealed, info = expected
        self.assertEqual(number(row, "opcode"), opcode)
        self.assertEqual(number(row, "qpn"), qpn)
        self.assertEqual(number(row, "psn"), psn64 & 0xffffff)
        self.assertEqual(number(row, "sth.psn64"), psn64)
        self.assertEqual(number(row, "sth.epoch"), psn64 >> 24)
        self.assertEqual(one(row, "icrc.status"), GOOD)

    def test_echo_and_gap_are_shown_where_they_have_a_meaning(self):
        for n, (row, _, expected) in enumerate(self.each(self.rows)):
            reserved = n % len(OPCODES) % 16
            with self.subTest(opcode=expected[0]):
                echo = bool(reserved & 8) if expected[5].response else None
                gap = reserved & 7 if expected[0] in (0x11, 0xb1) else None
                self.assertEqual(one(row, "echo"), None if echo is None else str(int(echo)))
                self.assertEqual(number(row, "gap"), gap)

    def test_with_the_key_all_is_named_verified_and_opened(self):
        for row, session, expected in self.each(self.rows):
            suite = session.conn.suite
            with self.subTest(suite=suite.name, mode=session.conn.mode, opcode=expected[0]):
                self.check_wire(row, expected)
                counter, tag = sth_of(session, expected[4], expected[5])
                self.assertEqual(one(row, "sth.suite"), suite.name)
                self.assertEqual(one(row, "sth.mode"), session.conn.mode)
                self.assertEqual(one(row, "sth.key"), "lab.key")
                self.assertEqual(number(row, "sth.code"), suite.code)
                self.assertEqual(number(row, "sth.counter"), counter)
                self.assertEqual(octets(row, "sth.tag"), tag)
                self.assertEqual(one(row, "sth.tag.status"), GOOD)
                self.assertEqual(octets(row, "payload"), expected[3])
                self.assertEqual(notes(row), set())
                self.check_extensions(row, session.conn.mode, expected[5])

    def check_extensions(self, row, mode, info):
        """Mode opaque alone hides them from Wireshark's own dissector."""
        ext = bytes(range(1, 1 + info.ext_len)) if mode == "opaque" else b""
        self.assertEqual(octets(row, "ext"), ext)
        self.assertEqual(shown_extensions(row), fields_of(info, ext) if ext else {})

    def test_the_handshake_is_shown_and_verified(self):
        for i, session in enumerate(self.sessions):
            first = i * (4 + len(OPCODES))
            for n, row in enumerate(self.rows[first:first + 4]):
                self.assertEqual(number(row, "opcode"), HELLO + n)
                self.assertEqual(number(row, "psn"), session.flow.start)
                self.assertEqual(number(row, "version"), 2)
                self.assertEqual(octets(row, "key_id"), session.conn.key_id)
                sender = session.flow.sender(n % 2)
                self.assertEqual(octets(row, "share"), session.shared.share(session.conn, sender))
                self.assertEqual(octets(row, "nq"), session.flow.nq)
                self.assertEqual(octets(row, "nr"), session.flow.nr if n else bytes(16))
                self.assertEqual(octets(row, "sth.tag"), session.handshake[n][-20:-4])
                self.assertEqual(one(row, "sth.suite"), session.conn.suite.name)
                self.assertEqual(one(row, "sth.mode"), session.conn.mode)
                self.assertEqual(one(row, "sth.tag.status"), GOOD)
                self.assertEqual(notes(row), set())

    def test_without_a_key_it_says_what_the_wire_says(self):
        for row, session, expected in self.each(dissect(self.frames)):
            suite, info = session.conn.suite, expected[5]
            with self.subTest(suite=suite.name, mode=session.conn.mode, opcode=expected[0]):
                self.check_wire(row, expected)
                # Without the key, mode opaque is not known
                sth = expected[4][info.hdr_len:info.hdr_len + suite.sth_len]
                # Suites with counters are excluded if the counter would reach 2^26 in each mode
                possible = [s.name for s in SUITES.values()
                            if s.code == suite.code and not (s.nonce_family and all(
                                expected[4][info.clear_len(mode)] >= 4 for mode in s.modes))]
                self.assertEqual(one(row, "sth.suites"), ", ".join(possible))
                self.assertIsNone(one(row, "sth.suite"))
                self.assertEqual(one(row, "sth.tag.status"), UNVERIFIED)
                self.assertEqual(notes(row), set())
                self.assertEqual(octets(row, "sth"), sth)
                if suite.code != 3 or len(possible) == 1:
                    self.assertEqual(octets(row, "sth.tag"), sth)
                    self.assertEqual(octets(row, "payload"), expected[3])
                else:
                    self.assertEqual(octets(row, "sth.tag"), b"")
                    self.assertEqual(octets(row, "payload.wire"),
                                     expected[4][info.hdr_len + suite.sth_len:])


READ, WRITE, SWAP = 0x0c, 0x0a, 0x13


class Memory(unittest.TestCase):
    """Requests to a protected region, and which grants verify them (section 12)."""

    K_MR = bytes(range(16, 32))
    REGION = Region(0xffff800000001000, 0x2fff000, 0x12345678, 20, 12)

    @classmethod
    def grant(cls, name, right, start=0, stop=None, depth=None):
        """Write a file with the packed grant of the block around [start, stop)."""
        region = cls.REGION
        path = region.path(start, stop or region.length)[:depth]
        key = block_key(root_key(cls.K_MR, right), path)
        packed = (b"srnG\1" + bytes([RIGHTS[right], region.depth, region.block_shift])
                  + struct.pack(">QQQIB3x", region.addr, region.length, path[-1][0], region.rkey,
                                path[-1][1]) + key)
        return FOLDER.file(name, packed + cmac(key, packed)[:8])

    def request(self, session, opcode, psn64, right, start, stop, rkey=None):
        region, info = self.REGION, OPCODES[opcode]
        ext = struct.pack(">QI", region.addr + start, rkey or region.rkey)
        ext += bytes(16) if opcode == SWAP else struct.pack(">I", stop - start)
        text = bytes(stop - start) if info.payload else b""
        k_sr = k_access(self.K_MR, region, right, start, stop)
        receiver = session.conn.other(session.flow.owner)
        header = Header(opcode, receiver.qpn, 0, ext, pad=-len(text) % 4)
        return session.wire(session.senders[False].seal(header, text + bytes(-len(text) % 4),
                                                        psn64, k_sr=k_sr))

    def rows(self, suite, mode, *grants, **more):
        session = Session(connection(suite, mode), A, 5)
        frames = [self.request(session, READ, 5, "read", 0x1000, 0x5000, **more),
                  self.request(session, READ, 6, "read", 0x2fff000 - 1, 0x2fff000, **more),
                  self.request(session, WRITE, 7, "write", 0x1234, 0x1239, **more),
                  self.request(session, SWAP, 8, "atomic", 0x2000, 0x2008, **more),
                  session.packet(0x04, 9, b"no memory")]
        return dissect([*session.handshake, *frames], keys=FOLDER.keys, grants=grants)[4:]

    def test_with_the_grants_every_proof_is_verified(self):
        grants = [self.grant(f"{right}.grant", right) for right in RIGHTS]
        for suite, mode in (("aes-gcm-128", "aead"), ("aes-cmac-128", "packet"),
                            ("hmac-sha256", "header"), ("aes-gmac-128", "packet")):
            rows = self.rows(suite, mode, *grants)
            self.assertEqual([one(row, "sth.grant") for row in rows],
                             ["read.grant", "read.grant", "write.grant", "atomic.grant", None])
            self.assertEqual({one(row, "sth.tag.status") for row in rows}, {GOOD})
            self.assertEqual([notes(row) for row in rows], [set()] * 5)

    def test_without_them_nobody_can_tell(self):
        rows = self.rows("aes-gcm-128", "aead")
        self.assertEqual([notes(row) for row in rows], [{"sth.tag.unproved"}] * 4 + [set()])
        self.assertEqual([one(row, "sth.tag.status") for row in rows], [BAD] * 4 + [GOOD])

    def test_a_grant_is_good_for_its_block_and_right(self):
        part = self.grant("part.grant", "read", 0x1000, 0x5000)
        leaf = self.grant("leaf.grant", "read", 0x2ffe000, 0x2fff000)
        rows = self.rows("aes-gcm-128", "aead", part)
        self.assertEqual([one(row, "sth.grant") for row in rows],
                         ["part.grant", None, None, None, None])
        rows = self.rows("aes-gcm-128", "aead", leaf, part)
        self.assertEqual([one(row, "sth.grant") for row in rows],
                         ["part.grant", "leaf.grant", None, None, None])

    def test_another_regions_key_is_none(self):
        grants = [self.grant(f"{right}.grant", right) for right in RIGHTS]
        rows = self.rows("aes-gcm-128", "aead", *grants, rkey=0x12345679)
        self.assertEqual([notes(row) for row in rows], [{"sth.tag.unproved"}] * 4 + [set()])

    def test_a_file_that_is_no_grant_is_complained_of(self):
        whole = self.grant("whole.grant", "read").read_bytes()
        session = Session(connection("aes-gcm-128", "aead"), A, 5)
        for text in (whole[:-1], whole[:-1] + bytes([whole[-1] ^ 1]), b"srnG\2" + whole[5:], b""):
            bad = FOLDER.file("bad.grant", text)
            done = tshark(DISSECTOR, "-r", FOLDER.capture(session.handshake),
                          "-o", f"srnic.grants:{bad}")
            self.assertIn("no grant from", done.stdout + done.stderr)
        hexed = FOLDER.file("hex.grant", whole.hex().encode() + b"\n")
        rows = self.rows("aes-gcm-128", "aead", hexed)
        self.assertEqual(one(rows[0], "sth.grant"), "hex.grant")


class Sequence(unittest.TestCase):
    def test_epochs_go_on_and_retransmissions_go_back(self):
        session = Session(connection("aes-gcm-128", "aead"), A, 0xfffffe)
        numbers = [0xfffffe, 0xffffff, 0x1000000, 0x1000001, 0xffffff, 0x1000000, 0x17ffffe,
                   0x1fffffd, 0x2000001, 0x1ffffff, 0x2000002]
        frames = session.handshake + [session.packet(0x04, n, b"text") for n in numbers]
        # A repeated confirmation starts nothing anew
        frames += session.handshake[2:] + [session.packet(0x11, 0x2000002)]
        for keys in (FOLDER.keys, None):
            rows = dissect(frames, keys=keys)[4:]
            del rows[-3:-1]
            self.assertEqual([number(row, "sth.psn64") for row in rows], numbers + [numbers[-1]])
            self.assertEqual([number(row, "sth.epoch") for row in rows],
                             [n >> 24 for n in numbers] + [2])
            self.assertEqual({one(row, "sth.tag.status") for row in rows},
                             {GOOD if keys else UNVERIFIED})

    def test_a_queue_pair_connects_again_with_the_same_numbers(self):
        frames, texts = [], []
        for n, (suite, mode) in enumerate([("aes-gcm-128", "aead"), ("aes-gcm-128", "aead"),
                                           ("chacha20-poly1305", "aead")]):
            session = Session(connection(suite, mode), A, 5, NQ[1:] + bytes([n]))
            # send each frame twice, as if answers had been lost
            frames += [frame for frame in session.handshake for _ in range(2)]
            frames += [session.packet(0x04, 5, b"round %d " % n), session.packet(0x11, 5)]
            texts.append((suite, b"round %d " % n))
        rows = dissect(frames, keys=FOLDER.keys)
        sent = [row for row in rows if number(row, "opcode") == 0x04]
        self.assertEqual([(one(row, "sth.suite"), octets(row, "payload")) for row in sent], texts)
        self.assertEqual([notes(row) for row in rows], [set()] * len(rows))

    def test_a_forged_answer_changes_nothing(self):
        session = Session(connection("aes-gcm-128", "aead"), A, 5)
        hello, answer, confirm, confirmed = session.handshake
        forged = frame_of(B, A, changed(session.frame_body(1), 7, 1))
        frames = [hello, answer, forged, confirm, confirmed, session.packet(0x04, 5, b"text")]
        rows = dissect(frames, "-2", keys=FOLDER.keys)
        self.assertEqual([one(row, "sth.tag.status") for row in rows],
                         [GOOD, GOOD, BAD, GOOD, GOOD, GOOD])
        self.assertEqual(octets(rows[-1], "payload"), b"text")

    def test_both_flows_of_a_connection_are_apart(self):
        conn = connection("aes-gmac-256", "packet")
        ours, theirs = Session(conn, A, 7), Session(conn, B, 0x123456, NR, NQ)
        frames = ours.handshake + theirs.handshake
        frames += [ours.packet(0x04, 7, b"ours"), theirs.packet(0x04, 0x123456, b"theirs"),
                   ours.packet(0x11, 7), theirs.packet(0x11, 0x123456)]
        rows = dissect(frames, keys=FOLDER.keys)[8:]
        self.assertEqual([octets(row, "payload") for row in rows], [b"ours", b"theirs", b"", b""])
        self.assertEqual([one(row, "sth.tag.status") for row in rows], [GOOD] * 4)


def changed(data, at, mask):
    out = bytearray(data)
    out[at] ^= mask
    return bytes(out)


def every_other_byte(session):
    body = session.body(0x0a, 9, b"changed")
    # Changes of the opcode, the queue pair, the PSN or the STH code make it another packet,
    # byte 4 is not covered, and the counter's first byte would make it too large
    counter = OPCODES[0x0a].clear_len(session.conn.mode)
    return [session.wire(changed(body, at, 1 << at % 8))
            for at in range(len(body)) if at not in (0, *range(4, 12), counter)]


def wrong_icrc(session):
    return [changed(session.packet(0x04, 9, b"text"), -1, 1)]


def other_payload(session):
    return [session.wire(session.body(0x04, 9, b"text")[:-4] + b"TEXT")]


def counter_spent(session):
    # the limit of a sender that is wrong
    with unittest.mock.patch("sth.seal.EMISSIONS", 2 * EMISSIONS):
        return [session.packet(0x04, 9, b"text", emission=EMISSIONS)]


def phase_skipped(session):
    frames = [session.packet(0x04, 9, b"text", emission=n * EMISSIONS) for n in (2, 3)]
    session.senders[False].emitted.clear()
    return frames


def without_sth(session):
    return [session.wire(Header(0x04, session.conn.other(session.flow.owner).qpn, 9).bytes())]


def other_code(session):
    body = session.body(0x04, 9, b"some text, for there to be room")
    return [session.wire(changed(body, 8, 0x10))]


def short(session):
    return [session.wire(session.body(0x04, 9)[:-4])]


def pad_alone(session):
    return [session.wire(changed(session.body(0x04, 9), 1, 0x30))]


def below_start(session):
    return [session.packet(0x04, 8, b"text")]


def pad_of_ones(session):
    return [session.wire(session.body(0x04, 9, b"abc\1", pad=1))]


def forged_confirm(session):
    return [session.frame(changed(session.frame_body(2), 99, 1))]


def confirm_with_another_share(session):
    return [session.frame(changed(session.frame_body(2), 52, 1))]


def confirm_under_another_key(session):
    return [session.frame(changed(session.frame_body(2), 16, 1))]


def confirm_of_version_3(session):
    return [session.frame(changed(session.frame_body(2), 12, 1))]


def confirm_of_version_1(session):
    body = session.frame_body(2)
    return [session.frame(body[:12] + body[20:52] + body[-16:])]


def confirm_that_asks(session):
    return [session.frame(changed(session.frame_body(2), 8, 0x80))]


def hello_from_nobody(session):
    hello = session.frame_body(0)
    return [session.frame(hello[:20] + bytes(16) + hello[36:])]


class Wrong(unittest.TestCase):
    """Packets that an end drops, between two that it accepts."""

    GCM, CMAC, HEADER = ("aes-gcm-128", "aead"), ("aes-cmac-128", "packet"), ("hmac-sha1", "header")
    OPAQUE = "aes-gcm-128", "opaque"
    CASES = [
        (every_other_byte, OPAQUE, {"sth.tag.bad"}, BAD),
        (other_payload, OPAQUE, {"sth.tag.bad"}, BAD),
        (counter_spent, OPAQUE, {"sth.counter.spent"}, GOOD),
        (pad_of_ones, OPAQUE, {"sth.pad"}, GOOD),
        (short, OPAQUE, {"sth.short"}, None),
        (every_other_byte, GCM, {"sth.tag.unproved"}, BAD),
        (every_other_byte, CMAC, {"sth.tag.unproved"}, BAD),
        (wrong_icrc, GCM, {"icrc.bad"}, GOOD),
        (other_payload, GCM, {"sth.tag.bad"}, BAD),
        (other_payload, CMAC, {"sth.tag.bad"}, BAD),
        (other_payload, HEADER, set(), GOOD),
        (counter_spent, GCM, {"sth.counter.spent"}, GOOD),
        (phase_skipped, GCM, {"sth.phase.bad"}, BAD),
        (phase_skipped, CMAC, {"sth.phase.bad"}, BAD),
        (without_sth, GCM, {"sth.missing"}, None),
        (other_code, CMAC, {"sth.unexpected"}, UNVERIFIED),
        (short, GCM, {"sth.short"}, None),
        (pad_alone, GCM, {"sth.short"}, None),
        (below_start, GCM, {"sth.psn"}, UNVERIFIED),
        (pad_of_ones, GCM, {"sth.pad"}, GOOD),
        (pad_of_ones, CMAC, {"sth.pad"}, GOOD),
        (pad_of_ones, HEADER, set(), GOOD),
        (forged_confirm, GCM, {"sth.tag.bad"}, BAD),
        (confirm_with_another_share, GCM, {"sth.tag.bad"}, BAD),
        (confirm_under_another_key, GCM, {"sth.tag.bad"}, BAD),
        (confirm_of_version_3, GCM, {"handshake.wrong"}, UNVERIFIED),
        (confirm_of_version_1, GCM, {"handshake.version_1"}, UNVERIFIED),
        (confirm_that_asks, GCM, {"handshake.wrong"}, UNVERIFIED),
        (hello_from_nobody, GCM, {"handshake.wrong"}, UNVERIFIED),
    ]

    def test_what_is_wrong_is_said_and_nothing_else(self):
        frames, parts = [], []
        for n, (make, seal, *_) in enumerate(self.CASES):
            conn = connection(*seal, End(A.gid, 0x100 + n), End(B.gid, 0x200 + n))
            session = Session(conn, conn.a, 9, NQ[1:] + bytes([n]))
            before, after = session.packet(0x04, 9, b"before"), session.packet(0x04, 10, b"after")
            wrong = make(session)
            frames += [*session.handshake, before, *wrong, after]
            parts.append(len(wrong))
        rows = iter(dissect(frames, keys=FOLDER.keys))
        for (make, seal, expected, status), length in zip(self.CASES, parts, strict=True):
            *_, before = (next(rows) for _ in range(5))
            middle, after = [next(rows) for _ in range(length)], next(rows)
            with self.subTest(what=make.__name__, seal=seal):
                self.assertEqual([notes(row) for row in middle], [expected] * length)
                self.assertEqual([one(row, "sth.tag.status") for row in middle], [status] * length)
                self.assertEqual([octets(row, "payload") for row in (before, after)],
                                 [b"before", b"after"])
                self.assertEqual([notes(row) for row in (before, after)], [set()] * 2)
                if status == BAD:
                    self.assertEqual({octets(row, "payload") for row in middle}, {b""})

    def test_it_follows_from_phase_to_phase(self):
        for seal in (self.GCM, self.CMAC):
            session = Session(connection(*seal), A, 9)
            frames = [session.packet(0x04, 9 + n, b"text", emission=n * EMISSIONS // 2)
                      for n in range(12)]
            rows = dissect([*session.handshake, *frames, frames[0]], keys=FOLDER.keys)[4:]
            self.assertEqual([one(row, "sth.phase") for row in rows[:-1]],
                             [str(n // 2) for n in range(12)])
            self.assertEqual({one(row, "sth.tag.status") for row in rows[:-1]}, {GOOD})
            self.assertEqual([notes(row) for row in rows[:-1]], [set()] * 12)
            # phase 0 has the bits of phase 4, but another key
            self.assertEqual(notes(rows[-1]), {"sth.tag.bad"})

    def test_a_counter_opens_once(self):
        session = Session(connection("aes-gcm-128", "aead"), A, 9)
        frame = session.packet(0x04, 9, b"text", emission=77)
        rows = dissect([*session.handshake, frame, session.packet(0x04, 9, b"again"), frame],
                       keys=FOLDER.keys)
        self.assertEqual([notes(row) for row in rows[4:]], [set(), set(), {"sth.replayed"}])
        self.assertEqual([one(row, "sth.replays") for row in rows[4:]], [None, None, "5"])


class Secrets(unittest.TestCase):
    """Forward secrecy: the key opens nothing without the connection's secret."""

    def sessions(self, mode="aead", suite="aes-gcm-128"):
        """Return both flows of a connection, which have one secret."""
        conn = connection(suite, mode)
        return Session(conn, A, 0xfffffe), Session(conn, B, 5, NR, NQ)

    def frames(self, *sessions):
        """Return the frames, and the plaintexts; A's flow goes on for an epoch and a half."""
        numbers = [0xfffffe, 0x1000000, 0x17fffff, 0x1fffffe, 0x2000001, 0x1fffffd]
        ours, theirs = sessions
        frames = ours.handshake + theirs.handshake
        frames += [ours.packet(0x04, psn64, b"%08x" % psn64) for psn64 in numbers]
        frames += [theirs.packet(0x04, 5, b"theirs")]
        return frames, [b"%08x" % psn64 for psn64 in numbers] + [b"theirs"]

    def test_with_the_secret_every_epoch_opens(self):
        frames, texts = self.frames(*self.sessions())
        rows = dissect(frames, keys=FOLDER.keys)[8:]
        self.assertEqual([octets(row, "payload") for row in rows], texts)
        self.assertEqual({one(row, "sth.tag.status") for row in rows}, {GOOD})
        self.assertEqual([number(row, "sth.epoch") for row in rows], [0, 1, 1, 1, 2, 1, 0])

    def test_the_key_alone_opens_nothing(self):
        for suite, mode in (("aes-gcm-128", "aead"), ("aes-gcm-128", "opaque"),
                            ("aes-cmac-128", "packet"), ("hmac-sha256", "header")):
            frames, texts = self.frames(*self.sessions(mode, suite))
            rows = dissect(frames, "-2", keys=FOLDER.keys, secrets={})
            # The frames of the handshake are under the key alone, and name the seal
            self.assertEqual([one(row, "sth.tag.status") for row in rows[:8]], [GOOD] * 8)
            self.assertEqual([notes(row) for row in rows[8:]], [{"no_secret"}] * len(texts))
            self.assertEqual({one(row, "sth.tag.status") for row in rows[8:]}, {UNVERIFIED})
            self.assertEqual({one(row, "sth.suite") for row in rows}, {suite})
            if mode in ("aead", "opaque"):
                self.assertEqual({octets(row, "payload") for row in rows[8:]}, {b""})

    def test_the_secret_alone_opens_nothing(self):
        frames, _ = self.frames(*self.sessions())
        rows = dissect(frames)[8:]
        self.assertEqual({one(row, "sth.tag.status") for row in rows}, {UNVERIFIED})
        self.assertEqual({octets(row, "payload") for row in rows}, {b""})

    def test_another_secret_for_the_same_shares_is_wrong(self):
        sessions = self.sessions()
        shared = sessions[0].shared
        frames, _ = self.frames(*sessions)
        rows = dissect(frames, keys=FOLDER.keys, secrets={
            (shared.a, shared.b): Shared(shared.a, shared.b, changed(shared.z, 31, 1))})[8:]
        self.assertEqual([one(row, "sth.tag.status") for row in rows[:2]], [BAD] * 2)
        self.assertNotIn(GOOD, {one(row, "sth.tag.status") for row in rows})
        self.assertEqual({octets(row, "payload") for row in rows}, {b""})

    def test_each_connection_needs_its_own(self):
        frames, _ = self.frames(*self.sessions())
        other = Shared.between(connection("aes-gcm-128", "aead"), A, b"\5" * 32, Y_SCALAR)
        rows = dissect(frames, keys=FOLDER.keys, secrets={(other.a, other.b): other})[8:]
        self.assertEqual([notes(row) for row in rows], [{"no_secret"}] * len(rows))

    def test_a_responder_that_was_reset_has_another_share(self):
        """HELLO-ACKs of the old life and of the new one; the requester confirms the new one."""
        conn = connection("aes-gcm-128", "aead")
        old = Shared.between(conn, A, X_SCALAR, b"\5" * 32)
        session = Session(conn, A, 5)
        hello, answer, confirm, confirmed = session.handshake
        stale = handshake(conn, A, 5, old, nr=b"\7" * 16)[1]
        rows = dissect([hello, answer, stale, confirm, confirmed, session.packet(0x04, 5, b"text")],
                       "-2", keys=FOLDER.keys)
        self.assertEqual({one(row, "sth.tag.status") for row in rows}, {GOOD})
        self.assertEqual(octets(rows[-1], "payload"), b"text")

    def test_files_are_read_as_the_program_writes_them(self):
        frames, texts = self.frames(*self.sessions())
        path = FOLDER.secrets_file()
        empty = FOLDER.file("none", b"# a comment\n\n")
        done = tshark(DISSECTOR, "-r", FOLDER.capture(frames), "-o", f"srnic.keys:{FOLDER.keys}",
                      "-o", f"srnic.secrets:{empty}; {path}", "-T", "fields", "-e", "srnic.payload",
                      "-Y", "srnic.payload")
        self.assertEqual(done.stdout.split(), [text.hex() for text in texts])
        self.assertNotIn("no secret", done.stderr)

    def test_what_is_no_secret_is_complained_of(self):
        line = FOLDER.secrets_file().read_text().splitlines()[0]
        for path in (FOLDER.file("short", line[:-2].encode()), FOLDER.file("kind", b"Y" + line[1:].encode()),
                     FOLDER.file("two", line.rsplit(" ", 1)[0].encode()), FOLDER.path / "absent"):
            done = tshark(DISSECTOR, "-r", FOLDER.capture([]), "-o", f"srnic.secrets:{path}")
            self.assertIn(f"no secret from {path}", done.stderr)


class Keys(unittest.TestCase):
    def frames(self, key=KEY):
        session = Session(connection("chacha20-poly1305", "aead", key=key), A, 3)
        return session.handshake + [session.packet(0x04, 3, b"text")]

    def test_files_are_read_as_the_command_reads_them(self):
        raw = bytes(range(200, 220))
        for name, text, key in (("hex", KEY.hex().upper(), KEY),
                                ("lines", KEY.hex()[:20] + "\n " + KEY.hex()[20:] + "\n\n", KEY),
                                ("raw", None, raw)):
            path = FOLDER.file(name, raw if text is None else text.encode())
            row = dissect(self.frames(key), keys=path)[4]
            self.assertEqual((octets(row, "payload"), one(row, "sth.key")), (b"text", name))

    def test_the_right_one_of_several_is_found(self):
        other = FOLDER.file("other", bytes(32).hex().encode())
        row = dissect(self.frames(), keys=f"{other};{FOLDER.keys}")[4]
        self.assertEqual((octets(row, "payload"), one(row, "sth.key")), (b"text", "lab.key"))

    def test_another_key_opens_nothing(self):
        other = FOLDER.file("other", bytes(32).hex().encode())
        rows = dissect(self.frames(), keys=other)
        self.assertEqual([notes(row) for row in rows], [set()] + [{"no_key"}] * 4)
        self.assertEqual({one(row, "sth.tag.status") for row in rows}, {UNVERIFIED})
        self.assertEqual(number(rows[4], "sth.psn64"), 3)

    def test_what_is_no_key_is_complained_of(self):
        for path in (FOLDER.file("short", b"0123456789abcdef"),
                     FOLDER.file("odd", KEY.hex().encode()[:-1]), FOLDER.path / "absent"):
            done = tshark(DISSECTOR, "-r", FOLDER.capture([]), "-o", f"srnic.keys:{path}")
            self.assertIn(f"no key from {path}", done.stderr)


class Captures(unittest.TestCase):
    """Other contents of captures."""

    def test_what_is_not_sealed_is_left_alone(self):
        plain = [Header(0x04, B.qpn, 1).bytes() + b"text", Header(0x64, 1, 1).bytes() + bytes(256),
                 Header(0x81, B.qpn, 1).bytes() + bytes(16), b"short"]
        frames = [frame_of(A, B, body) for body in plain]
        # a TCP segment and an ARP request
        frames += [bytes(12) + b"\x08\x00" + bytes.fromhex(
            "4500002800010000400600000a4d00010a4d000212b712b700000000000000005000000000000000"),
            bytes(12) + b"\x08\x06" + bytes(28)]
        for row in dissect(frames, keys=FOLDER.keys):
            self.assertEqual({field: row[field] for field in row if row[field]},
                             {"frame.number": row["frame.number"]})

    def test_a_flow_whose_handshake_was_missed(self):
        session = Session(connection("aes-cmac-128", "packet"), A, 9)
        row, = dissect([session.packet(0x04, 9, b"text")], keys=FOLDER.keys)
        self.assertEqual(notes(row), {"no_handshake"})
        self.assertEqual(one(row, "sth.tag.status"), UNVERIFIED)
        self.assertIsNone(one(row, "sth.epoch"))
        self.assertEqual(one(row, "sth.suites"), "aes-cmac-128, aes-cmac-192, aes-cmac-256")
        self.assertEqual(octets(row, "payload"), b"text")

    def test_packets_that_were_cut_short(self):
        session = Session(connection("aes-cmac-128", "packet"), A, 9)
        frames = session.handshake + [session.packet(0x04, 9, bytes(300))]
        rows = dissect(frames, keys=FOLDER.keys, snaplen=200)
        self.assertEqual([notes(row) for row in rows], [set()] * 4 + [{"cut"}])
        self.assertIsNone(one(rows[4], "sth.tag.status"))

    def test_what_carries_them(self):
        session = Session(connection("aes-gcm-256", "aead"), A, 3)
        frames = session.handshake + [session.packet(0x04, 3, b"text")]
        tagged = [frame[:12] + b"\x81\x00\x00\x05" + frame[12:] for frame in frames]
        vxlan = [ether(self.tunnelled(bytes.fromhex("0800000000002a00") + frame))
                 for frame in frames]
        cooked = [bytes(14) + frame[12:] for frame in frames]
        for packets, link in ((tagged, ETHERNET), (vxlan, ETHERNET), (cooked, COOKED)):
            row = dissect(packets, keys=FOLDER.keys, link=link)[4]
            self.assertEqual((octets(row, "payload"), notes(row)), (b"text", set()))

    def tunnelled(self, inner):
        """Add IPv4 and UDP headers to VXLAN's port."""
        packet = Packet(A.gid, B.gid, inner[:-4])
        return packet.ip_header() + struct.pack(">HHHH", 0xc000, 4789, packet.udp_len, 0) + inner

    def test_super_packets_are_taken_apart(self):
        for ends in ((A, B), (A6, B6)):
            session = Session(connection("aes-gcm-128", "aead", *ends), ends[0], 0xfffffe)
            texts = [bytes([n]) * 256 for n in range(5)] + [b"the last, shorter one."]
            bodies = [session.body(0x0a if n == 5 else 0x07, 0xfffffe + n, text)
                      for n, text in enumerate(texts)]
            rows = dissect(session.handshake + [self.super_packet(*ends, bodies)],
                           keys=FOLDER.keys)
            row = rows[4]
            self.assertEqual(row["segments"], ["6"] * 6)
            self.assertEqual(row["segment"], list("123456"))
            self.assertEqual([int(n, 0) for n in row["sth.psn64"]],
                             list(range(0xfffffe, 0x1000004)))
            self.assertEqual(row["sth.epoch"], list("001111"))
            self.assertEqual(row["sth.tag.status"], [GOOD] * 6)
            self.assertEqual(row["icrc.status"], [GOOD] * 6)
            self.assertEqual([bytes.fromhex(p.replace(":", "")) for p in row["payload"]], texts)
            self.assertEqual(notes(row), {"superpacket"})

    def super_packet(self, sender, receiver, bodies):
        """Return the frame as passed on by the stack: one header, consecutive segments."""
        headers = 28 if sender is A else 48
        segments = b"".join(Packet(sender.gid, receiver.gid, body, ip_id=0xfffd + n & 0xffff)
                            .bytes()[headers:] for n, body in enumerate(bodies))
        packet = Packet(sender.gid, receiver.gid, segments[:-4], ip_id=0xfffd)
        return ether(packet.ip_header() + packet.udp_header() + segments)

    def test_nothing_that_comes_makes_it_fail(self):
        session = Session(connection("aes-gcm-128", "aead"), A, 0xfffffe)
        bodies = [session.body(0x07, 0xfffffe + n, bytes(64)) for n in range(3)]
        good = [*session.handshake, self.super_packet(A, B, bodies),
                *(session.packet(opcode, 0xfffffe) for opcode in OPCODES)]
        draw, frames = random.Random(4791), list(session.handshake)
        for _ in range(600):
            frame = bytearray(draw.choice(good))
            for _ in range(draw.randrange(1, 6)):
                frame[draw.randrange(26, len(frame))] = draw.choice((0, 1, 0x20, 0x30, 255))
            del frame[draw.randrange(42, 2 * len(frame)):]
            # lengths of IP and UDP that match the frame
            frame[16:18] = (len(frame) - 14).to_bytes(2, "big")
            frame[38:40] = (len(frame) - 34).to_bytes(2, "big")
            frames.append(bytes(frame))
        rows = dissect(frames, keys=FOLDER.keys)
        self.assertGreater(sum(bool(notes(row)) for row in rows), 300)

    def test_frames_of_version_1_are_named(self):
        session = Session(connection("aes-gcm-128", "aead"), A, 3)
        frames = [session.frame(body[:12] + body[20:52] + body[-16:])
                  for body in map(session.frame_body, range(4))]
        frames.append(session.packet(0x04, 3, b"text"))
        rows = dissect(frames, keys=FOLDER.keys)
        self.assertEqual([notes(row) for row in rows],
                         [{"handshake.version_1"}] * 4 + [{"no_handshake"}])
        self.assertEqual([number(row, "version") for row in rows[:4]], [1] * 4)
        self.assertEqual([octets(row, "nq") for row in rows[:4]], [NQ] * 4)
        self.assertEqual({one(row, "sth.suite") for row in rows}, {None})
        self.assertEqual(octets(rows[4], "payload"), b"")
        done = tshark(DISSECTOR, "-r", FOLDER.capture(frames))
        self.assertIn("[STH HELLO, version 1]", done.stdout)

    def test_the_list_of_packets_says_it_too(self):
        session = Session(connection("aes-gcm-128", "aead"), A, 0xfffffe)
        bodies = [session.body(0x04, 0xfffffe + n, b"text") for n in range(3)]
        frames = [*session.handshake, self.super_packet(A, B, bodies),
                  changed(session.packet(0x11, 0x1000000), -5, 1)]
        done = tshark(DISSECTOR, "-r", FOLDER.capture(frames), "-o", f"srnic.keys:{FOLDER.keys}",
                      "-o", f"srnic.secrets:{FOLDER.secrets_file()}")
        lines = done.stdout.splitlines()
        self.assertIn("[STH HELLO]", lines[0])
        self.assertIn("[STH CONFIRM-ACK, aes-gcm-128 aead, tag good]", lines[3])
        self.assertIn("[2 × STH 160 bits, aes-gcm-128 aead, epoch 0, tag good] "
                      "[STH 160 bits, aes-gcm-128 aead, epoch 1, tag good]", lines[4])
        self.assertIn("[STH 160 bits, aes-gcm-128 aead, epoch 1, ICRC WRONG, TAG WRONG]", lines[5])


if __name__ == "__main__":
    unittest.main()
