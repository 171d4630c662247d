# SPDX-License-Identifier: GPL-2.0
"""Verbs, one by one: run the tests that Documentation/verbs.md names for each, print their
results as a table, and find gaps in it.

A verb has a heading, and an item for each column. A cell names tests or mutations, or gives the
reason why there are none:

    ### Address handles

    - **Calls**: `create_ah`, `destroy_ah`
    - **KUnit**: `addresses_are_checked`
    - **End to end**: `pingpong.sh` (UD)
    - **Sealed**: `datagrams.sh`
    - **Hostile input**: `isolation.sh`
    - **Mutations**: `responder: R2 an address handle serves in every domain`
"""

import re
from dataclasses import dataclass

from . import REPO, e2e, kunit, mutations, results
from .report import FAILED, PASSED, Result
from .statement import ASIDE, bare, without_result

PATH = "Documentation/verbs.md"
CALLS, MUTATIONS = "Calls", "Mutations"
COLUMNS = ("KUnit", "End to end", "Sealed", "Hostile input")
ITEMS = (CALLS, *COLUMNS, MUTATIONS)
NONE = "none: "         # begins a cell without tests; the reason follows

HEADING = re.compile(r"^### (.*)$", re.MULTILINE)
ITEM = re.compile(r"^- \*\*([^*]+)\*\*: ((?:.|\n  )*)", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")

# The code that the rows must cover: a file, and an expression whose group is the name of a call
ROOM = REPO / mutations.ROOM
OPERATION = re.compile(r"^\t\.(\w+) = [a-z]\w+,$", re.MULTILINE)
SOURCES = (
    (ROOM / "verbs/device.c", OPERATION),
    (ROOM / "verbs/ib_port.c", OPERATION),
    (ROOM / "verbs/qp.c", re.compile(r"^\tcase (IB_QPT_\w+):$", re.MULTILINE)),
    (REPO / "include/uapi/rdma/srnic-abi.h",
     re.compile(r"^\tSRNIC_WQE_(?!OPCODES)(\w+),", re.MULTILINE)),
)
# Operations whose form depends on the kernel (verbs/compat_ops.h)
MACRO = re.compile(r"^\tSRNIC_OP_(\w+),?$", re.MULTILINE)
SEALS = re.compile(r"polic|\bseal")


@dataclass
class Row:
    """A verb. `cells` has the text of each item."""

    name: str
    cells: dict

    def names(self, column):
        """Return what a cell names, without the remarks in parentheses."""
        text = self.cells.get(column, "")
        return [] if text.startswith(NONE) else QUOTED.findall(ASIDE.sub("", text))

    def tests(self):
        return {bare(name) for column in COLUMNS for name in self.names(column)}


def rows(text=None):
    """Return the rows of the document."""
    _, *parts = HEADING.split((REPO / PATH).read_text() if text is None else text)
    return [Row(name, {key: " ".join(cell.split()) for key, cell in ITEM.findall(part)})
            for name, part in zip(parts[::2], parts[1::2])]


def calls():
    """Return the operations, types of queue pairs and opcodes that the code has."""
    found = {name for path, expression in SOURCES for name in expression.findall(path.read_text())}
    return found | {name.lower() for name in MACRO.findall(SOURCES[0][0].read_text())}


def known_tests():
    """Return the names of all tests that a cell may have: those of KUnit, and scripts."""
    cases = {name.rpartition("/")[2] for name in kunit.known()}
    return cases, {test.path.name for test in e2e.tests("e2e")}


def fault_of_test(column, name, cases, scripts):
    """Return what is wrong with a test in a cell, or None."""
    if name in cases:
        return None if column != COLUMNS[1] else "a KUnit case is not end to end"
    if name not in scripts:
        return "no such test"
    if column == COLUMNS[0]:
        return "not a KUnit case"
    if column == COLUMNS[2] and not SEALS.search((REPO / "tests/e2e" / name).read_text()):
        return "it seals nothing"
    return None


def faults_of_row(row, cases, scripts, removed):
    """Yield (what, fault) for each fault of a row."""
    for column in ITEMS:
        text, names = row.cells.get(column, ""), row.names(column)
        if not names and (column == CALLS or not text.removeprefix(NONE) or
                          not text.startswith(NONE)):
            yield column, "it is empty, and gives no reason"
        if column in COLUMNS:
            yield from ((name, fault) for name in names
                        if (fault := fault_of_test(column, name, cases, scripts)))
    for name in row.names(MUTATIONS):
        if name not in removed:
            yield name, "no such mutation"


def findings(text=None):
    """Return (verb, what, fault) for each fault of the document."""
    found, table, code = [], rows(text), calls()
    cases, scripts = known_tests()
    removed = {mutation.name for mutation in mutations.all_of_them()}
    for row in table:
        found += [(row.name, *fault) for fault in faults_of_row(row, cases, scripts, removed)]
        found += [(row.name, call, "the code has no such call")
                  for call in row.names(CALLS) if call not in code]
    covered = {call for row in table for call in row.names(CALLS)}
    return found + [("no row", call, "no verb has it") for call in sorted(code - covered)]


def check(log):
    """Whether each call has a row, and each row a test in each column."""
    found = findings()
    for verb, what, fault in found:
        print(f"{PATH}: {verb}: {what}: {fault}", file=log)
    return not found


def matcher():
    """Return a function that tells whether the document has any of the given names."""
    chosen = set().union(*(row.tests() for row in rows()))
    return lambda *names: any(bare(name) in chosen for name in names)


def outcome(tests, ended):
    """Return a cell's result in a word, and the named tests that did not run."""
    missing = sorted(tests - set(ended))
    if missing or any(FAILED in ended[test] for test in tests - set(missing)):
        return "FAIL", missing
    if not tests:
        return "-", missing
    passed = all(PASSED in ended[test] for test in tests)
    return f"{'pass' if passed else 'skipped'} {len(tests)}", missing


def recorded(names, last):
    """Return the last result of mutations in a word: `make check` does not run them."""
    if not names:
        return "-"
    noticed = sum(name in last and last[name][1] == "noticed" for name in names)
    return f"{noticed} of {len(names)}"


def show(report):
    """Print the table. A test that the document names and that does not exist has failed."""
    ended = {}
    for result in report.results:
        ended.setdefault(bare(result.name), set()).add(result.outcome)
    last, table = results.rows_of("mutations"), rows()
    wide = max(len(row.name) for row in table) + 2
    heads = [*COLUMNS, "mutations noticed"]
    report.say(f"\n{'verb':<{wide}}" + "".join(f"{head.lower():<15}" for head in heads))
    for row in table:
        words, absent = [], []
        for column in COLUMNS:
            word, missing = outcome({bare(name) for name in row.names(column)}, ended)
            words.append(word)
            absent += missing
        words.append(recorded(row.names(MUTATIONS), last))
        report.say(f"{row.name:<{wide}}" + "".join(f"{word:<15}" for word in words).rstrip())
        if absent:
            report.expect(1)
            report.finished(Result(f"verbs/{row.name}", FAILED, 0, None,
                                   without_result(absent)))
