#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of results.py: a table in Documentation/results, and rows that replace others."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner import results      # noqa: E402

OLD = """# Kernels

By hand.

| kernel | builds | date |
|---|---|---|
| bookworm | yes | Monday |
| sid | no | Monday |
"""


class TableTest(unittest.TestCase):
    """A table that a run changes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "kernels.md"
        patch = mock.patch.object(results, "FOLDER", Path(folder.name))
        patch.start()
        self.addCleanup(patch.stop)

    def write(self, columns, *rows):
        results.write_rows("kernels", "Kernels", columns, rows, "By hand.")
        return self.path.read_text()

    def test_there_may_be_no_table_yet(self):
        self.assertEqual(results.rows_of("kernels", ("kernel", "builds", "date")), {})
        self.assertEqual(self.write(("kernel", "builds", "date"), ("sid", "no", "Monday"),
                                    ("bookworm", "yes", "Monday")), OLD)

    def test_a_row_replaces_the_one_of_its_name_and_no_other(self):
        self.path.write_text(OLD)
        self.assertEqual(self.write(("kernel", "builds", "date"), ("sid", "yes", "Tuesday")),
                         OLD.replace("| sid | no | Monday |", "| sid | yes | Tuesday |"))

    def test_a_new_column_removes_no_row(self):
        self.path.write_text(OLD)
        self.write(("kernel", "builds", "KUnit", "date"), ("i386", "yes", "yes", "Tuesday"))
        self.assertEqual(results.rows_of("kernels", ("kernel", "builds", "KUnit", "date")), {
            "bookworm": ["bookworm", "yes", "-", "Monday"],
            "i386": ["i386", "yes", "yes", "Tuesday"],
            "sid": ["sid", "no", "-", "Monday"]})


if __name__ == "__main__":
    unittest.main()
