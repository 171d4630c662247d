# SPDX-License-Identifier: GPL-2.0
"""Measure the shape of C code: functions, nesting, parameters, cycles, names."""

import re
from collections import defaultdict
from functools import cached_property
from pathlib import Path

from . import csource

DEEP = 3            # levels of nesting that count as deep
MANY = 6            # parameters of functions that are listed
BLOCKS = frozenset(("if", "for", "while", "switch"))
TOKEN = re.compile(r"\w+|\S")
ANNOTATION = re.compile(r"\b(?:__must_hold|__acquires|__releases|__cond_acquires|"
                        r"lockdep_assert_\w+)\b")
# Greatest figures that the module may have (contributing.md)
LIMITS = {
    "longest_lines": 50,
    "mean_lines": 15,
    "six_parameters": 0,
    "include_cycles": 0,
    "call_cycle": 2,
    "room_call_cycle": 2,
    "one_word_statics": 0,
    "bare_bools": 0,
}
# Functions whose parameters struct ib_device_ops determines
GIVEN = frozenset(("srnic_advise_mr", "srnic_process_mad", "srnic_reg_user_mr",
                   "srnic_op_reg_user_mr", "srnic_reg_user_mr_dmabuf",
                   "srnic_op_reg_user_mr_dmabuf", "srnic_rereg_user_mr"))
LITERAL = re.compile(r"true|false")
BOOL = re.compile(r"^(?:const )?bool \w+$")


class Nesting:
    """How deep the statements of a body are nested."""

    def __init__(self, body):
        self.tokens = TOKEN.findall(body)
        self.at = 0
        self.deepest = 0
        while self.at < len(self.tokens):
            self.statement(0)

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def skip(self, opening, closing):
        """Go behind the mark that closes the one here."""
        depth = 0
        while self.at < len(self.tokens):
            depth += {opening: 1, closing: -1}.get(self.tokens[self.at], 0)
            self.at += 1
            if not depth:
                return

    def expression(self):
        """Go behind its semicolon; blocks in an expression are part of it."""
        while self.peek() not in (";", "}", ""):
            if self.peek() in ("(", "{"):
                self.skip(self.peek(), {"(": ")", "{": "}"}[self.peek()])
            else:
                self.at += 1
        self.at += self.peek() == ";"

    def inner(self, depth):
        self.deepest = max(self.deepest, depth)
        self.statement(depth)

    def statement(self, depth):
        word = self.peek()
        if word == "{":
            self.at += 1
            while self.peek() not in ("}", ""):
                self.statement(depth)
            self.at += 1
        elif word == "}":       # of another branch of an #if
            self.at += 1
        elif word == "do":
            self.at += 1
            self.inner(depth + 1)
            self.expression()
        elif word in ("case", "default") or self.peek(1) == ":":
            while self.peek() not in (":", ""):
                self.at += 1
            self.at += 1
        else:
            self.call_or_block(word, depth)

    def call_or_block(self, word, depth):
        """An if, a loop, or an expression. A macro is a loop if a statement follows it."""
        start = self.at
        if self.peek(1) == "(" and re.match(r"[A-Za-z_]", word):
            self.at += 1
            self.skip("(", ")")
            if word in BLOCKS or re.match(r"\w|\{", self.peek()):
                self.inner(depth + 1)
                self.otherwise(word, depth)
                return
        self.at = start
        self.expression()

    def otherwise(self, word, depth):
        """An else is as deep as its if, and so is the if behind it."""
        if word == "if" and self.peek() == "else":
            self.at += 1
            if self.peek() == "if":
                self.statement(depth)
            else:
                self.inner(depth + 1)


def arguments(text, name):
    """The arguments of each call of that name."""
    for match in re.finditer(rf"(?<![\w.>]){name}\s*\(", text):
        yield csource.parameters(text[match.end():])


