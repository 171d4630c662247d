# SPDX-License-Identifier: GPL-2.0
"""Compare what the rooms of the module include and use with what they may.

The table "Who may call whom" of Documentation/architecture.md is read, not repeated. A room may
include the headers of rooms that it may call, and use what they define: functions, macros of
headers, variables. Of the top level, "main" is a room above all others, and the rest ("top")
one below them. Mentions count, not only calls: a pointer to a function leads there, too.
Each header is included by its path from the module's folder.
"""

import re
from collections import namedtuple
from pathlib import Path

from . import REPO
from . import csource

ROOMS = REPO / "drivers/infiniband/sw/srnic"
TABLE = REPO / "Documentation/architecture.md"
HEADING = "## Who may call whom"
ROW = re.compile(r"^\| *(?P<rooms>[\w, ]+?) *\| *(?P<others>[\w, ]+?) *\|", re.M)

# A room, the header or symbol of another room, and why it is used although the table says no
EXCEPTIONS = {
    ("top", "guard/guard.h"): "struct srnic_dev holds guard's part of a device",
    ("top", "guard/peer.h"): "struct srnic_dev holds guard's part of a device",
    ("top", "net/txq.h"): "struct srnic_dev holds net's part of a device",
    ("trace", "wire/wire.h"): "structures only: tracepoints read packets",
    ("queue", "guard/guard.h"): "numbers only: the most that a ring may be asked for",
    ("sth", "guard/guard.h"): "numbers only: the most rules and keys",
    ("queue", "srnic_wq"): "a pointer that main sets; srnic.h declares it",
    ("queue", "srnic_cpu_wq"): "a pointer that main sets; srnic.h declares it",
    ("engine", "srnic_wq"): "a pointer that main sets; srnic.h declares it",
}

# Files that a generator writes
GENERATED = ("control/nl.c",)

Step = namedtuple("Step", "path line room other what")


def parse_table(text):
    """{room: the rooms that it may call}, from the document."""
    section = text.split(HEADING + "\n", 1)[1].split("\n## ", 1)[0]
    rows = [(re.findall(r"\w+", row["rooms"]), row["others"])
            for row in ROW.finditer(section) if row["rooms"] != "room"]
    rooms = {room for names, _ in rows for room in names}
    table = {}
    for names, others in rows:
        words = set(re.findall(r"\w+", others))
        for room in names:
            table[room] = (set() if others == "nobody" else
                           rooms - {room} if others == "every room" else words)
    return table


def table_faults(table, there):
    """Faults of the table itself, and of the folders beside it."""
    unknown = set().union(*table.values()) - set(table)
    found = [f"{name}: the table names no such room as one that calls" for name in sorted(unknown)]
    found += [f"{name}: a room that the table does not name" for name in sorted(there - set(table))]
    found += [f"{name}: the table names a room that is not there"
              for name in sorted(set(table) - there)]
    found += [f"{' -> '.join(loop)}: the table allows a cycle"
              for loop in csource.strongly_connected(table) if len(loop) > 1]
    return found


class House:
    """The module's sources, by room."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self.sources = csource.read_folder(self.root)
        self.defined = {}
        for path, source in self.sources.items():
            self.defined |= dict.fromkeys(defined_for_others(path, source), path)

    def room(self, path):
        parts = path.relative_to(self.root).parts
        if len(parts) > 1:
            return parts[0]
        return "main" if parts[0] == "main.c" else "top"

    def rooms(self):
        return {self.room(path) for path in self.sources}

    def _step(self, path, line, target, what):
        return Step(path, line, self.room(path), self.room(target), what)

    def _inclusions(self):
        """(path, line, name, target) of each header of the module that is included."""
        for path, source in self.sources.items():
            for line, name in source.includes:
                target = csource.resolve(source, name, self.root)
                if target in self.sources:
                    yield path, line, name, target

    def includes(self):
        for path, line, _, target in self._inclusions():
            yield self._step(path, line, target, str(target.relative_to(self.root)))

    def include_faults(self):
        """Includes that do not have the header's path from the folder."""
        for path, line, name, target in self._inclusions():
            wanted = str(target.relative_to(self.root))
            if name != wanted and str(path.relative_to(self.root)) not in GENERATED:
                yield f'{path}:{line}: include it as "{wanted}"'

    def uses(self):
        """The first in each file of what another file defines."""
        for path, source in self.sources.items():
            seen = set()
            own = {function.name for function in source.functions}
            for line, text in code_of(source):
                for match in csource.WORD.finditer(text):
                    name = match[0]
                    target = self.defined.get(name)
                    if target in (None, path) or name in own or name in seen:
                        continue
                    seen.add(name)
                    yield self._step(path, line + text.count("\n", 0, match.start()), target, name)

    def steps(self):
        """All from one room into another."""
        return [step for step in (*self.includes(), *self.uses()) if step.room != step.other]


def defined_for_others(path, source):
    """Names that other files may use."""
    header = path.suffix == ".h"
    yield from (function.name for function in source.functions if header or not function.static)
    yield from (macro.name for macro in source.macros if header and macro.takes)
    yield from (name for _, name, static in source.objects if not static)


def code_of(source):
    """(line, text) of what is compiled into something: bodies, initializers, macros."""
    for function in source.functions:
        yield function.last - function.body.count("\n"), function.body
    yield from source.initializers
    yield from ((macro.line, macro.body) for macro in source.macros)


def judge(steps, table, exceptions):
    """Steps that neither table nor exception allows, and exceptions without a case."""
    found, met = [], set()
    for step in steps:
        if step.other == "top" or step.other in table.get(step.room, ()):
            continue
        if (step.room, step.what) in exceptions:
            met.add((step.room, step.what))
            continue
        found.append(f"{step.path}:{step.line}: {step.room} uses {step.what} of {step.other}, "
                     f"and may call {', '.join(sorted(table.get(step.room, ()))) or 'nobody'}")
    found += [f"tests/runner/rooms.py: {room} no longer uses {what}: take the exception out"
              for room, what in sorted(exceptions.keys() - met)]
    return found


def faults(root=ROOMS, text=None, exceptions=None):
    """All that is wrong, a line each."""
    house = House(root)
    table = parse_table(TABLE.read_text() if text is None else text)
    return (table_faults(table, house.rooms()) + list(house.include_faults()) +
            judge(house.steps(), table, EXCEPTIONS if exceptions is None else exceptions))


def check(log):
    found = faults()
    print(*found, sep="\n", file=log)
    return not found
