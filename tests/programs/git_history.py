#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""git_history - print commits for `git fast-import`: files of all sizes, which change.

The files have 0 to 64 KiB of random bytes, or lines of text to which each commit adds others,
and each commit adds one of 3 MiB, and a link.

Example:
    tests/programs/git_history.py 300 4 | git fast-import
"""

import random
import sys

DATE = "srnic <srnic@localhost> 1700000000 +0000"


def blob(out, mode, name, data):
    out.write(f"M {mode} inline {name}\ndata {len(data)}\n".encode() + data + b"\n")


def content(number, commit, chance):
    """Return the bytes of a file as a commit leaves it."""
    size = number * 7919 * commit % 65537
    if number % 4:
        return chance.randbytes(size)
    return "".join(f"line {line} of {number}\n" for line in range(size // 16)).encode()


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    files, commits = int(sys.argv[1]), int(sys.argv[2])
    out, chance = sys.stdout.buffer, random.Random(1)
    for commit in range(1, commits + 1):
        message = f"commit {commit}"
        out.write(f"commit refs/heads/main\ncommitter {DATE}\n"
                  f"data {len(message)}\n{message}\n".encode())
        for number in range(commit % 2, files * commit // commits, 2 if commit > 1 else 1):
            mode = "100755" if number % 11 == 0 else "100644"
            blob(out, mode, f"{number % 7}/{number % 5}/{number}", content(number, commit, chance))
        blob(out, "100644", f"large.{commit}", chance.randbytes(3 << 20))
        blob(out, "120000", f"link.{commit}", f"large.{commit}".encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