class Code:
    """The C below a folder, or of several."""

    def __init__(self, *folders, without=()):
        self.roots = [Path(folder).resolve() for folder in folders]
        self.sources = {path: source for root in self.roots
                        for path, source in csource.read_folder(root).items()
                        if not set(without) & set(path.relative_to(root).parts)}
        self.functions = [function for source in self.sources.values()
                          for function in source.functions]

    def name(self, path):
        return next(str(path.relative_to(root)) for root in self.roots if root in path.parents)

    def place(self, function):
        return f"{self.name(function.path)}:{function.line} {function.name}"

    def files(self, suffix):
        return [path for path in self.sources if path.suffix == suffix]

    @cached_property
    def deep(self):
        return [function for function in self.functions
                if Nesting(function.body[1:-1]).deepest >= DEEP]

    def with_parameters(self, least):
        return [f"{self.place(function)} ({len(function.params)})"
                for function in sorted(self.functions, key=lambda one: -len(one.params))
                if len(function.params) >= least]

    def one_word_statics(self):
        return [self.place(function) for function in self.functions
                if function.static and "_" not in function.name]

    def bare_bools(self):
        """Functions that some call gives a plain true or false."""
        for function in self.functions:
            places = [at for at, param in enumerate(function.params) if BOOL.match(param)]
            # Another file may have a static function of the same name
            own = function.static and function.path.suffix == ".c"
            texts = [caller.body for caller in self.functions
                     if function.name in caller.body
                     and (caller.path == function.path or not own)] if places else []
            if any(LITERAL.fullmatch(given[at]) for text in texts
                   for given in arguments(text, function.name)
                   for at in places if at < len(given)):
                yield self.place(function)

    def include_graph(self):
        graph = {}
        for path, source in self.sources.items():
            found = (csource.resolve(source, name, root)
                     for _, name in source.includes for root in self.roots)
            graph[path] = {target for target in found if target in self.sources} - {path}
        return graph

    def call_graph(self):
        """{file: files whose functions its own mention}; headers are looked through."""
        public = {function.name: function.path for function in self.functions
                  if function.path.suffix == ".c" and not function.static}
        inlines = defaultdict(set)
        for path in self.files(".h"):
            for function in self.sources[path].functions:
                inlines[function.name] |= function.words
            for macro in self.sources[path].macros:
                inlines[macro.name] |= set(csource.WORD.findall(macro.body))
        graph = {}
        for path in self.files(".c"):
            own = {function.name for function in self.sources[path].functions}
            words = set().union(*(function.words for function in self.sources[path].functions))
            graph[path] = {public[word] for word in looked_through(words - own, inlines)
                           if word in public} - {path}
        return graph

    def cycles(self, graph):
        """Those of two files or more, the largest first."""
        found = [[self.name(path) for path in loop]
                 for loop in csource.strongly_connected(graph) if len(loop) > 1]
        return sorted(found, key=len, reverse=True)

    def room_cycles(self):
        """The call cycles that remain if only calls within a folder count."""
        graph = self.call_graph()
        return self.cycles({path: {other for other in others if other.parent == path.parent}
                            for path, others in graph.items()})


def looked_through(words, inlines):
    """The words, and those of inline functions and macros among them, and so on."""
    seen, left = set(), set(words)
    while left:
        word = left.pop()
        seen.add(word)
        left |= inlines.get(word, set()) - seen
    return seen


def figures(code):
    """All of house.md's table, by name; lists tell where."""
    lines = [function.lines for function in code.functions]
    longest = max(code.functions, key=lambda function: function.lines)
    texts = [source.text for source in code.sources.values()]
    overall, rooms = code.cycles(code.call_graph()), code.room_cycles()
    return {
        "lines": sum(text.count("\n") for text in texts),
        "files_c": len(code.files(".c")),
        "files_h": len(code.files(".h")),
        "functions": len(lines),
        "mean_lines": round(sum(lines) / len(lines), 1),
        "longest_lines": longest.lines,
        "longest": code.place(longest),
        "deep_percent": round(100 * len(code.deep) / len(lines), 1),
        "deep": [code.place(function) for function in code.deep],
        "six_parameters": code.with_parameters(MANY),
        "seven_parameters": code.with_parameters(MANY + 1),
        "kernel_doc": sum(len(re.findall(r"^\s*/\*\*$", text, re.M)) for text in texts),
        "lock_annotations": sum(len(ANNOTATION.findall(text)) for text in texts),
        "include_cycles": code.cycles(code.include_graph()),
        "call_cycle": overall[0] if overall else [],
        "room_call_cycle": rooms[0] if rooms else [],
        "one_word_statics": code.one_word_statics(),
        "bare_bools": list(code.bare_bools()),
    }


def excesses(code):
    """A line for each figure beyond its limit."""
    found = figures(code)
    found["six_parameters"] = [place for place in found["six_parameters"]
                               if place.split()[1] not in GIVEN]
    for name, limit in LIMITS.items():
        figure, where = found[name], ""
        if isinstance(figure, list):
            figure, where = len(figure), ": " + ", ".join(map(str, figure))
        elif name == "longest_lines":
            where = ": " + found["longest"]
        if figure > limit:
            yield f"{name} {figure}, at most {limit}{where}"
