#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""static/rooms notices planted faults, and nothing else."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner import rooms                        # noqa: E402

TABLE = f"""# A house
{rooms.HEADING}

| room | may call | for |
|---|---|---|
| main | every room | |
| upper | lower | paths, multicast |
| lower, leaf | nobody | |
| top | nobody | `common.h` |

## Another table
| leaf | upper | |
"""
HOUSE = {
    "main.c": '#include "upper/upper.h"\nint all(void)\n{\n\treturn upper_do() + lower_do();\n}\n',
    "common.h": "#define COMMON(x)\t(x)\n",
    "upper/upper.h": "int upper_do(void);\n",
    "upper/do.c": '#include "upper/upper.h"\n#include "lower/lower.h"\n\n'
                  "int upper_do(void)\n{\n\treturn COMMON(lower_do());\n}\n",
    "lower/lower.h": "int lower_do(void);\nextern int lower_state;\n",
    "lower/do.c": '#include "common.h"\n\nint lower_state;\n\n'
                  "int lower_do(void)\n{\n\treturn lower_state;\n}\n",
    "leaf/leaf.h": "#define LEAF_TWICE(x)\t((x) * 2)\n"
                   "static inline int leaf_one(void)\n{\n\treturn 1;\n}\n",
}


class Planted(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in HOUSE.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    def found(self, exceptions=None, table=TABLE):
        return "\n".join(rooms.faults(self.root, table, exceptions or {}))

    def body(self, statement):
        """A function of lower with the statement in its fourth line."""
        self.write("lower/more.c", f"/* a file */\nstatic int more(void)\n{{\n\t{statement}\n}}\n")
        return self.found()

    def test_a_house_in_order_has_no_faults(self):
        self.assertEqual(self.found(), "")

    def test_an_include_of_a_room_above(self):
        self.write("lower/more.c", '\n#include "upper/upper.h"\n')
        self.assertIn("lower/more.c:2: lower uses upper/upper.h of upper, and may call nobody",
                      self.found())

    def test_an_include_by_another_path(self):
        self.write("lower/more.c", '#include "../upper/upper.h"\n')
        self.assertIn("lower uses upper/upper.h", self.found())

    def test_an_include_from_the_own_folder(self):
        for name in ("upper.h", "../upper/upper.h"):
            self.write("upper/more.c", f'#include "{name}"\n')
            self.assertIn('upper/more.c:1: include it as "upper/upper.h"', self.found())

    def test_a_call_of_a_room_above(self):
        self.assertIn("lower/more.c:4: lower uses upper_do of upper",
                      self.body("return upper_do();"))

    def test_a_call_of_a_room_beside(self):
        self.write("upper/more.c", "int more(void)\n{\n\treturn leaf_one();\n}\n")
        self.assertIn("upper uses leaf_one of leaf, and may call lower", self.found())

    def test_a_pointer_to_a_function(self):
        self.assertIn("upper_do", self.body("register_it(upper_do);"))
        self.write("lower/more.c", "static struct ops ops = {\n\t.upper = upper_do,\n};\n")
        self.assertIn("lower/more.c:2: lower uses upper_do", self.found())

    def test_a_macro(self):
        self.assertIn("LEAF_TWICE", self.body("return LEAF_TWICE(2);"))
        self.write("lower/more.c", "#define FOUR\tLEAF_TWICE(2)\n")
        self.assertIn("lower/more.c:1: lower uses LEAF_TWICE", self.found())

    def test_a_variable(self):
        self.write("leaf/more.c", "int more(void)\n{\n\treturn lower_state;\n}\n")
        self.assertIn("leaf uses lower_state of lower", self.found())

    def test_nobody_calls_main(self):
        self.assertIn("lower uses all of main", self.body("return all();"))

    def test_comments_strings_members_and_tags_are_no_uses(self):
        self.assertEqual(self.body('/* upper_do() */ struct upper_do *x = say("upper_do()"); '
                                   "x->upper_do(); x->y.upper_do = 1; // upper_do()"), "")

    def test_a_static_function_of_the_same_name_is_another(self):
        self.write("lower/more.c", "static int upper_do(void)\n{\n\treturn 0;\n}\n\n"
                                   "int more(void)\n{\n\treturn upper_do();\n}\n")
        self.assertEqual(self.found(), "")

    def test_either_branch_of_a_condition_is_read(self):
        self.write("lower/more.c", "#ifdef A\nint more(void) {\n#else\nint more(int x) {\n#endif\n"
                                   "\treturn 0;\n}\nint last(void)\n{\n\treturn upper_do();\n}\n")
        self.assertIn("lower/more.c:10: lower uses upper_do", self.found())

    def test_an_exception_excuses_what_it_names(self):
        self.body("return upper_do();")
        self.assertEqual(self.found({("lower", "upper_do"): "because"}), "")
        self.assertIn("lower uses upper_do", self.found({("leaf", "upper_do"): "because"}))

    def test_an_exception_that_does_not_occur(self):
        self.assertIn("lower no longer uses upper_do",
                      self.found({("lower", "upper_do"): "it did"}))

    def test_a_room_that_the_table_does_not_name(self):
        self.write("attic/attic.c", "int attic;\n")
        self.assertIn("attic: a room that the table does not name", self.found())

    def test_a_room_that_is_not_there(self):
        table = TABLE.replace("lower, leaf |", "lower, leaf, cellar |")
        self.assertIn("cellar: the table names a room that is not there", self.found(table=table))

    def test_a_table_with_a_cycle(self):
        table = TABLE.replace("| lower, leaf | nobody |", "| lower, leaf | upper |")
        self.assertIn("lower -> upper: the table allows a cycle", self.found(table=table))


class Ours(unittest.TestCase):
    """The tree itself, with a fault in it."""
    def planted(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder) / "srnic"
            shutil.copytree(rooms.ROOMS, root)
            path = root / name
            path.write_text(path.read_text() + text)
            return "\n".join(rooms.faults(root))

    def test_an_include(self):
        self.assertIn("wire uses mem/mem.h of mem",
                      self.planted("wire/header.c", '\n#include "mem/mem.h"\n'))

    def test_a_call(self):
        house = rooms.House(rooms.ROOMS)
        name = next(name for name, path in sorted(house.defined.items())
                    if house.room(path) == "engine")
        self.assertIn(f"wire uses {name} of engine",
                      self.planted("wire/header.c", f"\nvoid planted(void)\n{{\n\t{name}();\n}}\n"))


if __name__ == "__main__":
    unittest.main()
