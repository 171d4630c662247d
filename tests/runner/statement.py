# SPDX-License-Identifier: GPL-2.0
"""A document that says how requirements are met, one by one: run the tests that it names for
each, and print their results.

A requirement has a heading, then text that says how it is met, and two items:

    ### R3 (section 5.4.5): IPsec ESP can protect the stream

    Packets go out through the kernel's IP output.

    - **Shown by**: `ipsec.sh`
    - **Status**: met
"""

import re
from dataclasses import dataclass

from . import REPO
from .report import FAILED, PASSED, Result

HEADING = re.compile(r"^#+ ", re.MULTILINE)
DEMAND = re.compile(r"(\w+) \(sections? ([^)]*)\): (.*)")
ITEM = re.compile(r"^- \*\*(Shown by|Status)\*\*: ((?:.|\n  )*)", re.MULTILINE)
ASIDE = re.compile(r"\([^()]*\)")       # remarks in parentheses, such as parts of a test
WORD = re.compile(r"`([\w.-]+)`")
SENTENCE = re.compile(r"`([^`]+)`")     # cases of tests in C for user space


@dataclass
class Row:
    """A requirement, and the tests that show that it is met."""

    number: str
    section: str
    demand: str
    tests: set
    status: str


@dataclass(frozen=True)
class Statement:
    """path   the document
    title  of what is met, at most 16 characters
    mark   first letter of the rows' ids
    parts  suites whose cases are known only after they have run
    name   expression of a test's name
    """

    path: str
    title: str
    mark: str
    parts: tuple
    name: re.Pattern = WORD

    def rows(self):
        found = []
        for part in HEADING.split((REPO / self.path).read_text()):
            demand = DEMAND.match(part)
            if not demand or not re.fullmatch(rf"{self.mark}\d+", demand[1]):
                continue
            items = {key: " ".join(text.split()) for key, text in ITEM.findall(part)}
            tests = {bare(name) for name in self.name.findall(ASIDE.sub("", items["Shown by"]))}
            found.append(Row(*demand.groups(), tests, items["Status"]))
        return found

    def matcher(self, more=()):
        """Return a function that tells whether the statement, or `more`, has any of the given
        names."""
        chosen = set(more).union(*(row.tests for row in self.rows()))
        return lambda *names: any(name in self.parts or bare(name) in chosen for name in names)

    def show(self, report, theirs=None):
        """Print the table, with a column for rxe if there are results of it. A test that the
        statement names and that does not exist has failed."""
        ended = {}
        for result in report.results:
            ended.setdefault(bare(result.name), set()).add(result.outcome)
        wide = 12 if theirs else 0
        report.say(f"\n{'row':<5}{self.title:<17}{'tests':>5}  {'result':<9}"
                   f"{'rxe' if wide else '':<{wide}}{'status':<16}demand")
        for row in self.rows():
            word, missing = outcome(row, ended)
            report.say(f"{row.number:<5}{row.section:<17}{len(row.tests):>5}  {word:<9}"
                       f"{theirs.get(row.number, '-') if wide else '':<{wide}}"
                       f"{row.status.partition(':')[0].partition(' (')[0]:<16}{row.demand}")
            if missing:
                report.expect(1)
                report.finished(Result(f"{self.mark}/{row.number}", FAILED, 0, None,
                                       without_result(missing)))


def bare(name):
    """Return the name that the statement uses for a test: without suite, build and file
    extension."""
    case = name.rpartition("/")[2].rpartition(": ")[2]
    return case.removeprefix("corpus of ").removesuffix(".sh")


def without_result(missing, most=3):
    """Say that named tests do not exist or did not run, in a short line however many they are."""
    more = f" and {len(missing) - most} more" if len(missing) > most else ""
    return f"no result of {', '.join(missing[:most])}{more}"


def outcome(row, ended):
    """Return the result of a row in one word, and the named tests that did not run."""
    missing = sorted(row.tests - set(ended))
    if missing or any(FAILED in ended[test] for test in row.tests - set(missing)):
        return "FAIL", missing
    if not row.tests:
        return "no test", missing
    return ("pass" if all(PASSED in ended[test] for test in row.tests) else "skipped"), missing


RFC4391 = Statement("Documentation/security/rfc4391.md", "RFC 4391", "I", ())
SECM = Statement("Documentation/security/secm.md", "SECM", "S",
                 ("host/userspace-provider-pipeline",), SENTENCE)
