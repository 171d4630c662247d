#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of statement.py: rows of a document, and their results from those of the tests."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.dont_write_bytecode = True
from runner.report import FAILED, PASSED, SKIPPED, Result  # noqa: E402
from runner.statement import SENTENCE, Statement, bare  # noqa: E402

TEXT = """# How it is met

## 1. The requirements

### S1 (section 3.2): five stages

`work()`

- **Shown by**: `stages have an order`, `pipeline.sh` (`not this`,
  `nor this`), `they end`
- **Status**: met

### S2 (sections 4.1, 4.2): sleeping workers

- **Shown by**: no test
- **Status**: met in part: some

### R9 (section 4.1): of another document

- **Shown by**: `pipeline.sh`
- **Status**: met

## 2. What is not met

- **Status**: of no requirement
"""


class Report:
    """Results, and the lines that are printed."""

    def __init__(self, *results):
        self.results = list(results)
        self.said = []

    def say(self, text):
        self.said.append(text)

    def expect(self, count):
        pass

    def finished(self, result):
        self.results.append(result)


def result(name, outcome):
    return Result(name, outcome, 0, None, "")


class TestStatement(unittest.TestCase):
    def setUp(self):
        self.file = tempfile.NamedTemporaryFile("w", suffix=".md")
        self.file.write(TEXT)
        self.file.flush()
        # An absolute path replaces the checkout's
        self.statement = Statement(self.file.name, "SECM", "S", ("host/part",), SENTENCE)

    def tearDown(self):
        self.file.close()

    def word(self, *results):
        report = Report(*results)
        self.statement.show(report)
        return next(line for line in report.said if line.startswith("S1")).split()[3], report

    def test_rows(self):
        rows = self.statement.rows()
        self.assertEqual([row.number for row in rows], ["S1", "S2"])
        self.assertEqual(rows[0].tests, {"stages have an order", "pipeline", "they end"})
        self.assertEqual((rows[1].section, rows[1].demand, rows[1].tests, rows[1].status),
                         ("4.1, 4.2", "sleeping workers", set(), "met in part: some"))

    def test_names(self):
        self.assertEqual(bare("host/part/parameters are checked: dst"), "dst")
        self.assertEqual(bare("e2e/stock/pipeline.sh"), "pipeline")

    def test_matcher(self):
        wanted = self.statement.matcher({"more"})
        for name in ("host/part", "e2e/stock/pipeline", "host/part/stages have an order", "more"):
            self.assertTrue(wanted(name), name)
        self.assertFalse(wanted("e2e/stock/other"))

    def test_all_pass(self):
        word, report = self.word(result("e2e/stock/pipeline", PASSED),
                                 result("host/part/stages have an order", PASSED),
                                 result("host/part/they end", PASSED))
        self.assertEqual(word, "pass")
        self.assertEqual(len(report.results), 3)

    def test_one_fails_or_is_skipped(self):
        for outcome, wanted in ((FAILED, "FAIL"), (SKIPPED, "skipped")):
            word, _ = self.word(result("e2e/stock/pipeline", outcome),
                                result("host/part/stages have an order", PASSED),
                                result("host/part/they end", PASSED))
            self.assertEqual(word, wanted)

    def test_one_is_missing(self):
        word, report = self.word(result("e2e/stock/pipeline", PASSED))
        self.assertEqual(word, "FAIL")
        self.assertIn("stages have an order", report.results[-1].reason)


if __name__ == "__main__":
    unittest.main()
