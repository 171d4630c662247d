#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""static/versions notices versions that CHANGELOG.md does not tell."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner import versions                  # noqa: E402

GOOD = """
| srnic | wire | daemon | ABI | netlink |
|---|---|---|---|---|
| 1.2 | 2 | 3 | 16 | 1 |
| 1.1 | 2 | 3 | 15 | 1 |

## 1.2, not released yet
"""
NUMBERS = ["1.2", "2", "3", "16", "1"]


class Versions(unittest.TestCase):
    def test_agreeing_versions_are_accepted(self):
        self.assertEqual(versions.faults(GOOD, NUMBERS, "1.2"), [])

    def test_each_number_is_compared(self):
        for i in range(1, len(NUMBERS)):
            wrong = NUMBERS[:i] + ["9"] + NUMBERS[i + 1:]
            self.assertEqual(len(versions.faults(GOOD, wrong, "1.2")), 1, wrong)

    def test_a_new_version_needs_row_section_and_packages(self):
        self.assertEqual(len(versions.faults(GOOD, ["1.3", *NUMBERS[1:]], "1.2")), 3)

    def test_the_sources_have_all_numbers(self):
        for column in (*versions.COLUMNS, versions.PACKAGE):
            self.assertIsNotNone(versions.version(*column), column)


if __name__ == "__main__":
    unittest.main()
