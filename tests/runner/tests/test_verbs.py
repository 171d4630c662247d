#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""static/verbs notices planted faults, and nothing else; the table has the tests' results."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner import REPO, verbs                  # noqa: E402
from runner.report import FAILED, PASSED, SKIPPED   # noqa: E402

TEXT = (REPO / verbs.PATH).read_text()
# A text of the document, its replacement, and the fault that is then found
BAD = (
    ("`alloc_pd`, ", "", ("no row", "alloc_pd", "no verb has it")),
    ("- **Calls**: `alloc_pd`, ", "- **Calls**: `alloc_pd`, `alloc_xyz`, ",
     ("Protection domains", "alloc_xyz", "the code has no such call")),
    ("`addresses_are_checked`", "`addresses_are_not_checked`",
     ("Address handles", "addresses_are_not_checked", "no such test")),
    ("- **KUnit**: `addresses_are_checked`\n", "",
     ("Address handles", "KUnit", "it is empty, and gives no reason")),
    ("- **KUnit**: `addresses_are_checked`", "- **KUnit**: none: ",
     ("Address handles", "KUnit", "it is empty, and gives no reason")),
    ("- **KUnit**: `addresses_are_checked`", "- **KUnit**: `limits.sh`",
     ("Address handles", "limits.sh", "not a KUnit case")),
    ("- **End to end**: `changes.sh`\n", "- **End to end**: `addresses_are_checked`\n",
     ("Modify SRQ: limit and size", "addresses_are_checked", "a KUnit case is not end to end")),
    ("- **Sealed**: `memory_keys.sh`", "- **Sealed**: `changes.sh`",
     ("Protection domains", "changes.sh", "it seals nothing")),
    ("`fabric: I32 the netdev leaves no group`", "`fabric: I32 the netdev stays`",
     ("Multicast groups", "fabric: I32 the netdev stays", "no such mutation")),
)


class Planted(unittest.TestCase):
    def test_the_document_has_none(self):
        self.assertEqual(verbs.findings(TEXT), [])

    def test_each_is_found(self):
        for old, new, finding in BAD:
            with self.subTest(new or old):
                self.assertIn(old, TEXT)
                self.assertEqual(verbs.findings(TEXT.replace(old, new, 1)), [finding])


class Cells(unittest.TestCase):
    def test_remarks_and_reasons_are_no_tests(self):
        row = verbs.Row("A verb", {"KUnit": "`a` (`b`), `c`", "Sealed": "none: as `d` says"})
        self.assertEqual(row.names("KUnit"), ["a", "c"])
        self.assertEqual(row.tests(), {"a", "c"})

    def test_a_cell_has_the_results_of_its_tests(self):
        ended = {"a": {PASSED}, "b": {SKIPPED}, "c": {PASSED, FAILED}}
        for tests, word in (("a", "pass 1"), ("ab", "skipped 2"), ("ac", "FAIL"), ("", "-")):
            self.assertEqual(verbs.outcome(set(tests), ended), (word, []))
        self.assertEqual(verbs.outcome({"a", "d"}, ended), ("FAIL", ["d"]))

    def test_mutations_count_if_they_were_noticed(self):
        last = {"one": ["one", "noticed"], "two": ["two", "not"]}
        self.assertEqual(verbs.recorded(["one", "two", "three"], last), "1 of 3")


if __name__ == "__main__":
    unittest.main()
