# SPDX-License-Identifier: GPL-2.0
"""Find comments that need a second reading, by a few exact rules.

free relative   A clause has a free relative as its subject ("What is refused is counted").
pronoun         A person's pronoun: a peer, a QP or a process is "it".
summary         The kernel-doc summary of a function begins with no bare verb of the list.
private word    A word or phrase of the list PRIVATE: the field has another.
person          The name of a KUnit case or of a mutation has a person ("who waits").

Read are comments and kernel-doc of C, comments and docstrings of Python, and lines that are a
comment as a whole in shell scripts and makefiles.
"""

import ast
import io
import re
import tokenize
from collections import namedtuple
from pathlib import Path

from . import REPO
from . import csource
from .files import tracked

# Not written here, or no text
FOREIGN = ("userspace-provider/vendor/", "kunit/host/fuzz/seeds/", "kunit/host/fuzz/corpus/")

# First words of kernel-doc summaries: "Return the QP for a QPN"
VERBS = frozenset("""
accept acquire adapt add adjust advance allocate allow announce answer append apply arm ask assign
attach begin bind build calculate call cancel change charge check choose claim clear close collect
commit compare complete compute configure connect consume continue convert copy count create cut
deactivate decide decode decrement decrypt defer delete deliver deregister derive describe destroy
detach detect determine disable discard disconnect dispatch drain drop dump emit empty enable encode
encrypt end enqueue enter evict execute exit expire export extend extract fail fetch fill find
finish flush
forget format forward free gather generate get grant halve hand handle hash hide hold honour hook
increment init initialise initialize insert install invalidate invoke issue iterate join judge keep
leave let limit list load lock look lookup lower make map mark match measure merge migrate modify
move name note notify open overwrite pad parse pause peek perform pin place poll pop post prepare
print probe process prove publish pull push put queue raise reach read rearm reassemble receive
reclaim recompute record reduce refill refuse register reject release remember remove repeat
replace reply report request require reserve reset resize resolve respond restart restore restrict
resume retransmit retry return reuse revoke ring roll rotate run sample schedule seal search seek
select send set share show shrink shut sign size skip slow sort split start step stop store strip
submit subtract sum suspend swap switch sync take tear tell terminate test track transfer
transition translate trim try turn unbind uncharge undo unlock unmap unpin unregister update use
validate verify wait wake walk watch wipe withdraw wrap write zero
""".split())

# Phrases for which the field has another word, and coy ones
PRIVATE = (
    "the way there", "way there and back", "there and back", "patience", "in vain", "had better",
    "does as well", "for nothing",
)

RELATIVE = re.compile(r"(?:^|(?<=[.;:!?] )|(?<= - ))(?P<word>what|who|whom|whoever|whatever|which|"
                      r"whichever|whosoever)\s+(?=[\w'@%])", re.I)
PRONOUN = re.compile(r"\b(?:he|him|his|himself|she|her|hers|herself)\b", re.I)
# An identifier of that name is quoted: @patience, `patience`, %PATIENCE
PHRASES = re.compile(r"(?<![@`%&_])\b(?:" + "|".join(map(re.escape, PRIVATE)) + r")\b", re.I)
SUMMARY = re.compile(r"^(?P<type>(?:struct|union|enum|typedef|DOC)\b\s*)?(?P<name>[\w*]+)"
                     r"(?:\(\))?\s+-\s+(?P<text>\S.*)")
# A line that begins a paragraph of its own: a list's item, a parameter, a section
ITEM = re.compile(r"^(?:[-*•]\s|\d+\.\s|@[\w.]+:|(?:Context|Return|Note)s?:)")
# Names that reports and documents show: of KUnit cases; of mutations, at the start of a block
CASE = re.compile(r"\bKUNIT_CASE\w*\(\s*(?P<name>\w+)")
MUTATION = re.compile(r"(?:\A|\n\n)(?P<name>[A-Z0-9][^\n]*)(?=\nin )")
PERSON = re.compile(r"(?:\b|_)(?:who|whom|whoever|he|him|his|she|her)(?:\b|_)", re.I)
WIDE = 60       # of a text that is quoted

Finding = namedtuple("Finding", "path line text rule")


def bare_lines(text):
    """The lines of a C comment without its marks."""
    text = re.sub(r"^/\*+|\*+/$|^//", "", text)
    return [re.sub(r"^\s*\*(?!\w)|^\s+", "", line).strip() for line in text.split("\n")]


def blocks_of_c(path):
    """(line, lines, whether it is kernel-doc) of each comment."""
    for comment in csource.read(path).comments:
        yield comment.line, bare_lines(comment.text), comment.text.startswith("/**\n")


