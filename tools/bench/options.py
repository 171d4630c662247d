# SPDX-License-Identifier: GPL-2.0
"""options - the options that benches share."""
import argparse


def command_line(doc, rounds):
    """Return the parser of a bench that leaves its figures and a report; doc is its docstring,
    with an example."""
    what, _, example = doc.partition("Example:")
    parser = argparse.ArgumentParser(description=what.split("\n\n")[0], epilog=example,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, help="the JSON file; the table is beside it")
    parser.add_argument("--rounds", type=int, default=rounds)
    return parser


def some_of(names):
    """Return the type of an option that lists some of these names."""
    def chosen(words):
        unknown = [word for word in words.split(",") if word not in names]
        if unknown:
            raise argparse.ArgumentTypeError(f"no '{unknown[0]}': {', '.join(names)}")
        return words.split(",")
    return chosen


def add_choice(parser, option, names):
    """Add an option that lists some of these names; by default all."""
    parser.add_argument(option, type=some_of(names), default=list(names), help="some of: " + ", ".join(names))
