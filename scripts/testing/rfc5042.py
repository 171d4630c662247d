# SPDX-License-Identifier: GPL-2.0
"""RFC 5042, row by row: run the tests that Documentation/security/rfc5042.md names for each
requirement, and print their results."""

import re
from collections import Counter
from dataclasses import dataclass

from . import REPO
from .report import FAILED, PASSED, Result

STATEMENT = REPO / "Documentation/security/rfc5042.md"
# Suites whose cases are known only after they have run
PARTS = ("host/kunit-host", "host/kunit-proofs", "host/userspace-provider")
# The same attacks on rxe. The test's log has a line for each, with the requirement that the
# attack violates.
ON_RXE = "rxe_attacks"
ATTACK = re.compile(r"^(ok  |FAIL) (R\d+): ")
ASIDE = re.compile(r"\([^()]*\)")       # remarks in parentheses, such as parts of a test
NAME = re.compile(r"`([\w.-]+)`")


@dataclass
class Row:
    """A requirement, and the tests that show that it is met."""

    number: str
    section: str
    demand: str
    tests: set
    status: str


def bare(name):
    """Return the name that the statement uses for a test: without suite, build and file
    extension."""
    case = name.rpartition("/")[2].rpartition(": ")[2]
    return case.removeprefix("corpus of ").removesuffix(".sh")


def rows():
    found = []
    for line in STATEMENT.read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) != 6 or not re.fullmatch(r"R\d+", cells[0]):
            continue
        number, section, demand, _, shown, status = cells
        tests = {bare(name) for name in NAME.findall(ASIDE.sub("", shown))}
        found.append(Row(number, section, demand, tests, status))
    return found


def matcher():
    """Return a function that tells whether the statement has any of the given names."""
    chosen = set().union(*(row.tests for row in rows()))
    return lambda *names: any(name in PARTS or bare(name) in chosen | {ON_RXE}
                              for name in names)


def outcome(row, ended):
    """Return the result of a row in one word, and the named tests that did not run."""
    missing = sorted(row.tests - set(ended))
    if missing or any(FAILED in ended[test] for test in row.tests - set(missing)):
        return "FAIL", missing
    if not row.tests:
        return "no test", missing
    return ("pass" if all(PASSED in ended[test] for test in row.tests) else "skipped"), missing


def on_rxe(report):
    """Return, by requirement, how many attacks rxe was tried with and how many succeeded."""
    tried, failed = Counter(), Counter()
    for result in report.results:
        if bare(result.name) != ON_RXE or not result.log:
            continue
        for line in result.log.read_text(errors="replace").splitlines():
            attack = ATTACK.match(line)
            if attack:
                tried[attack[2]] += 1
                failed[attack[2]] += attack[1] == "FAIL"
    return {row: f"FAIL {failed[row]}/{tried[row]}" if failed[row] else f"pass {tried[row]}"
            for row in tried}


def show(report):
    """Print the table. A test that the statement names and that does not exist has failed."""
    ended = {}
    for result in report.results:
        ended.setdefault(bare(result.name), set()).add(result.outcome)
    theirs = on_rxe(report)
    report.say(f"\n{'row':<5}{'RFC 5042':<17}{'tests':>5}  {'result':<9}{'rxe':<12}"
               f"{'status':<14}demand")
    for row in rows():
        word, missing = outcome(row, ended)
        report.say(f"{row.number:<5}{row.section:<17}{len(row.tests):>5}  {word:<9}"
                   f"{theirs.get(row.number, '-'):<12}"
                   f"{row.status.partition(':')[0].partition(' (')[0]:<14}{row.demand}")
        if missing:
            report.expect(1)
            report.finished(Result(f"rfc5042/{row.number}", FAILED, 0, None,
                                   f"no such test: {', '.join(missing)}"))
