#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""native_samples - count samples of a user-mode kernel by function, as a table.

Standard input has an address a line, as `perf script -F ip` prints them.

Example:
    perf script -i perf.data -F ip | native_samples.py build/profile/kallsyms
"""
import argparse
import sys
from bisect import bisect_right
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
from tables import table    # noqa: E402

# Addresses from here on belong to the host's kernel
HOST = 1 << 63


class Symbols:
    """Functions by address."""

    def __init__(self, kallsyms):
        rows = sorted(self.parse(line) for line in kallsyms.splitlines())
        self.starts = [start for start, _, _ in rows]
        self.names = [(name, module) for _, name, module in rows]

    @staticmethod
    def parse(line):
        start, _, name, *module = line.split()
        return int(start, 16), name, module[0].strip("[]") if module else "kernel"

    def find(self, address):
        if address >= HOST:
            return "(the host's kernel)", "host"
        at = bisect_right(self.starts, address) - 1
        return self.names[at] if at >= 0 else ("(user space)", "")


def share(count, total):
    return f"{100 * count / total:.1f} %"


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("kallsyms")
    ap.add_argument("--least", type=float, default=0.5, help="per cent that a function must have")
    args = ap.parse_args()
    symbols = Symbols(Path(args.kallsyms).read_text())
    found = Counter(symbols.find(int(line, 16)) for line in sys.stdin if line.strip())
    total = sum(found.values())
    if not total:
        sys.exit("native_samples: there are no samples")
    modules = Counter()
    for (_, module), count in found.items():
        modules[module] += count
    print(f"{total} samples\n")
    print("\n".join(table(["module", "share"], [[module, share(count, total)]
                                               for module, count in modules.most_common()])), "\n")
    print("\n".join(table(["share", "function", "module"],
                          [[share(count, total), *where] for where, count in found.most_common()
                           if 100 * count >= args.least * total])))


if __name__ == "__main__":
    main()
