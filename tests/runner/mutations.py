# SPDX-License-Identifier: GPL-2.0
"""Mutations: each removes one enforcement from the module or a library, and a test must notice.

A file in tests/mutations has those of a part, separated by blank lines:

    R10 a range may be longer than its region
    in mem/check.c
    by e2e/isolation
     context
    -line that is there
    +line that takes its place

A path is one of the module's folder, or begins with a folder of user space. Context and "-" lines
together must occur exactly once in the file. Where two files enforce the same, each has an "in"
line, followed by its own lines. "by" names the tests that must notice: e2e/SCRIPT, on the stock
kernel; kunit/SUITE, without its slow cases; kunit/SUITE.CASE; or host/FOLDER:TARGET, a target of
that folder's Makefile.

The files of tests/price have the same format. The mutations of one are applied all at once, to
measure what is removed (scripts/price).
"""

from dataclasses import dataclass, field

from . import REPO, results

FOLDER = REPO / "tests/mutations"
PRICE = REPO / "tests/price"
ROOM = "drivers/infiniband/sw/srnic"
KINDS = ("e2e", "kunit", "host")
USER_SPACE = ("userspace-provider/", "tools/")


class Malformed(Exception):
    """A mutation that is badly written or does not apply; says where and why."""


@dataclass
class Change:
    path: str
    old: str = ""
    new: str = ""

    def add(self, mark, text):
        self.old += text if mark != "+" else ""
        self.new += text if mark != "-" else ""

    def applied_to(self, text):
        if text.count(self.old) != 1:
            raise Malformed(f"{self.path} has it {text.count(self.old)} times, not once")
        return text.replace(self.old, self.new)


@dataclass
class Mutation:
    part: str
    what: str
    changes: list = field(default_factory=list)
    tests: list = field(default_factory=list)

    @property
    def name(self):
        return f"{self.part}: {self.what}"

    def add(self, line):
        mark, text = line[:1], line[1:] + "\n"
        if line.startswith("in "):
            path = line[3:]
            self.changes.append(Change(path if path.startswith(USER_SPACE) else f"{ROOM}/{path}"))
        elif line.startswith("by ") and not self.tests:
            self.tests = line[3:].split()
        elif mark in " -+" and self.changes:
            self.changes[-1].add(mark, text)
        else:
            raise Malformed(f"{self.name}: what is '{line}'?")

    def check(self):
        if not self.changes or any(change.old == change.new for change in self.changes):
            raise Malformed(f"{self.name}: it changes nothing")
        for test in self.tests or [""]:
            kind, _, name = test.partition("/")
            if kind not in KINDS or not source_of(kind, name).is_file():
                raise Malformed(f"{self.name}: there is no test '{test}'")

    def applied_in(self, tree):
        """Yield (path, old text, new text) for each file."""
        for change in self.changes:
            path = tree / change.path
            text = path.read_text()
            try:
                yield path, text, change.applied_to(text)
            except Malformed as error:
                raise Malformed(f"{self.name}: {error}") from error


def source_of(kind, name):
    if kind == "e2e":
        return REPO / f"tests/e2e/{name}.sh"
    if kind == "host":
        return REPO / name.partition(":")[0] / "Makefile"
    return REPO / f"kunit/{name.partition('.')[0]}_test.c"


def read(path):
    """Return the mutations in a file."""
    found = []
    for block in path.read_text().split("\n\n"):
        if block.startswith("#"):
            continue
        first, *lines = block.strip("\n").split("\n")
        mutation = Mutation(path.name, first)
        for line in lines:
            mutation.add(line)
        mutation.check()
        found.append(mutation)
    return found


def all_of_them():
    return [mutation for path in sorted(FOLDER.iterdir()) if path.suffix != ".md"
            for mutation in read(path)]


def take_out(chosen, tree):
    """Apply all of the chosen mutations. Return the edits that undo them, in reverse order."""
    before = []
    for mutation in chosen:
        for path, old, new in mutation.applied_in(tree):
            path.write_text(new)
            before.append((path, old))
    return before[::-1]


def apply_all(log):
    """Check that each mutation can be applied to the current sources, and that each
    recorded result belongs to one."""
    fine = True
    try:
        for mutation in all_of_them() + [one for path in PRICE.iterdir() for one in read(path)]:
            for _ in mutation.applied_in(REPO):
                pass
    except (Malformed, OSError) as error:
        print(error, file=log)
        return False
    for name in set(results.rows_of("mutations")) - {one.name for one in all_of_them()}:
        print(f"Documentation/results/mutations.md: no mutation is named '{name}'", file=log)
        fine = False
    return fine
