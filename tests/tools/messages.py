#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the writer of tools/redteam/messages.py: it knows each operation (R28)."""
import random
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/redteam"))
from messages import Grammar, Writer    # noqa: E402
from netlink import attrs_of            # noqa: E402

DEVICE, PORT = 3, 4


class Requests(unittest.TestCase):
    def setUp(self):
        self.grammar = Grammar()
        self.writer = Writer(self.grammar, random.Random(1), DEVICE, PORT)

    def test_each_operation_has_a_valid_request(self):
        for _, op in self.grammar.operations:
            with self.subTest(op["name"]):
                how = op.get("do") or op["dump"]
                wanted = set()
                for name in how.get("request", {}).get("attributes", []):
                    number, spec = self.grammar.sets[op["attribute-set"]][name]
                    if spec["type"] != "flag":
                        wanted.add(number)
                self.assertLessEqual(wanted, set(attrs_of(self.writer.body(op, False))))

    def test_spoilt_requests_are_written_too(self):
        for _, op in self.grammar.operations * 100:
            self.assertIsInstance(self.writer.body(op, True), bytes)


if __name__ == "__main__":
    unittest.main()
