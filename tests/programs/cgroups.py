#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""cgroups - check that control groups limit a device's objects and are charged for its memory.

Joins a group whose rdma.max allows one context and some objects, asks for more of both, and
creates a large ring, which the group must be charged for. If the group allows enough
objects, it also fills a send ring without the provider before the QP can send: the kernel's
copies of these requests must be charged to the group and counted as pages of rings.

Example:
    tests/programs/cgroups.py srnic0 /sys/fs/cgroup/box 6
"""
import argparse
import ctypes
import errno
import json
import mmap
import os
import subprocess
import sys
import time
from pathlib import Path

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPCap, QPInitAttr

from endpoint import connection, errno_of, way_to_self

ENTRIES, ENTRY = 1 << 16, 64    # of a completion queue
SENDS, COPY = 1 << 14, 128      # of a send queue; least bytes of the kernel's copy of a request
OBJECTS = 3                     # needed for this


def refusal(make):
    """Return the errno with which make() fails, or None."""
    try:
        make()
    except PyverbsError as error:
        return errno_of(error)
    return None


def objects(ctx, most):
    """Create as many objects as allowed, and one more for each that is destroyed."""
    made = [PD(ctx) for _ in range(most)]
    got = refusal(lambda: PD(ctx))
    if got != errno.EAGAIN:
        return f"number {most + 1}: {errno.errorcode.get(got, 'granted')}, not EAGAIN"
    made.pop().close()
    made.append(PD(ctx))
    for pd in made:
        pd.close()
    return None


def charged(box):
    """Return the bytes of kernel memory that the group is charged for; files that its programs
    read are not among them."""
    stat = dict(line.split() for line in (box / "memory.stat").read_text().splitlines())
    return int(stat["kernel"])


def ring(ctx, box):
    """Check that whole pages of a ring are charged to the group of its creator."""
    before = charged(box)
    cq = CQ(ctx, ENTRIES)
    during = charged(box)
    cq.close()
    after = charged(box)
    size = ENTRIES * ENTRY
    # each CPU's stock is charged before it is used (MEMCG_CHARGE_BATCH)
    stock = 64 * mmap.PAGESIZE * os.cpu_count()
    if during - before < size - stock or during - after < size * 9 // 10:
        return f"{size} bytes: {before} before, {during} with it, {after} afterwards"
    return None


def mappings():
    """Return the size of each mapping of a device, by address."""
    found = {}
    for line in Path("/proc/self/maps").read_text().splitlines():
        if "infiniband/uverbs" in line:
            first, last = (int(end, 16) for end in line.split()[0].split("-"))
            found[first] = last - first
    return found


def ring_pages(device):
    """Return the pages of rings that the device has granted."""
    told = subprocess.run(["srnic", "-j", "quota", "show", device], check=True,
                          capture_output=True).stdout
    return next(row["used"] for row in json.loads(told) if row["quota"] == "ring_pages")


def unrung(ctx, box, device):
    """Post work requests before RTS, without a doorbell, so that a worker copies them;
    check the charges."""
    pd, cq, before = PD(ctx), CQ(ctx, 4), mappings()
    cap = QPCap(max_send_wr=SENDS, max_recv_wr=1, max_send_sge=1, max_recv_sge=1)
    qp = QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap))
    new = {at: size for at, size in mappings().items() if at not in before}
    ctypes.c_uint32.from_address(max(new, key=new.get)).value = 1     # srnic_ring_hdr.prod
    had, paid = charged(box), ring_pages(device)
    qp.to_rts(connection(way_to_self(ctx), qp.qp_num))
    size, end = SENDS * COPY, time.monotonic() + 20
    while charged(box) - had < size and time.monotonic() < end:
        time.sleep(0.1)
    during, pages = charged(box) - had, ring_pages(device) - paid
    for thing in (qp, cq, pd):
        thing.close()
    if during < size or pages < size // mmap.PAGESIZE:
        return f"{size} bytes: {during} were charged, and {pages} pages"
    left = ring_pages(device) - paid
    return f"{left} pages more than before the copies are granted still" if left > 0 else None


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
        ("so are the kernel's copies of it", unrung(ctx, args.box, args.device)
         if args.objects >= OBJECTS else None),
    )
    for what, wrong in rows:
        print(f"{'FAIL' if wrong else 'ok  '} {what}{': ' + wrong if wrong else ''}", flush=True)
    return 1 if any(wrong for _, wrong in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
