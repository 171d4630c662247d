#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""scattered - read a file past the cache into pieces of memory, and write it from them.

The pieces have odd lengths and begin at odd addresses: a file system on RDMA has to register
them as they are. The bytes are compared with those of another file.

Example:
    tests/programs/scattered.py /mnt/nfs/file copy
"""

import mmap
import os
import sys

LENGTHS = 5000, 1, 4095, 12288, 77, 65536, 4097, 9
GAP = 333                       # bytes between two pieces


def pieces(memory):
    """Return views of the memory, of all lengths, with gaps between them."""
    found, at = [], 7
    for length in LENGTHS:
        found.append(memoryview(memory)[at:at + length])
        at += length + GAP
    return found


def check(file, copy):
    """Read the whole file by pieces; return whether it equals the copy and no gap has changed."""
    memory = mmap.mmap(-1, sum(LENGTHS) + (GAP + 8) * len(LENGTHS))
    blank = b"\xee" * len(memory)
    at = 0
    while at < len(copy):
        memory[:] = blank
        views = pieces(memory)
        got = os.preadv(file, views, at)
        whole = b"".join(views)
        for view in views:
            view[:] = b"\xee" * len(view)
        if not got or whole[:got] != copy[at:at + got] or memory[:] != blank:
            return False
        at += got
    return True


def rewrite(file, copy):
    """Write the whole file by pieces."""
    memory = mmap.mmap(-1, sum(LENGTHS) + (GAP + 8) * len(LENGTHS))
    at = 0
    while at < len(copy):
        views, end = [], at
        for view in pieces(memory):
            part = copy[end:end + len(view)]
            view[:len(part)] = part
            views.append(view[:len(part)])
            end += len(part)
        at += os.pwritev(file, views, at)


def main():
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    with open(sys.argv[2], "rb") as original:
        copy = original.read()
    file = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
    if not check(file, copy):
        print("something else was read")
        return 1
    changed = copy[::-1]
    rewrite(file, changed)
    if not check(file, changed):
        print("something else was written")
        return 1
    os.close(file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
