# SPDX-License-Identifier: GPL-2.0
"""Read C as static/rooms, static/comments and scripts/metrics need it.

A tokenizer and no compiler: comments, strings and preprocessor lines are told from code, and
functions are found by their braces. That is exact for code in the kernel's style, needs no
configured kernel, and takes less than a second for this tree.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

# A comment, a string, a character: the first of these to begin is what the text is
LEXEME = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""",
                    re.S)
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?P<word>\w+)(?P<rest>(?:\\\n|[^\n])*)", re.M)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"\n]+)"', re.M)
MACRO = re.compile(r"\s*(?P<name>\w+)(?P<params>\([^)]*\))?(?P<body>.*)", re.S)
# No member (x.name, x->name) and no tag
WORD = re.compile(r"(?<![\w.])(?<!->)(?<!struct )(?<!union )(?<!enum )[A-Za-z_]\w*")
OBJECT = re.compile(r"(?P<type>\w[\w\s*]*?[\s*])(?P<name>\w+)\s*(?:\[[^]]*\]\s*)*(?:__\w+\s*)*$")
GROUP = re.compile(r"([A-Za-z_]\w*)\s*\(")
# They look like a function's name and parameters, in front of a definition or behind it
ATTRIBUTES = frozenset((
    "__attribute__", "__acquires", "__releases", "__must_hold", "__cond_acquires", "__printf",
    "__aligned", "__section", "__alloc_size", "__counted_by", "__cleanup", "__always_unused",
    "__diagnose_as", "__nonstring", "__malloc", "__asm__"))
# Words before a parenthesis that call nothing
KEYWORDS = frozenset((
    "if", "for", "while", "switch", "return", "sizeof", "typeof", "__typeof__", "else", "do",
    "case", "goto", "alignof", "_Alignof", "offsetof", "_Static_assert", "static_assert"))


def blank(text):
    """The text as spaces, line for line."""
    return re.sub(r"[^\n]", " ", text)


@dataclass
class Comment:
    line: int
    text: str       # with its marks


@dataclass
class Function:
    name: str
    path: Path
    line: int           # its first, of the return type
    last: int           # of the closing brace
    static: bool
    params: list
    body: str           # from brace to brace, comments and strings blanked

    @property
    def lines(self):
        return self.last - self.line + 1

    @cached_property
    def words(self):
        """All words but members and tags: they say nothing of a function of that name."""
        return set(WORD.findall(self.body))

    @cached_property
    def depth(self):
        """How deep blocks are nested in the function's own."""
        deepest = depth = 0
        for mark in re.findall(r"[{}]", self.body):
            depth += 1 if mark == "{" else -1
            deepest = max(deepest, depth)
        return deepest - 1


@dataclass
class Macro:
    name: str
    line: int
    takes: bool         # whether it has parameters
    body: str


