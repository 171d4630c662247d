#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""static/references notices planted faults, and nothing else."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner import references                  # noqa: E402

# Each of these is in the tree
GOOD = """# A title, and more
[here](#a-title-and-more) [a file](other.md) [there](other.md#part-2) [out](https://example.org/x)
`mem/check.c: stag_check` `stag_check()` (`mem/check.c`) `queue/` `e2e/verify.sh` `verify.sh`
`wire_parse_undoes_build` `redteam: forge_write` `kunit/proofs/` `require`
"""
BAD = {
    "[a file](another.md)": "no such file",
    "[here](#a-title)": "no such heading",
    "[there](other.md#part-3)": "no such heading",
    "`mem/no_such_file.c`": "no such file",
    "`no_such_test.sh`": "no such file",
    "`mem/check.c: no_such_function`": "mem/check.c has no no_such_function",
    "`no_such_file.c: stag_check`": "no such file as no_such_file.c",
    "`no_such_function()`": "no source has this name",
    "`srnic_sq_fetch()` (`mem/check.c`)": "mem/check.c has no srnic_sq_fetch",
    "`no_such_case_of_any_suite`": "no source has this name",
    "`redteam: no_such_attack`": "tools/redteam/attacks.py has no no_such_attack",
}


class Planted(unittest.TestCase):
    def found(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "other.md").write_text("## Part 2\n")
            path = Path(folder) / "page.md"
            path.write_text(text)
            return [(finding.line, finding.rule)
                    for finding in references.findings(path, is_statement=True)]

    def test_what_is_there_is_found(self):
        self.assertEqual(self.found(GOOD), [])

    def test_what_is_not_there_is_reported_with_its_line(self):
        for text, rule in BAD.items():
            with self.subTest(text):
                self.assertEqual(self.found(f"# A title, and more\n{text}\n"), [(2, rule)])

    def test_names_in_other_documents_are_not_looked_up(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.md"
            path.write_text("`no_such_function()`\n")
            self.assertEqual(references.findings(path, is_statement=False), [])


if __name__ == "__main__":
    unittest.main()
