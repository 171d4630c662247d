#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""mr_memory - measure the kernel memory of a registered region, without its pages, in bytes.

Registers the same buffer many times and compares the kernel's memory before and after.
Prints one JSON object with the median of several rounds.

Example:
    mr_memory.py --device srnic0 --size 65536
"""
import argparse
import gc
import json
import statistics
import sys

import pyverbs.enums as e
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD

sys.dont_write_bytecode = True
from meminfo import kernel_bytes        # noqa: E402

ACCESS = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_WRITE


def measure(pd, first, count):
    """Return bytes a region, not counting memory that the first ones have allocated for
    good."""
    gc.collect()
    before = kernel_bytes()
    regions = [MR(pd, first.length, ACCESS, address=first.buf) for _ in range(count)]
    after = kernel_bytes()
    for region in regions:
        region.close()
    return round((after - before) / count)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Example:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--device", required=True)
    ap.add_argument("--size", type=int, required=True, help="of a region")
    ap.add_argument("--count", type=int, default=500, help="regions to make (%(default)s)")
    ap.add_argument("--rounds", type=int, default=2, help="times it is done (%(default)s)")
    args = ap.parse_args()

    pd = PD(Context(name=args.device))
    first = MR(pd, args.size, ACCESS)   # allocates the buffer
    first.write(b"\1" * args.size, args.size)
    rounds = [measure(pd, first, args.count) for _ in range(args.rounds)]
    print(json.dumps({"regions": args.count, "bytes": statistics.median(rounds), "rounds": rounds}))


if __name__ == "__main__":
    main()
