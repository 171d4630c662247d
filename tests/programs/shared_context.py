#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""shared_context - use a context, a domain and a region that another process has made.

An owner gives a guest, a process of another user, the file of its context. The guest imports
the owner's domain and region, and reads and writes the region by queue pairs of its own. All
of it is the owner's: the guest's objects count for the owner, nothing ends while one of the two
has the file, and all ends with the last of them. Handles name nothing in a context that
the guest opens by itself.

Example:
    in a tests/programs/shared_context.py srnic0
"""
import json
import os
import resource
import signal
import socket
import subprocess
import sys

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

from endpoint import completion, connect, errno_of, way_to_self

OWNER, GUEST = 65533, 65534
SIZE = 3 * 4096
PINNED = 16 * 4096          # the guest may pin so much, by RLIMIT_MEMLOCK
RIGHTS = (e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_WRITE)
FILLED, CHANGED = b"of the owner", b"by the guest"


def srnic(*words):
    run = subprocess.run(["srnic", "-j", *words], capture_output=True, text=True, check=True)
    return json.loads(run.stdout or "[]")


def accounts(device, uid):
    """Return what a user is charged for, by quota; without what it is not charged for."""
    return {row["quota"]: row["used"] for row in srnic("quota", "users", device)
            if row["uid"] == uid and row["used"]}


class Loop:
    """Two queue pairs of a domain that are connected with each other."""

    def __init__(self, ctx, pd):
        self.cq = CQ(ctx, 16)
        cap = QPCap(max_send_wr=4, max_recv_wr=1, max_send_sge=1, max_recv_sge=1)
        init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=cap)
        self.near, self.far = QP(pd, init), QP(pd, init)
        connect(way_to_self(ctx), self.near, self.far, qp_access_flags=RIGHTS)

    def ask(self, opcode, local, remote):
        """Execute a READ or WRITE of (address, length, key), from or to (address, key)."""
        wr = SendWR(opcode=opcode, num_sge=1, sg=[SGE(*local)], send_flags=e.IBV_SEND_SIGNALED)
        wr.set_wr_rdma(remote[1], remote[0])
        self.near.post_send(wr)
        return completion(self.cq)


class Process:
    """A child of some user that executes one step whenever it is told to, and says how."""

    def __init__(self, role, device, uid, channel):
        self.here, there = socket.socketpair()
        self.pid = os.fork()
        if self.pid:
            there.close()
            return
        self.here.close()
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
        steps = role(device, channel)
        while there.recv(1):
            try:
                said = next(steps)
            except (PyverbsError, OSError, AssertionError) as error:
                said = f"FAIL {type(error).__name__} {error}"
            there.send(str(said).encode())
        os._exit(0)         # the kernel frees the rest

    def step(self):
        self.here.send(b".")
        return self.here.recv(4096).decode()

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def leave(self):
        self.here.close()
        os.waitpid(self.pid, 0)


def owner(device, channel):
    """Make a context, a domain and a region; give them away; look at the region at last."""
    ctx = Context(name=device)
    pd = PD(ctx)
    mr = MR(pd, SIZE, RIGHTS)
    mr.write(FILLED, len(FILLED))
    told = {"pd": pd.handle, "mr": mr.handle, "addr": mr.buf, "keys": [mr.lkey, mr.rkey]}
    socket.send_fds(channel, [json.dumps(told).encode()], [ctx.cmd_fd])
    yield "made"
    assert mr.read(len(CHANGED), 4096) == CHANGED
    loop = Loop(ctx, pd)
    copy = MR(pd, SIZE, RIGHTS)
    done = loop.ask(e.IBV_WR_RDMA_READ, (copy.buf, SIZE, copy.lkey), (mr.buf, mr.rkey))
    assert done == e.IBV_WC_SUCCESS and copy.read(SIZE, 0) == mr.read(SIZE, 0)
    yield "sees it"


def errno_to(make, *args, **kwargs):
    """Return the errno with which something is refused, or 0."""
    try:
        make(*args, **kwargs)
    except PyverbsError as error:
        return errno_of(error)
    return 0


def guest(device, channel):
    """Import what was given, use it, and try what must not be possible."""
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (PINNED, PINNED))
    own = Context(name=device)
    told, (file,), *_ = socket.recv_fds(channel, 4096, 1)
    told = json.loads(told)
    assert errno_to(PD, own, handle=told["pd"])
    assert errno_to(MR, PD(own), handle=told["mr"])
    own.close()
    yield "can name nothing in a context of its own"

    ctx = Context(cmd_fd=file)
    assert errno_to(PD, ctx, handle=told["pd"] + 1000)
    pd = PD(ctx, handle=told["pd"])
    assert errno_to(MR, pd, handle=told["mr"] + 1000)
    mr = MR(pd, handle=told["mr"], address=told["addr"])
    assert [mr.lkey, mr.rkey] == told["keys"]
    loop = Loop(ctx, pd)
    mine = MR(pd, SIZE, RIGHTS)
    mine.write(CHANGED, len(CHANGED))
    yield "imports domain and region"

    done = loop.ask(e.IBV_WR_RDMA_WRITE, (mine.buf, len(CHANGED), mine.lkey),
                    (told["addr"] + 4096, mr.rkey))
    assert done == e.IBV_WC_SUCCESS, done
    # the owner's bytes by the owner's local key: they are in no memory of this process
    done = loop.ask(e.IBV_WR_RDMA_WRITE, (told["addr"], len(FILLED), mr.lkey),
                    (mine.buf + 100, mine.rkey))
    assert done == e.IBV_WC_SUCCESS and mine.read(len(FILLED), 100) == FILLED, done
    yield "reads and writes the region"

    assert errno_to(MR, pd, 2 * PINNED, RIGHTS)
    yield "pins no more than its own RLIMIT_MEMLOCK"

    more = []
    while not errno_to(lambda: more.append(MR(pd, 4096, RIGHTS))):
        pass
    yield len(more)

    done = loop.ask(e.IBV_WR_RDMA_READ, (mine.buf, SIZE, mine.lkey), (told["addr"], mr.rkey))
    assert done == e.IBV_WC_SUCCESS and mine.read(len(FILLED), 0) == FILLED, done
    yield "reads it still"


def dropper(device, _):
    """Open a device as root, and use it as another user."""
    ctx = Context(name=device)
    pd = PD(ctx)
    mr = MR(pd, SIZE, RIGHTS)
    loop = Loop(ctx, pd)
    os.setuid(GUEST)
    done = loop.ask(e.IBV_WR_RDMA_READ, (mr.buf, 100, mr.lkey), (mr.buf + 4096, mr.rkey))
    assert done == e.IBV_WC_SUCCESS, done
    yield "posts after it has changed its user"


class Check:
    """A statement, and whether it is true."""

    def __init__(self):
        self.failed = 0

    def __call__(self, holds, what):
        if not holds:
            self.failed += 1
        print(f"{'ok  ' if holds else 'FAIL'} {what}", flush=True)


def begin(device, check):
    """Make an owner and a guest that has imported its objects."""
    ours, theirs = socket.socketpair()
    processes = Process(owner, device, OWNER, ours), Process(guest, device, GUEST, theirs)
    ours.close()
    theirs.close()
    first, second = processes
    for process in (first, second, second):
        said = process.step()
        check("FAIL" not in said, f"R29 {'owner' if process is first else 'guest'} {said}")
    return processes


def guest_dies(device, check):
    first, second = begin(device, check)
    for _ in range(2):
        said = second.step()
        check("FAIL" not in said, f"R32 guest {said}")
    has = accounts(device, OWNER)
    check(has["qp"] == 2 and has["mr"] == 2 and has["cq"] == 1,
          f"R31 what the guest made is the owner's: {has}")
    check(not accounts(device, GUEST), "R31 and not the guest's")
    second.kill()
    check(accounts(device, OWNER) == has, "its objects stay when the guest dies")
    said = first.step()
    check("FAIL" not in said, f"the owner {said}")
    first.leave()
    check(not srnic("quota", "users", device), "R18 all is given back when the owner leaves")


def guest_is_greedy(device, check):
    """The guest takes regions until it is refused: at the limit of the owner's share."""
    before = next(row for row in srnic("quota", "show", device) if row["quota"] == "mr")
    limit = before["used"] + 20
    subprocess.run(["srnic", "quota", "set", device, "mr", str(limit), "reserve", "0"], check=True)
    first, second = begin(device, check)
    for _ in range(2):
        second.step()
    taken = second.step()
    has = accounts(device, OWNER)["mr"]
    check(has == 10, f"R31 owner and guest have one share of 20 together: {has} (guest: {taken})")
    first.kill()
    said = second.step()
    check("FAIL" not in said, f"the owner dies, and the guest {said}")
    second.leave()
    check(not srnic("quota", "users", device), "R18 all is given back when the guest leaves")
    subprocess.run(["srnic", "quota", "set", device, "mr", str(before["limit"]),
                    "reserve", str(before["reserve"])], check=True)


def privileges_are_dropped(device, check):
    process = Process(dropper, device, 0, None)
    said = process.step()
    check("FAIL" not in said, f"a process {said}")
    process.leave()


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    check = Check()
    guest_dies(sys.argv[1], check)
    guest_is_greedy(sys.argv[1], check)
    privileges_are_dropped(sys.argv[1], check)
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
