#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""seek - search printed text for secrets.

seek.py SECRET PRINTED...

SECRET is a file of bytes. No eight consecutive bytes of it may occur in a PRINTED file, as
they are or in hexadecimal in either byte order, with any characters between the digits.

Example:
    tests/programs/seek.py /run/test/key.k /run/test/trace
"""
import sys
from pathlib import Path

WINDOW = 8          # bytes that %p or %llx would show
NO_DIGITS = bytes(set(range(256)) - set(b"0123456789abcdef"))


def found(secret, printed):
    """Look for each window of the secret, in all forms in which the kernel prints such bytes."""
    digits = printed.lower().translate(None, NO_DIGITS)
    windows = [secret[i:i + WINDOW] for i in range(len(secret) - WINDOW + 1)]
    return any(part in printed or part.hex().encode() in digits or
               part[::-1].hex().encode() in digits for part in windows)


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    secret, *printed = (Path(name).read_bytes() for name in sys.argv[1:])
    shown = [name for name, text in zip(sys.argv[2:], printed) if found(secret, text)]
    for name in shown:
        print(f"{name} shows the secret")
    print(f"{len(printed)} files, {sum(map(len, printed))} bytes: {len(shown)} show it")
    return 1 if shown else 0


if __name__ == "__main__":
    sys.exit(main())
