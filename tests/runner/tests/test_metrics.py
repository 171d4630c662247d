#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Figures of scripts/metrics, of code whose figures are known."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner import REPO, metrics                # noqa: E402

CODE = {
    "a/a.h": '#include "b/b.h"\nint a_do(int x, bool quick);\n'
             "static inline int a_quick(int x)\n{\n\treturn a_do(x, true);\n}\n",
    "a/a.c": '#include "a.h"\nint a_do(int x, bool quick)\n{\n\treturn quick ? x : a_more(x);\n}\n',
    "a/more.c": "int a_more(int x)\n{\n\tint y = a_quick(x);\n\n"
                "\treturn y + b_do(1, 2, 3, 4, 5, 6);\n}\n",
    "b/b.h": '#include "a/a.h"\n#define B_A(x)\ta_more(x)\n',
    "b/b.c": "/**\n * b_do - Do it\n */\nint b_do(int a, int b, int c, int d, int e, int f)\n"
             "\t__must_hold(&lock)\n{\n\treturn B_A(f);\n}\n"
             "static void word(void (*f)(int, int), const char *text)\n{\n\tf(1, 2);\n}\n"
             "static const struct ops ops = { .c = c_do };\n",
    "c.c": "int c_do(void)\n{\n\treturn b_do(1, 2, 3, 4, 5, 6);\n}\n",
}


def nested(body):
    return metrics.Nesting(body).deepest


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in CODE.items():
                path = Path(folder) / name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            cls.figures = metrics.figures(metrics.Code(folder))
            cls.excesses = list(metrics.excesses(metrics.Code(folder)))
            cls.half = metrics.figures(metrics.Code(folder, without=("b",)))

    def test_functions_and_files(self):
        self.assertEqual((self.figures["files_c"], self.figures["files_h"]), (4, 2))
        self.assertEqual(self.figures["functions"], 6)
        self.assertEqual((self.figures["longest_lines"], self.figures["longest"]),
                         (6, "a/more.c:1 a_more"))
        self.assertEqual(self.figures["mean_lines"], round(27 / 6, 1))

    def test_parameters(self):
        self.assertEqual(self.figures["six_parameters"], ["b/b.c:4 b_do (6)"])
        self.assertEqual(self.figures["seven_parameters"], [])

    def test_documents_and_annotations(self):
        self.assertEqual((self.figures["kernel_doc"], self.figures["lock_annotations"]), (1, 1))

    def test_names_and_bools(self):
        self.assertEqual(self.figures["one_word_statics"], ["b/b.c:9 word"])
        self.assertEqual(self.figures["bare_bools"], ["a/a.c:2 a_do"])

    def test_cycles(self):
        self.assertEqual(self.figures["include_cycles"], [["a/a.h", "b/b.h"]])
        # Through an inline function, through a macro; a table of callbacks is no call
        self.assertEqual(self.figures["call_cycle"], ["a/a.c", "a/more.c", "b/b.c"])
        self.assertEqual(self.figures["room_call_cycle"], ["a/a.c", "a/more.c"])

    def test_what_is_beyond_a_limit_is_named(self):
        names = [line.split()[0] for line in self.excesses]
        self.assertEqual(names, ["six_parameters", "include_cycles", "call_cycle",
                                 "one_word_statics", "bare_bools"])
        self.assertIn("b/b.c:9 word", self.excesses[3])

    def test_a_folder_is_left_out(self):
        self.assertEqual((self.half["files_c"], self.half["six_parameters"]), (3, []))


class Depth(unittest.TestCase):
    def test_blocks_with_and_without_braces(self):
        self.assertEqual(nested("a(); b = c(d);"), 0)
        self.assertEqual(nested("if (a) for (;;) while (b) { c(); }"), 3)
        self.assertEqual(nested("{ { a(); } }"), 0)

    def test_else_if_is_as_deep_as_its_if(self):
        self.assertEqual(nested("if (a) b(); else if (c) d(); else if (e) { f(); } else g();"), 1)
        self.assertEqual(nested("if (a) b(); else { if (c) d(); }"), 2)

    def test_loops_that_are_macros(self):
        self.assertEqual(nested("list_for_each(a, b) { if (c) d(); } e(f);"), 2)
        self.assertEqual(nested("a(b)->c = d; e(f) + 1; { g(h); }"), 0)

    def test_a_switch_is_one_level(self):
        self.assertEqual(nested("switch (a) { case 1: if (b) c(); break; default: d(); }"), 2)

    def test_do_and_labels(self):
        self.assertEqual(nested("do { a(); } while (b(c)); out: if (d) e(); return f(g);"), 1)

    def test_initializers_and_statement_expressions(self):
        self.assertEqual(nested("struct a b = { .c = { 1 } }; d = ({ if (e) f(); }); g();"), 0)


class Command(unittest.TestCase):
    def test_json_and_table_agree(self):
        def said(*options):
            return subprocess.run([REPO / "scripts/metrics", *options], check=True,
                                  capture_output=True, text=True).stdout
        figures = json.loads(said("--json"))["srnic"]
        number = len(figures["one_word_statics"])
        self.assertIn(f"| static functions named by one word | {number} |", said())
        self.assertGreater(figures["functions"], 100)


if __name__ == "__main__":
    unittest.main()
