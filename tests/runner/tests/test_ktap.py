#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Reports of KUnit: the outcome of each case, and the reason of a failure."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner.ktap import cases                           # noqa: E402
from runner.report import FAILED, PASSED, SKIPPED       # noqa: E402

REPORT = """\
KTAP version 1
1..1
    KTAP version 1
    # Subtest: srnic-wire
    1..3
    ok 1 a_packet_is_parsed
    # a_length_is_checked: EXPECTATION FAILED at kunit/wire_test.c:12
    Expected length(test) == 4, but
        length(test) == 5 (0x5)
    # a_length_is_checked: EXPECTATION FAILED at kunit/wire_test.c:13
    not ok 2 a_length_is_checked
    ok 3 a_key_is_read # SKIP no keys
# srnic-wire: pass:1 fail:1 skip:1 total:3
not ok 1 srnic-wire
"""


class Cases(unittest.TestCase):
    def test_the_reason_of_a_failure_is_the_first_expectation_that_was_not_met(self):
        found = list(cases(REPORT, depth=1))
        self.assertEqual(found[1], (
            "srnic-wire", "a_length_is_checked", FAILED,
            "kunit/wire_test.c:12: Expected length(test) == 4, but length(test) == 5 (0x5)"))

    def test_other_cases_keep_their_outcome_and_reason(self):
        found = list(cases(REPORT, depth=1))
        self.assertEqual([case[2] for case in found], [PASSED, FAILED, SKIPPED])
        self.assertEqual((found[0][3], found[2][3]), ("", "no keys"))


if __name__ == "__main__":
    unittest.main()