def joined(lines):
    """Comments on lines of their own, one below the other, are one."""
    block, first = [], None
    for line, text in lines:
        if block and line != first + len(block):
            yield first, block, False
            block = []
        first = first if block else line
        block.append(text)
    if block:
        yield first, block, False


def blocks_of_python(path):
    text = path.read_text()
    own_line = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT or token.string.startswith("#!"):
            continue
        comment = token.start[0], token.string.lstrip("#").strip()
        if token.line.lstrip().startswith("#"):
            own_line.append(comment)
        else:
            yield comment[0], [comment[1]], False
    yield from joined(own_line)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) \
                and ast.get_docstring(node) is not None:
            where = node.body[0].value
            lines = text.split("\n")[where.lineno - 1:where.end_lineno]
            yield where.lineno, [line.strip().strip('"').strip() for line in lines], False


def blocks_of_lines(path):
    """Of shell and make: a # behind code may be in a string, so it is not read."""
    lines = enumerate(path.read_text(errors="replace").split("\n"), 1)
    return joined((line, text.strip().lstrip("#").strip()) for line, text in lines
                  if re.match(r"\s*#(?!!)", text))


def reader(path):
    """The function that reads the file's comments; none if it has no language that we know."""
    by_suffix = {".c": blocks_of_c, ".h": blocks_of_c, ".py": blocks_of_python,
                 ".sh": blocks_of_lines}
    if path.suffix in by_suffix:
        return by_suffix[path.suffix]
    if path.name in ("Makefile", "Kbuild"):
        return blocks_of_lines
    with path.open("rb") as file:
        first = file.readline(80)
    if first.startswith(b"#!"):
        if b"python3" in first:
            return blocks_of_python
        if first.endswith(b"sh\n"):
            return blocks_of_lines
    return None


def paragraphs(line, lines):
    """(text, lines of its characters): sentences go on in the next line."""
    text, places = "", []
    for number, part in enumerate(lines, line):
        if not part or ITEM.match(part):
            if text:
                yield text, places
            text, places = "", []
        if part:
            part = (" " if text else "") + part
            text += part
            places += [number] * len(part)
    if text:
        yield text, places


def is_question(text, at):
    """Whether the sentence that goes on from there ends with a question mark."""
    end = re.search(r"[.;?!](?:\s|$)", text[at:])
    return bool(end) and end[0].startswith("?")


def faults_of_text(text):
    """(offset, rule) of each fault in a paragraph."""
    for match in RELATIVE.finditer(text):
        if not is_question(text, match.start()):
            yield match.start(), "free relative as a subject"
    for match in PRONOUN.finditer(text):
        yield match.start(), f"'{match[0]}': a peer is it"
    for match in PHRASES.finditer(text):
        yield match.start(), f"private word '{match[0]}'"


def faults_of_summary(line, lines):
    """Of a kernel-doc comment: its first line of text."""
    for number, text in enumerate(lines, line):
        match = SUMMARY.match(text)
        if match:
            word = match["text"].split()[0].strip(",.:;")
            if not match["type"] and word.lower() not in VERBS:
                yield number, match["text"], f"kernel-doc summary begins with no verb: '{word}'"
        if text:
            return


def faults_of_names(path):
    """The names in a file of KUnit cases, or of mutations."""
    kind = CASE if path.suffix == ".c" else MUTATION if not path.suffix else None
    text = path.read_text(errors="replace") if kind else ""
    for match in kind.finditer(text) if kind else ():
        if PERSON.search(match["name"]):
            line = text.count("\n", 0, match.start("name")) + 1
            yield Finding(path, line, match["name"], "a name with a person: say which subject")


def findings(path):
    """All in one file."""
    read = reader(path)
    found = list(faults_of_names(path))
    for line, lines, is_doc in read(path) if read else ():
        if is_doc:
            found += [Finding(path, *fault) for fault in faults_of_summary(line, lines)]
        for text, places in paragraphs(line, lines):
            found += [Finding(path, places[at], text[at:at + WIDE], rule)
                      for at, rule in faults_of_text(text)]
    return sorted(found, key=lambda finding: finding.line)


def sources(places):
    """Files that the rules apply to, below the places; all if there are none."""
    wanted = [Path(place).resolve() for place in places] or [REPO]
    for path in tracked("*"):
        name = str(path.relative_to(REPO))
        if not name.startswith(FOREIGN) and \
                any(path == place or place in path.parents for place in wanted):
            yield path


def all_findings(places):
    return [finding for path in sources(places) for finding in findings(path)]


def show(finding):
    path = finding.path
    name = path.relative_to(REPO) if REPO in path.parents else path
    return f"{name}:{finding.line}: {finding.text}: {finding.rule}"


def check(log):
    """Whether all comments of the tree keep the rules."""
    found = all_findings([])
    print(*map(show, found), sep="\n", file=log)
    return not found
