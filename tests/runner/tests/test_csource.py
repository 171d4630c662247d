#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""C is taken apart where the kernel's style is hard to read for a tokenizer."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner import csource                      # noqa: E402

HARD = r'''
/* A comment with "quotes", { braces } and a call() */
#include "room/room.h"	/* why */
#define BOTH(a, b)	do { one(a);	\
			     two(b); } while (0)
#define LIMIT	7

struct ops {
	int (*call)(int a, int b);
};

static const struct ops table[] __ro_after_init = {
	{ .call = first_call },
};

int counter;
extern int elsewhere;
struct forward;

static noinline int __must_hold(&lock)
attributed(struct thing *a, int (*callback)(int, int),
	   u32 c)
{
	char brace = '{', *text = "} /* no comment */";

	if (a) {
		while (c--) {
			callback(brace, *text);
		}
	}
	return a->member(c);
}

void annotated(void) __acquires(RCU)
{
#ifdef ONE
	if (one()) {
#else
	if (two()) {
#endif
		three();
	}
}
'''


class Hard(unittest.TestCase):
    def setUp(self):
        self.source = csource.Source(Path("hard.c"), HARD)
        self.attributed, self.annotated = self.source.functions

    def test_functions_have_names_and_lines(self):
        self.assertEqual((self.attributed.name, self.attributed.line, self.attributed.lines),
                         ("attributed", 20, 13))
        self.assertEqual((self.annotated.name, self.annotated.lines), ("annotated", 10))
        self.assertTrue(self.attributed.static)
        self.assertFalse(self.annotated.static)

    def test_parameters_are_told_apart(self):
        self.assertEqual(self.attributed.params,
                         ["struct thing *a", "int (*callback)(int, int)", "u32 c"])
        self.assertEqual(self.annotated.params, [])

    def test_words_are_those_of_code(self):
        self.assertLessEqual({"callback", "brace"}, self.attributed.words)
        self.assertFalse({"member", "comment", "thing"} & self.attributed.words)
        self.assertLessEqual({"one", "two", "three"}, self.annotated.words)

    def test_variables_are_those_that_are_defined_here(self):
        self.assertEqual(self.source.objects, [(12, "table", True), (16, "counter", False)])
        self.assertEqual(self.source.initializers[0][0], 12)
        self.assertIn("first_call", self.source.initializers[0][1])

    def test_comments_and_includes(self):
        self.assertEqual([comment.line for comment in self.source.comments], [2, 3])
        self.assertEqual(self.source.includes, [(3, "room/room.h")])

    def test_macros(self):
        self.assertEqual([(macro.name, macro.line, macro.takes) for macro in self.source.macros],
                         [("BOTH", 4, True), ("LIMIT", 6, False)])
        self.assertIn("two", self.source.macros[0].body)


class Graphs(unittest.TestCase):
    def test_cycles_are_components(self):
        graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"d"}, "e": {"a"}}
        found = sorted(csource.strongly_connected(graph), key=len)
        self.assertEqual(found[-1], ["a", "b", "c"])
        self.assertEqual(len(found), 3)


if __name__ == "__main__":
    unittest.main()