@dataclass
class Source:
    """One file, taken apart."""
    path: Path
    text: str
    comments: list = field(default_factory=list)
    includes: list = field(default_factory=list)    # (line, name)
    macros: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    objects: list = field(default_factory=list)     # (line, name, static): variables
    initializers: list = field(default_factory=list)  # (line, text): those in braces

    def __post_init__(self):
        self._starts = [0] + [match.end() for match in re.finditer("\n", self.text)]
        self.includes = [(self.line_at(match.start()), match[1])
                         for match in INCLUDE.finditer(self._without_comments())]
        code = self._without_directives(LEXEME.sub(self._blank_string, self._without_comments()))
        self._read_blocks(code)

    def line_at(self, offset):
        return bisect_right(self._starts, offset)

    def _without_comments(self):
        found = []

        def take(match):
            if not match["comment"]:
                return match[0]
            found.append(Comment(self.line_at(match.start()), match[0]))
            return blank(match[0])

        text = LEXEME.sub(take, self.text)
        self.comments = found
        return text

    @staticmethod
    def _blank_string(match):
        return match[0][0] + blank(match[0][1:-1]) + match[0][-1]

    def _without_directives(self, code):
        """Directives become spaces, macros are kept apart, and of #else and #elif the place is
        marked: the branch begins as deep as the #if was."""
        def take(match):
            if match["word"] == "define":
                macro = MACRO.match(match["rest"])
                self.macros.append(Macro(macro["name"], self.line_at(match.start()),
                                         macro["params"] is not None, macro["body"]))
            mark = {"if": "\x01", "ifdef": "\x01", "ifndef": "\x01", "else": "\x02",
                    "elif": "\x02", "endif": "\x03"}.get(match["word"], " ")
            return mark + blank(match[0][1:])

        return DIRECTIVE.sub(take, code)

    def _read_blocks(self, code):
        """Find what has braces at the file's own level."""
        depth = parens = 0
        start = opened = 0      # of the statement at the file's level; of its block
        kept = []               # depths at each #if
        for match in re.finditer(r"[{}();\x01\x02\x03]", code):
            mark, at = match[0], match.start()
            if mark == "\x01":
                kept.append((depth, parens))
            elif mark == "\x02" and kept:
                depth, parens = kept[-1]
            elif mark == "\x03" and kept:
                kept.pop()
            elif mark in "()":
                parens += 1 if mark == "(" else -1
            elif mark == "{":
                if depth == 0 and not parens:
                    opened = at
                depth += 1
            elif mark == "}":
                depth -= 1
                if depth == 0 and not parens:
                    self._take_block(code, start, opened, at + 1)
                    # An initializer goes on to its semicolon
                    start = start if "=" in code[start:opened] else at + 1
            elif depth == 0 and not parens:
                self._take_statement(code[start:at], start)
                start = at + 1

    def _take_statement(self, statement, start):
        """Keep the name if it defines a variable: with no braces, and at the file's level."""
        head = re.sub(r"[\x01-\x03]", " ", statement.split("{")[0])
        blank_before = len(head) - len(head.lstrip())
        found = OBJECT.match(head.split("=")[0].strip())
        if not found or "(" in head.split("=")[0]:
            return
        words = found["type"].replace("*", " ").split()
        if {"extern", "typedef"} & set(words) or words[-1] in ("struct", "union", "enum"):
            return
        self.objects.append((self.line_at(start + blank_before), found["name"],
                             "static" in words))

    def _take_block(self, code, start, opened, end):
        head = re.sub(r"[\x01-\x03]", " ", code[start:opened])
        first = self.line_at(start + len(head) - len(head.lstrip()))
        static = bool(re.search(r"\bstatic\b", head))
        if "=" in head:
            # The variable is kept when its semicolon has come
            self.initializers.append((self.line_at(opened), code[opened:end]))
            return
        found = next((group for group in GROUP.finditer(head)
                      if group[1] not in ATTRIBUTES), None)
        if found:
            self.functions.append(Function(
                found[1], self.path, first, self.line_at(end - 1), static,
                parameters(head[found.end():]), re.sub(r"[\x01-\x03]", " ", code[opened:end])))


def parameters(text):
    """The parameters up to the parenthesis that closes them; none for (void)."""
    found, depth, begin = [], 0, 0
    for at, mark in enumerate(text):
        if mark == ")" and depth == 0 or mark == "," and depth == 0:
            found.append(" ".join(text[begin:at].split()))
            begin = at + 1
            if mark == ")":
                break
        depth += {"(": 1, ")": -1}.get(mark, 0)
    return [param for param in found if param not in ("", "void")]


def read(path):
    path = Path(path)
    return Source(path, path.read_text(errors="replace"))


def read_folder(folder):
    """All C below it, by path."""
    return {path: read(path) for path in sorted(Path(folder).rglob("*.[ch]"))}


def resolve(source, name, root):
    """The file that #include "name" means in the source: beside it, or below the root."""
    for folder in (source.path.parent, Path(root)):
        path = (folder / name).resolve()
        if path.is_file():
            return path
    return None


def strongly_connected(graph):
    """Tarjan's components of {node: {nodes}}, as sorted lists; those of one node too."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found
