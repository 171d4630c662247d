#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""static/comments notices planted faults, in each language and place, and nothing else."""

import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner import comments                     # noqa: E402

RELATIVE = "free relative as a subject"


class Planted(unittest.TestCase):
    def found(self, name, text):
        """(line, rule) of each finding in a file of that name."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_text(text)
            return [(finding.line, finding.rule) for finding in comments.findings(path)]

    def c(self, text):
        return self.found("planted.c", text)

    def test_a_free_relative(self):
        for text in ("What is refused is counted", "Whoever drains the queue takes all",
                     "Count it: what is refused costs little", "Counted. Which is new, is first"):
            self.assertEqual(self.c(f"int a;\n/* {text} */\n"), [(2, RELATIVE)], text)

    def test_a_sentence_that_goes_on_in_the_next_line(self):
        self.assertEqual(self.c("/*\n * Count packets.\n * Tell the caller\n * what was refused.\n"
                                " * What is refused costs\n * little.\n */\n"), [(5, RELATIVE)])

    def test_questions_and_relatives_inside_a_sentence(self):
        self.assertEqual(self.c("/* What is the length? Say who asks, and what for. */\n"
                                "/* Who holds the lock? */\n"), [])

    def test_strings_and_code_are_not_read(self):
        self.assertEqual(self.c('char *what = "/* What he says is right */";\n'), [])

    def test_pronouns(self):
        found = self.c("/* The peer loses his\n * place: he waits */\n/* The theme, hers0 */\n")
        self.assertEqual([line for line, _ in found], [1, 2])

    def test_private_words(self):
        self.assertEqual(self.c("/* one\n * on the way there */\n"),
                         [(2, "private word 'the way there'")])
        self.assertEqual(self.c("/* @patience is a parameter, `patience` too */\n"), [])

    def test_names_of_cases_and_mutations(self):
        rule = "a name with a person: say which subject"
        self.assertEqual(self.c("static struct kunit_case all[] = {\n\tKUNIT_CASE(who_waits),\n"
                                "\tKUNIT_CASE(a_stream_waits_as_he_may),\n"
                                "\tKUNIT_CASE(whole_pages_are_here),\n"), [(2, rule), (3, rule)])
        self.assertEqual(self.found("part", "# About\n\nR1 who waits is served\nin a.c\n-x\n+y\n\n"
                                            "R2 the whole is served\nin a.c\n-he\n+who\n"),
                         [(3, rule)])

    def test_kernel_doc_of_functions_is_imperative(self):
        def summary(text):
            return [rule for _, rule in self.c(f"/**\n * {text}\n * @x: a number\n */\n")]
        self.assertEqual(summary("srnic_find - Return the QP for a QPN"), [])
        self.assertEqual(summary("srnic_find() - Return the QP for a QPN"), [])
        self.assertEqual(summary("struct srnic_qp - a queue pair"), [])
        for text in ("srnic_find() - Returns the QP", "srnic_find - the QP for a QPN"):
            word = text.split(" - ")[1].split()[0]
            self.assertEqual(summary(text),
                             [f"kernel-doc summary begins with no verb: '{word}'"])
        self.assertEqual(summary("struct srnic_qp - what a QP is"), [RELATIVE])

    def test_parameters_are_clauses(self):
        self.assertEqual(self.c("/**\n * srnic_find - Return it\n * @x: what is looked for\n */\n"),
                         [(3, RELATIVE)])

    def test_python(self):
        text = '#!/usr/bin/python3\n"""What this does."""\n\nwhat = "Who is he"  # who asks\n' \
               '\n# One comment,\n# what is long\n# Who asks. What is\n'
        self.assertEqual(self.found("planted", text),
                         [(2, RELATIVE), (4, RELATIVE), (8, RELATIVE)])
        self.assertEqual(self.found("planted.py", 'def f():\n    """Do it.\n\n    Whoever asks\n'
                                                  '    waits."""\n'), [(4, RELATIVE)])

    def test_shell_and_make(self):
        text = "#!/bin/bash\n# what: it works\n\techo '# What he says'\n\t# What is left\n"
        self.assertEqual(self.found("planted", text), [(4, RELATIVE)])
        self.assertEqual(self.found("Makefile", "# Who makes it\nall:\n"), [(1, RELATIVE)])

    def test_other_files_are_not_read(self):
        self.assertEqual(self.found("planted.txt", "# What is refused\n"), [])


class Tree(unittest.TestCase):
    def test_the_tree_has_comments_of_each_language(self):
        read = {comments.reader(path) for path in comments.sources([])}
        self.assertEqual(read - {None}, {comments.blocks_of_c, comments.blocks_of_python,
                                         comments.blocks_of_lines})

    def test_foreign_code_is_left_alone(self):
        self.assertFalse([path for path in comments.sources([]) if "vendor" in path.parts])

    def test_a_planted_fault_in_the_tree_is_told_with_its_place(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            path = root / "planted.py"
            path.write_text("# What is planted is found\n")
            log = io.StringIO()
            with mock.patch.multiple(comments, REPO=root, tracked=lambda *_: [path]):
                self.assertFalse(comments.check(log))
        self.assertEqual(log.getvalue(), f"planted.py:1: What is planted is found: {RELATIVE}\n")


if __name__ == "__main__":
    unittest.main()
