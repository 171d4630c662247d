#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The dissector's primitives, in tshark, on published vectors."""

import os
import re
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ORACLES = HERE / "test_oracles.lua"
VECTORS = HERE.parents[1] / "kunit/vectors"
ETHERNET = 1


class Folder:
    """Where captures and keys lie; tshark's home, too, so that nobody's own settings count."""

    def __init__(self):
        self.tmp = tempfile.TemporaryDirectory()
        self.path = Path(self.tmp.name)

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


class Primitives(unittest.TestCase):
    # RFC 8439, A.3, 7 to 9: sums around 2^130 - 5. Key, message, tag
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


if __name__ == "__main__":
    unittest.main()
