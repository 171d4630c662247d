#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""cgroups - what control groups grant of a device, and what they are charged.

Joins the group, whose rdma.max allows one context and so many objects, asks for more of
both, and makes a large ring, which the group has to pay for.

Example:
  tools/verify/cgroups.py srnic0 /sys/fs/cgroup/box 6
"""
import argparse
import errno
import os
import sys
from pathlib import Path

from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError

from endpoint import errno_of

ENTRIES, ENTRY = 1 << 16, 64    # of a completion queue


def refusal(make):
    """The errno, or None."""
    try:
        make()
    except PyverbsError as error:
        return errno_of(error)
    return None


def objects(ctx, most):
    """As many as are allowed, and one again for each that goes."""
    made = [PD(ctx) for _ in range(most)]
    got = refusal(lambda: PD(ctx))
    if got != errno.EAGAIN:
        return f"number {most + 1}: {errno.errorcode.get(got, 'granted')}, not EAGAIN"
    made.pop().close()
    made.append(PD(ctx))
    for pd in made:
        pd.close()
    return None


def ring(ctx, box):
    """Whole pages, on account of who has it made."""
    def charged():
        return int((box / "memory.current").read_text())
    before = charged()
    cq = CQ(ctx, ENTRIES)
    during = charged()
    cq.close()
    after = charged()
    size = ENTRIES * ENTRY
    if during - before < size or during - after < size * 9 // 10:
        return f"{size} bytes: {before} before, {during} with it, {after} afterwards"
    return None


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0],
                                 epilog=__doc__.split("Example:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("device")
    ap.add_argument("box", type=Path, help="folder of the group")
    ap.add_argument("objects", type=int, help="that its rdma.max allows")
    args = ap.parse_args()

    (args.box / "cgroup.procs").write_text(str(os.getpid()))
    ctx = Context(name=args.device)
    second = refusal(lambda: Context(name=args.device))
    rows = (
        ("one context", None if second else "there are two"),
        (f"{args.objects} objects", objects(ctx, args.objects)),
        ("a ring is paid for", ring(ctx, args.box)),
    )
    for what, wrong in rows:
        print(f"{'FAIL' if wrong else 'ok  '} {what}{': ' + wrong if wrong else ''}", flush=True)
    return 1 if any(wrong for _, wrong in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
