#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of report.py and of the reasons that tables give it: the end of the output, which may
be all that a reader gets, names the causes."""

import io
import sys
import unittest
from pathlib import Path
from tempfile import NamedTemporaryFile

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.dont_write_bytecode = True
from runner import BUILD  # noqa: E402
from runner.report import FAILED, PASSED, Report, Result  # noqa: E402
from runner.statement import without_result  # noqa: E402


class Summary(unittest.TestCase):
    def setUp(self):
        self.out = io.StringIO()
        self.report = Report(self.out)
        BUILD.mkdir(exist_ok=True)
        with NamedTemporaryFile("w", dir=BUILD, suffix=".log", delete=False) as log:
            log.write("".join(f"line {n}\n" for n in range(1, 41)))
        self.log = Path(log.name)
        self.addCleanup(self.log.unlink)

    def end_of(self, *results):
        """Return the status and what the summary of these results prints."""
        for result in results:
            self.report.finished(result)
        before = self.out.tell()
        status = self.report.summary()
        return status, self.out.getvalue()[before:]

    def test_a_failed_test_is_printed_after_the_rows_that_name_it(self):
        status, text = self.end_of(
            Result("kunit/kernel", FAILED, 1, self.log, "the kernel reported trouble"),
            Result("verbs/READ", FAILED, 0, None, "no result of a_read_returns_bytes"))
        self.assertEqual(status, 1)
        failed = text[text.index("Failed:"):]
        self.assertLess(failed.index("verbs/READ"), failed.index("kunit/kernel"))
        self.assertEqual(failed.splitlines()[-1], "0 passed, 2 failed")

    def test_one_log_is_shown_longer_than_each_of_many(self):
        self.assertIn("| line 26\n", self.end_of(Result("e2e/a", FAILED, 1, self.log))[1])
        many = [Result(f"e2e/{n}", FAILED, 1, self.log) for n in range(9)]
        text = self.end_of(*many)[1]
        self.assertIn("| line 38\n", text)
        self.assertNotIn("| line 37\n", text)

    def test_a_run_without_failures_passes(self):
        status, text = self.end_of(Result("e2e/a", PASSED, 1, self.log))
        self.assertEqual(status, 0)
        self.assertNotIn("Failed:", text)


class Reason(unittest.TestCase):
    def test_it_names_few_tests_and_counts_the_others(self):
        self.assertEqual(without_result(["a", "b"]), "no result of a, b")
        self.assertEqual(without_result(list("abcdef")), "no result of a, b, c and 3 more")


if __name__ == "__main__":
    unittest.main()
