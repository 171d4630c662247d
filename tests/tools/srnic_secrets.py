#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Test srnic-secrets without a kernel: the probe that it adds, and the lines that it prints."""
import re
import sys
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS / "codec"))
from sth import read_secrets                    # noqa: E402

LOADER = SourceFileLoader("secrets_tool", str(TOOLS / "secrets/srnic-secrets"))
tool = module_from_spec(spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(tool)

# Limits of the kernel (kernel/trace/trace_probe.h)
ARGUMENT, EVENT = 63, 64
A, B, Z = bytes(range(32)), bytes(range(0x80, 0xa0)), bytes(range(0xe0, 0x100))


def event(values):
    """Return a line of trace_pipe, without context-info."""
    halves = [f"{name}_{half}={{{','.join(str(byte >> shift & 15) for byte in values[name])}}}"
              for name in tool.PLACES for half, shift in tool.HALVES.items()]
    return 'shared_77: (srnic_kdf+0x0/0x90 [srnic]) label="STH2 shared" ' + " ".join(halves)


class Events(unittest.TestCase):
    def test_an_event_becomes_a_line_that_the_codec_reads(self):
        line = tool.line_of(event({"a": A, "b": B, "z": Z}))
        self.assertEqual(line, f"Z {A.hex()} {B.hex()} {Z.hex()}\n")
        found = read_secrets(tool.HEADING + line)
        self.assertEqual([(s.a, s.b, s.z) for s in found.values()], [(A, B, Z)])

    def test_what_is_no_event_becomes_none(self):
        for line in ("", "CPU:0 [LOST 3 EVENTS]", event({"a": A, "b": B, "z": Z[1:]}),
                     'shared_77: (srnic_kdf+0x0/0x90 [srnic]) label="STH2 shared" z_high=(fault)'):
            self.assertIsNone(tool.line_of(line))

    def test_the_kernel_takes_the_arguments(self):
        words = tool.fetched().split()
        self.assertEqual(len(words), 7)
        for word in words:
            name, fetch = word.split("=", 1)
            self.assertLessEqual(len(fetch), ARGUMENT)
            self.assertRegex(name, r"^[a-z_]+$")
        self.assertLess(len(tool.Probe(1 << 22).event.split("/")[1]), EVENT)

    def test_the_manual_and_the_module_have_its_names(self):
        srnic = TOOLS.parent / "drivers/infiniband/sw/srnic/sth"
        self.assertIn(f'"{tool.LABEL}"', (srnic / "pure.h").read_text())
        kdf = re.search(r"^int srnic_kdf\(([^)]*)\)", (srnic / "kdf.c").read_text(), re.M)[1]
        self.assertEqual(kdf.split(",")[2].strip(), "const struct srnic_kdf_purpose *purpose")


class Absence(unittest.TestCase):
    def test_it_says_what_to_do(self):
        before = tool.MODULE
        tool.MODULE = Path("/nonexistent")
        try:
            self.assertIn("root" if tool.os.geteuid() else "modprobe srnic", tool.missing())
        finally:
            tool.MODULE = before


if __name__ == "__main__":
    unittest.main()
