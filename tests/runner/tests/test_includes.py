#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The headers that a checker's verdict depends on are found, and no others."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner.includes import included            # noqa: E402


class Included(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name).resolve()

    def write(self, name, text=""):
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def test_headers_that_headers_include_count(self):
        a = self.write("a.c", '#include "b.h"\n')
        b = self.write("b.h", "  #  include <deep/c.h>\n")
        c = self.write("shims/deep/c.h", '#include "../b.h"\n')
        self.write("unrelated.h")
        self.assertEqual(included([a], [self.top / "shims"]), [b, c])

    def test_the_including_files_folder_comes_without_being_named(self):
        a = self.write("room/a.c", '#include "b.h"\n')
        b = self.write("room/b.h")
        self.assertEqual(included([a], []), [b])

    def test_each_file_of_a_name_counts(self):
        a = self.write("a.c", '#ifdef X\n#include "b.h"\n#endif\n')
        both = [self.write("one/b.h"), self.write("two/b.h")]
        self.assertEqual(included([a], [self.top / "one", self.top / "two"]), both)

    def test_the_systems_headers_do_not_count(self):
        self.assertEqual(included([self.write("a.c", "#include <stdio.h>\n")], [self.top]), [])

    def test_a_circle_ends(self):
        a = self.write("a.h", '#include "b.h"\n')
        b = self.write("b.h", '#include "a.h"\n')
        self.assertEqual(included([a], []), [a, b])


if __name__ == "__main__":
    unittest.main()
