#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""shares - take everything that a device grants: as one user, as the next, as root.

For each kind of object, a user takes as many as possible, then a second user, then the first
one again under another user ID in a user namespace of its own, and then root. No user may
get more than remains for the others (the reserve, which is root's, does not count), each
must get some, root the rest, and the kernel's accounts must agree. The users may receive frames
(CAP_NET_RAW), except in the namespace.

Example:
    in-a tests/programs/shares.py srnic0
"""
import ctypes
import errno
import json
import mmap
import os
import struct
import subprocess
import sys
from pathlib import Path

import pyverbs.enums as e
from pyverbs.addr import AH
from pyverbs.cq import CQ
from pyverbs.device import AllocDmAttr, Context, DM
from pyverbs.flow import Flow, FlowAttr
from pyverbs.mr import MR, MW
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.wq import RwqIndTable, RwqIndTableInitAttr, WQ, WQInitAttr
from pyverbs.xrcd import XRCD, XRCDInitAttr

from endpoint import errno_of
from limits import Asker, LOCAL

ALICE, BOB = 65533, 65534
CLONE_NEWUSER = 0x10000000
LIMIT, RESERVE = 120, 20
# uid_map of Alice's namespace, with Alice and another user: ID inside, ID outside, count
HER_USERS = f"0 {ALICE} 1\n1 300000 1\n"
PR_SET_KEEPCAPS = 8
CAPABILITIES = 0x20080522           # _LINUX_CAPABILITY_VERSION_3
NET_RAW = 1 << 13                   # CAP_NET_RAW


def create_domain(asker):
    return XRCD(asker.ctx, XRCDInitAttr(e.IBV_XRCD_INIT_ATTR_FD | e.IBV_XRCD_INIT_ATTR_OFLAGS,
                                        os.O_CREAT, -1))


def create_wq(asker):
    return WQ(asker.ctx, WQInitAttr(wq_context=None, wq_pd=asker.pd, wq_cq=asker.cq, max_wr=1,
                                    wq_type=e.IBV_WQT_RQ, max_sge=1))


def once(asker, name, create):
    """Return an object that is created at the first call."""
    if not hasattr(asker, name):
        setattr(asker, name, create())
    return getattr(asker, name)


def create_table(asker):
    queue = once(asker, "queue", lambda: create_wq(asker))
    return RwqIndTable(asker.ctx, RwqIndTableInitAttr(1, [queue, queue]))


def create_rule(asker):
    qp = once(asker, "raw", lambda: asker.qp(e.IBV_QPT_RAW_PACKET))
    return Flow(qp, FlowAttr(num_of_specs=0))


# of frames, for which one needs a capability where the netdev is
OF_FRAMES = {"wq": create_wq, "rwq_table": create_table, "flow": create_rule}

KINDS = {
    "ucontext": lambda asker: Context(name=asker.device),
    "pd": lambda asker: PD(asker.ctx),
    "ah": lambda asker: AH(asker.pd, attr=asker.way),
    "srq": lambda asker: asker.srq(1),
    "xrcd": create_domain,
    "qp": lambda asker: asker.qp(),
    "cq": lambda asker: CQ(asker.ctx, 1),
    "mr": lambda asker: MR(asker.pd, mmap.PAGESIZE, LOCAL),
    "paged_mr": lambda asker: MR(asker.pd, mmap.PAGESIZE, LOCAL | e.IBV_ACCESS_ON_DEMAND),
    "mw": lambda asker: MW(asker.pd, e.IBV_MW_TYPE_1),
    "pinned_pages": lambda asker: MR(asker.pd, mmap.PAGESIZE, LOCAL),
    "ring_pages": lambda asker: CQ(asker.ctx, 1),
    "device_pages": lambda asker: DM(asker.ctx, AllocDmAttr(length=mmap.PAGESIZE)),
    **OF_FRAMES,
}


def become(uid):
    """Become a user who has no capability but that for frames."""
    libc = ctypes.CDLL(None, use_errno=True)
    os.setgroups([])
    os.setgid(uid)
    libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)
    os.setuid(uid)
    # effective, permitted, inheritable, and their upper halves
    data = struct.pack("=6I", NET_RAW, NET_RAW, 0, 0, 0, 0)
    if libc.capset(struct.pack("=Ii", CAPABILITIES, 0), data):
        sys.exit("capset: " + os.strerror(ctypes.get_errno()))


def take_all(device, kind):
    """Take all objects of a kind; return the asker, the objects, and the errno of the last
    attempt."""
    asker, taken = None, []
    try:
        asker = Asker(device)
        asker.device = device
        while True:
            taken.append(KINDS[kind](asker))
    except PyverbsError as error:
        return asker, taken, errno_of(error)


class Taker:
    """A process of a user that takes all objects of a kind, and keeps them until told."""

    def __init__(self, device, kind, uid, within=False):
        (said, say), (told, self.tell) = os.pipe(), os.pipe()
        self.pid = os.fork()
        if not self.pid:
            os.close(self.tell)
            self.be(device, kind, uid, within, say, told)
        os.close(say)
        os.close(told)
        with os.fdopen(said) as lines:
            if within:
                lines.readline()        # the namespace exists: set its uid_map
                Path(f"/proc/{self.pid}/uid_map").write_text(HER_USERS)
                os.write(self.tell, b".")
            self.taken, self.errno = (int(word) for word in lines.readline().split())

    @staticmethod
    def be(device, kind, uid, within, say, told):
        if uid:
            become(uid)
        if within:
            if ctypes.CDLL(None).unshare(CLONE_NEWUSER):
                sys.exit("no user namespaces here")
            os.write(say, b"\n")
            os.read(told, 1)
            os.setuid(1)
        holder, taken, code = take_all(device, kind)    # keep holder: its objects end with it
        os.write(say, f"{len(taken)} {code}\n".encode())
        os.read(told, 1)
        del holder
        os._exit(0)     # the kernel frees the rest

    def leave(self):
        os.write(self.tell, b".")       # closing is not enough: later children have this end, too
        os.close(self.tell)
        os.waitpid(self.pid, 0)


def srnic(*words):
    run = subprocess.run(["srnic", "-j", *words], capture_output=True, text=True, check=True)
    return json.loads(run.stdout or "[]")


def state(device, kind):
    return next(row for row in srnic("quota", "show", device) if row["quota"] == kind)


def accounts(device, kind):
    return {row["uid"]: row["used"] for row in srnic("quota", "users", device)
            if row["quota"] == kind}


class Check:
    """A statement, and whether it is true."""

    def __init__(self):
        self.failed = 0

    def __call__(self, holds, what):
        if not holds:
            self.failed += 1
        print(f"{'ok  ' if holds else 'FAIL'} {what}", flush=True)


def step_of(device, kind):
    """Return the units that one object takes: several, if they are pages."""
    asker = Asker(device)
    asker.device = device
    before = state(device, kind)["used"]
    made = KINDS[kind](asker)
    step = state(device, kind)["used"] - before
    made.close()
    return step


def user_takes(device, kind, uid, check, step):
    """Take all that one user gets, and check that it is at most what remains for others.
    The last object may exceed this: it was granted when that much more remained."""
    taker = Taker(device, kind, uid)
    now, has = state(device, kind), accounts(device, kind)
    left = now["limit"] - now["reserve"] - now["used"]
    check(taker.errno == errno.ENOMEM and 0 < has[uid] <= left + 1 < has[uid] + 2 * step,
          f"R31 {kind}: user {uid} gets {taker.taken}, has {has[uid]}, leaves {left}")
    check(set(has) <= {ALICE, BOB}, f"R31 {kind}: nobody else has any")
    return taker


def all_of_it(device, kind, check):
    """Take as Alice, Bob, Alice under another user ID, and root, in this order."""
    step = step_of(device, kind)
    takers = [user_takes(device, kind, uid, check, step) for uid in (ALICE, BOB)]
    again = Taker(device, kind, ALICE, within=True)
    want = errno.EPERM if kind in OF_FRAMES else errno.ENOMEM
    check(again.errno == want and again.taken == 0,
          f"R31 {kind}: user {ALICE} in a namespace of hers gets {again.taken} more: "
          f"{errno.errorcode[again.errno]}")
    root = Taker(device, kind, 0)
    now = state(device, kind)
    rest = now["limit"] - now["used"]
    check(root.errno == errno.ENOMEM and rest < step and root.taken * step > RESERVE - 2 * step,
          f"R18 {kind}: root gets the other {root.taken}")
    return [*takers, again, root]


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    device = sys.argv[1]
    check = Check()
    for kind in KINDS:
        before = state(device, kind)
        subprocess.run(["srnic", "quota", "set", device, kind, str(before["used"] + LIMIT),
                        "reserve", str(RESERVE)], check=True)
        takers = all_of_it(device, kind, check)
        for taker in takers:
            taker.leave()
        check(state(device, kind)["used"] == before["used"] and not srnic("quota", "users"),
              f"R18 {kind}: all is given back")
        subprocess.run(["srnic", "quota", "set", device, kind, str(before["limit"]),
                        "reserve", str(before["reserve"])], check=True)
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
