#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""random_io - change a file at random, in every way that a file system offers, and compare.

As fsx: each step is chosen by a generator of known seed, and done to the file and to a copy in
memory. Everything read is compared with the copy, and the whole file after each hundred steps.

Example:
    tests/programs/random_io.py --steps 3000 --seed 7 /mnt/nfs/file
"""

import argparse
import ctypes
import mmap
import os
import random
import sys

LARGEST = 1 << 20               # of the file
LONGEST = 200_000               # of a step
KEEP_SIZE, PUNCH_HOLE = 1, 2    # fallocate(2)
LIBC = ctypes.CDLL(None, use_errno=True)


class Differs(Exception):
    """The file does not hold the bytes of the copy."""


class File:
    """A file, and a copy of its bytes."""

    def __init__(self, path, seed):
        self.path = path
        self.seed, self.random = seed, random.Random(seed)
        self.copy = bytearray()
        self.counts = {}
        self.moved = 0
        self.cached = self.direct = None
        self.open(os.O_CREAT | os.O_TRUNC)

    def open(self, flags=0):
        self.cached = os.open(self.path, os.O_RDWR | flags)
        self.direct = os.open(self.path, os.O_RDWR | os.O_DIRECT)

    def close(self):
        os.close(self.cached)
        os.close(self.direct)

    def range(self):
        """Return a range inside the file, which may be empty."""
        at = self.random.randrange(len(self.copy) + 1)
        return at, min(self.random.randrange(1, LONGEST), len(self.copy) - at)

    def span(self):
        """Return a range that may begin or end beyond the file."""
        at = self.random.randrange(min(len(self.copy) + LONGEST, LARGEST))
        return at, self.random.randrange(1, min(LONGEST, LARGEST - at) + 1)

    def reach(self, end):
        self.copy.extend(bytes(max(0, end - len(self.copy))))

    def put(self, at, data):
        """Note that these bytes were written."""
        self.reach(at)
        self.copy[at:at + len(data)] = data
        self.moved += len(data)

    def compare(self, at, got, wanted):
        """Compare bytes that were read at an address."""
        self.moved += len(got)
        if got == wanted:
            return
        if len(got) != len(wanted):
            raise Differs(f"{len(got)} bytes at {at:#x}, not {len(wanted)}")
        raise Differs(f"byte {at + next(i for i, b in enumerate(got) if b != wanted[i]):#x}")

    def write_to(self, file):
        at, length = self.span()
        data = self.random.randbytes(length)
        if os.pwrite(file, data, at) != length:
            raise Differs("a short write")
        self.put(at, data)

    def read_from(self, file):
        at, length = self.range()
        self.compare(at, os.pread(file, length, at), self.copy[at:at + length])

    def write(self):
        self.write_to(self.cached)

    def write_direct(self):
        self.write_to(self.direct)

    def read(self):
        self.read_from(self.cached)

    def read_direct(self):
        self.read_from(self.direct)

    def mapped(self):
        """Read a range by a mapping, change it, and read it by other means."""
        at, length = self.range()
        if not length:
            return
        data = self.random.randbytes(length)
        with mmap.mmap(self.cached, 0) as view:
            self.compare(at, view[at:at + length], self.copy[at:at + length])
            view[at:at + length] = data
            view.flush()
        self.put(at, data)
        self.compare(at, os.pread(self.direct, length, at), data)

    def truncate(self):
        end = self.random.randrange(LARGEST)
        os.ftruncate(self.cached, end)
        del self.copy[end:]
        self.reach(end)

    def fallocate(self, mode, at, length):
        if LIBC.fallocate(self.cached, mode, ctypes.c_long(at), ctypes.c_long(length)):
            raise OSError(ctypes.get_errno(), "fallocate")

    def punch(self):
        at, length = self.range()
        if length:
            self.fallocate(PUNCH_HOLE | KEEP_SIZE, at, length)
            self.copy[at:at + length] = bytes(length)

    def allocate(self):
        at, length = self.span()
        self.fallocate(0, at, length)
        self.reach(at + length)

    def duplicate(self):
        """Copy a range inside the file, which the server can do by itself."""
        (at, length), to = self.range(), self.random.randrange(LARGEST - LONGEST)
        if not length or abs(at - to) < length:
            return
        data = bytes(self.copy[at:at + length])
        done = 0
        while done < length:
            done += os.copy_file_range(self.cached, self.cached, length - done, at + done, to + done)
        self.put(to, data)

    def reopen(self):
        """Close the file, which sends what is cached, and open it again."""
        self.close()
        self.open()

    def whole(self):
        """Compare the whole file, past the cache."""
        size = os.fstat(self.cached).st_size
        if size != len(self.copy):
            raise Differs(f"the size is {size}, not {len(self.copy)}")
        self.compare(0, os.pread(self.direct, size + 1, 0), self.copy)

    def step(self):
        name = self.random.choice(STEPS)
        self.counts[name] = self.counts.get(name, 0) + 1
        try:
            getattr(self, name)()
        except (OSError, Differs) as error:
            raise SystemExit(f"seed {self.seed}, step {sum(self.counts.values())}, {name}: {error}") \
                from error


STEPS = ("write", "write_direct", "write_direct", "read", "read_direct", "read_direct", "mapped",
         "truncate", "punch", "allocate", "duplicate", "reopen")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("path")
    args = parser.parse_args()
    file = File(args.path, args.seed)
    for number in range(args.steps):
        file.step()
        if number % 100 == 99:
            file.whole()
    file.whole()
    file.close()
    with open(args.path, "rb") as again:
        file.compare(0, again.read(), file.copy)
    print(f"{args.steps} steps from seed {args.seed} moved {file.moved} bytes: " +
          ", ".join(f"{count} {name}" for name, count in sorted(file.counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
