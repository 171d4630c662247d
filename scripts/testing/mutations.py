# SPDX-License-Identifier: GPL-2.0
"""Mutations: each takes one enforcement out of the module, and a test must notice.

A file in scripts/tests/mutations has those of a part, a blank line between them:

    R10 a range may be longer than its region
    in mem/check.c
    by e2e/isolation
     what stays
    -what is there
    +what is there instead

What stays and what is there must stand in the file exactly once. The tests are those that
are expected to notice: e2e/SCRIPT, on the stock kernel; kunit/SUITE, without its slow
cases; or kunit/SUITE.CASE.

scripts/tests/price is such a file, too: those are taken out all at once, to see what they
cost (scripts/price).
"""

from dataclasses import dataclass, field

from . import REPO

FOLDER = REPO / "scripts/tests/mutations"
PRICE = REPO / "scripts/tests/price"
ROOM = "drivers/infiniband/sw/srnic"
KINDS = ("e2e", "kunit")


class Malformed(Exception):
    """Says where, and what about it."""


@dataclass
class Mutation:
    part: str
    what: str
    path: str = ""
    tests: list = field(default_factory=list)
    old: str = ""
    new: str = ""

    @property
    def name(self):
        return f"{self.part}: {self.what}"

    def add(self, line):
        mark, text = line[:1], line[1:] + "\n"
        if line.startswith("in ") and not self.path:
            self.path = f"{ROOM}/{line[3:]}"
        elif line.startswith("by ") and not self.tests:
            self.tests = line[3:].split()
        elif mark in " -+":
            self.old += text if mark != "+" else ""
            self.new += text if mark != "-" else ""
        else:
            raise Malformed(f"{self.name}: what is '{line}'?")

    def check(self):
        if not self.path or self.old == self.new:
            raise Malformed(f"{self.name}: it changes nothing")
        for test in self.tests or [""]:
            kind, _, name = test.partition("/")
            if kind not in KINDS or not source_of(kind, name).is_file():
                raise Malformed(f"{self.name}: there is no test '{test}'")

    def applied_to(self, text):
        if text.count(self.old) != 1:
            raise Malformed(f"{self.name}: {self.path} has that "
                            f"{text.count(self.old)} times, not once")
        return text.replace(self.old, self.new)


def source_of(kind, name):
    if kind == "e2e":
        return REPO / f"scripts/tests/e2e/{name}.sh"
    return REPO / f"kunit/{name.partition('.')[0]}_test.c"


def read(path):
    """The mutations in a file."""
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
    return [mutation for path in sorted(FOLDER.iterdir()) for mutation in read(path)]


def take_out(chosen, room):
    """All of them, one after the other, in the sources in @room."""
    for mutation in chosen:
        path = room / mutation.path
        path.write_text(mutation.applied_to(path.read_text()))


def apply_all(log):
    """Whether each can be applied to the sources as they are."""
    fine = True
    try:
        for mutation in all_of_them() + read(PRICE):
            mutation.applied_to((REPO / mutation.path).read_text())
    except (Malformed, OSError) as error:
        print(error, file=log)
        fine = False
    return fine
