# SPDX-License-Identifier: GPL-2.0
"""Find references of the documents to things that are not there.

link        A link of a Markdown file names a file or a heading that does not exist.
code        rfc5042.md, rfc4391.md, secm.md and threat-model.md name the code that meets a
            requirement and the tests that show it. Each name in backticks must occur in the tree: a path must exist, a
            function must be in the file named with it, and a test must be there.
"""

import re
from collections import namedtuple
from functools import cache

from . import REPO
from .files import tracked
from .mutations import ROOM

STATEMENTS = ("Documentation/security/rfc5042.md", "Documentation/security/rfc4391.md",
              "Documentation/security/secm.md", "Documentation/security/threat-model.md")
# Folders that paths in the statements are relative to
BASES = ("", ROOM, "tests", "tests/e2e", "kunit", "kunit/host",
         "userspace-provider/provider", "userspace-provider/pipeline")
# Files whose words a name may be; not the mutations, which only name tests
SOURCES = ("drivers/*", "include/*", "kunit/*.[ch]", "tools/*", "userspace-provider/*.[ch]",
           "userspace-provider/*.map", "tests/e2e/*", "tests/soak/*", "tests/libsrnic/*",
           "tests/pipeline/*", "tests/programs/*", "tests/provider/*", "tests/tools/*")

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
QUOTED = re.compile(r"`([^`]+)`")
PATH = r"[\w.+-]*(?:/[\w.+-]*)+|[\w-]+\.(?:sh|c|h|py|md)"
# "file: function", a function, "redteam: attack", a path, a name with an underscore
IN_FILE = re.compile(rf"({PATH}): (\w+)$")
CALL = re.compile(r"(\w+)\(\)$")
ATTACK = re.compile(r"redteam: ([a-z_]+)$")
# "`function()` (`file`)"
CALL_IN = re.compile(r"`(\w+)\(\)` \(`([^`]+\.[ch])`\)")
ATTACKS = "tools/redteam/attacks.py"

Finding = namedtuple("Finding", "path line text rule")


def find(path):
    """Return the file or folder of that name, relative to one of the bases."""
    return next((REPO / base / path for base in BASES if (REPO / base / path).exists()), None)


@cache
def words_of(path):
    return frozenset(re.findall(r"\w+", path.read_text(errors="replace")))


@cache
def known_words():
    """Return the words of the sources, and their files' names: proofs are one file each."""
    paths = [path for path in tracked(*SOURCES) if "fuzz/seeds" not in str(path)]
    return frozenset(path.stem for path in paths).union(*map(words_of, paths))


@cache
def anchors(path):
    """Return the anchors of a Markdown file, as GitHub makes them from headings."""
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in
             HEADING.findall(path.read_text()))
    return frozenset(heading.strip().replace(" ", "-") for heading in plain)


def fault_of_link(path, target):
    """Return what is wrong with a link in the file, or None."""
    if "://" in target or target.startswith("mailto:"):
        return None
    name, _, anchor = target.partition("#")
    place = path.parent / name if name else path
    if not place.exists():
        return "no such file"
    if anchor and place.suffix == ".md" and anchor not in anchors(place):
        return "no such heading"
    return None


def fault_of_word(name, path):
    place = find(path)
    if not place or not place.is_file():
        return f"no such file as {path}"
    return None if name in words_of(place) else f"{path} has no {name}"


def fault_of_name(text):
    """Return what is wrong with a name in backticks, or None."""
    match = IN_FILE.match(text)
    if match:
        return fault_of_word(match[2], match[1])
    match = ATTACK.match(text)
    if match:
        return fault_of_word(match[1], ATTACKS)
    if re.fullmatch(PATH, text):
        return None if find(text) else "no such file"
    match = CALL.match(text)
    name = match[1] if match else text
    if (match or re.fullmatch(r"\w+_\w+", name)) and name not in known_words():
        return "no source has this name"
    return None


def findings(path, is_statement):
    """All in one Markdown file."""
    found = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        faults = [(target, fault_of_link(path, target)) for target in LINK.findall(line)]
        if is_statement:
            faults += [(text, fault_of_name(text)) for text in QUOTED.findall(line)]
            faults += [(name, fault_of_word(name, file)) for name, file in CALL_IN.findall(line)]
        found += [Finding(path, number, text, fault) for text, fault in faults if fault]
    return found


def check(log):
    """Whether all references of the tree's documents lead somewhere."""
    found = []
    for path in tracked("*.md"):
        name = str(path.relative_to(REPO))
        if "/vendor/rdma-core" not in name:
            found += findings(path, name in STATEMENTS)
    for finding in found:
        print(f"{finding.path.relative_to(REPO)}:{finding.line}: {finding.text}: {finding.rule}",
              file=log)
    return not found
