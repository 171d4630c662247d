#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""limits - exceed a device's limits and a user's rights: the errno of each error.

Each row of the tables below is a call and the error that it must return. Rows of `POOR` run
as a user without capabilities, who may lock 512 KiB of memory.

Example:
    in a tests/programs/limits.py srnic0
"""
import contextlib
import ctypes
import errno
import mmap
import os
import resource
import struct
import sys

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr

from endpoint import connection, errno_of, way_to_self

NOBODY = 65534
LOCKED = 512 << 10
MIB = 1 << 20
REMOTE = e.IBV_ACCESS_REMOTE_WRITE
LOCAL = e.IBV_ACCESS_LOCAL_WRITE
CREATE_QP, DESTROY_QP, ATTACH, DETACH = 24, 27, 30, 31      # IB_USER_VERBS_CMD_*
QP1 = 1                             # IB_QPT_GSI
PROT_READ, MAP_PRIVATE, MAP_ANONYMOUS = 1, 2, 0x20
GROUP_MOST = 64     # QPs of a group
GROUP_USER = 30     # of one user: half of what is not reserved


class Asker:
    """Objects that the calls need, and functions that create more."""

    def __init__(self, device):
        self.ctx = Context(name=device)
        self.pd = PD(self.ctx)
        self.cq = CQ(self.ctx, 16)
        self.way = way_to_self(self.ctx)

    def qp(self, kind=e.IBV_QPT_RC, **cap):
        cap = QPCap(**{"max_send_wr": 1, "max_recv_wr": 1, "max_send_sge": 1, "max_recv_sge": 1,
                       "max_inline_data": 0, **cap})
        return QP(self.pd, QPInitAttr(qp_type=kind, scq=self.cq, rcq=self.cq, cap=cap))

    def create_qp(self, kind):
        """Create a QP by system call (struct ib_uverbs_create_qp), because the provider
        would reject some types. Handles count from 0 in each file: the PD's and the CQ's
        are 0. Return the handle of the QP."""
        return self.command(CREATE_QP, struct.pack("=Q9I4B", 0, 0, 1, 1, 0, 1, 1, 1, 1, 0,
                                                   0, kind, 0, 0))[:4]

    def bare_qp(self, kind):
        self.command(DESTROY_QP, self.create_qp(kind) + bytes(4))

    def command(self, number, body):
        """Send a command; return its response. The response's address precedes the body."""
        answer = ctypes.create_string_buffer(256)
        words = (16 + len(body)) // 4
        os.write(self.ctx.cmd_fd, struct.pack("=IHHQ", number, words, len(answer) // 4,
                                              ctypes.addressof(answer)) + body)
        return answer.raw

    def srq(self, wr, sge=1):
        return SRQ(self.pd, SrqInitAttr(SrqAttr(max_wr=wr, max_sge=sge)))

    def too_low(self):
        """Resize an SRQ to less than its limit; this must fail and change nothing."""
        srq = self.srq(256)
        try:
            srq.modify(SrqAttr(max_wr=64, srq_limit=100), e.IBV_SRQ_MAX_WR | e.IBV_SRQ_LIMIT)
        finally:
            if srq.query().max_wr != 256:
                raise RuntimeError("it was refused, and has changed all the same")

    def rts(self, qp_num=0x1234, **numbers):
        """Connect a QP with one invalid number."""
        self.qp().to_rts(connection(self.way, qp_num, **numbers))

    def read_only_memory(self, access):
        """Register a page that the process may not write."""
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        at = libc.mmap(None, mmap.PAGESIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return MR(self.pd, mmap.PAGESIZE, access, address=at)

    def group(self, number, qp, group, lid=0):
        """Attach a QP to the group 239.78.0.x, or detach it; pyverbs 44 has neither."""
        gid = bytes(10) + b"\xff\xff\xef\x4e\0" + bytes([group])
        body = gid + qp + struct.pack("=HH", lid, 0)
        os.write(self.ctx.cmd_fd, struct.pack("=IHH", number, 2 + len(body) // 4, 0) + body)

    def join_by_two_lids(self):
        """uverbs counts a group once for each LID, and detaches as often when the process ends."""
        qp = self.create_qp(e.IBV_QPT_UD)
        for verb in ATTACH, DETACH:
            for lid in range(2):
                self.group(verb, qp, 1, lid)
        self.command(DESTROY_QP, qp + bytes(4))

    def crowd(self, number):
        """Attach that many QPs to a group of their own."""
        qps = [self.create_qp(e.IBV_QPT_UD) for _ in range(number)]
        try:
            for qp in qps:
                self.group(ATTACH, qp, number)
        finally:
            for qp in qps:
                self.leave(qp, number)

    def leave(self, qp, group):
        """Detach the QP if it is attached, and destroy it."""
        with contextlib.suppress(OSError):
            self.group(DETACH, qp, group)
        self.command(DESTROY_QP, qp + bytes(4))

    def qkey(self, qkey):
        attr = QPAttr(port_num=1)
        attr.qkey = qkey
        self.qp(e.IBV_QPT_UD).to_init(attr)


# Requirement, what is asked for, expected errno (0: success), the call
RICH = (
    ("R21", "a completion queue of 2^20 + 1", errno.EINVAL, lambda a: CQ(a.ctx, MIB + 1)),
    ("IBA", "the last completion vector", 0,
     lambda a: CQ(a.ctx, 16, comp_vector=a.ctx.num_comp_vectors - 1)),
    ("IBA", "a completion vector that there is not", errno.EINVAL,
     lambda a: CQ(a.ctx, 16, comp_vector=a.ctx.num_comp_vectors)),
    ("R18", "a send queue of 16385", errno.EINVAL, lambda a: a.qp(max_send_wr=16385)),
    ("R18", "a receive queue of 16385", errno.EINVAL, lambda a: a.qp(max_recv_wr=16385)),
    ("R18", "33 elements to a request", errno.EINVAL, lambda a: a.qp(max_send_sge=33)),
    ("R18", "513 bytes inline", errno.EINVAL, lambda a: a.qp(max_inline_data=513)),
    ("R18", "a shared receive queue of 65537", errno.EINVAL, lambda a: a.srq(65537)),
    ("IBA", "a limit beyond a shared receive queue's new size", errno.EINVAL,
     lambda a: a.too_low()),
    ("IBA", "a raw queue pair", 0, lambda a: a.qp(e.IBV_QPT_RAW_PACKET)),
    ("IBA", "a queue pair by system call", 0, lambda a: a.bare_qp(e.IBV_QPT_RC)),
    ("R28", "a driver's own queue pair by system call", errno.EOPNOTSUPP,
     lambda a: a.bare_qp(e.IBV_QPT_DRIVER)),
    ("R28", "QP1 by system call", errno.EINVAL, lambda a: a.bare_qp(QP1)),
    ("R30", "128 READs outstanding", 0, lambda a: a.rts(max_rd_atomic=128)),
    ("R30", "129 READs outstanding", errno.EINVAL, lambda a: a.rts(max_rd_atomic=129)),
    ("R30", "128 READs to be answered", 0, lambda a: a.rts(max_dest_rd_atomic=128)),
    ("R30", "129 READs to be answered", errno.EINVAL, lambda a: a.rts(max_dest_rd_atomic=129)),
    ("IBA", "a path MTU of no size", errno.EINVAL, lambda a: a.rts(path_mtu=6)),
    ("IBA", "a peer's number of 25 bits", errno.EINVAL, lambda a: a.rts(qp_num=1 << 24)),
    ("R32", "a region of nothing of one's own", errno.EFAULT,
     lambda a: MR(a.pd, mmap.PAGESIZE, LOCAL, address=mmap.PAGESIZE)),
    ("R32", "to write what may only be read", errno.EFAULT,
     lambda a: a.read_only_memory(LOCAL | REMOTE)),
    ("R32", "to read what may only be read", 0,
     lambda a: a.read_only_memory(e.IBV_ACCESS_REMOTE_READ)),
    ("R16", "for a peer to write what one may not", errno.EINVAL,
     lambda a: MR(a.pd, mmap.PAGESIZE, REMOTE)),
    ("R28", "a privileged Q_Key", 0, lambda a: a.qkey(0x80000001)),
    ("R31", "a group by two LIDs", 0, lambda a: a.join_by_two_lids()),
    ("R31", "as many members as a group may have", 0, lambda a: a.crowd(GROUP_MOST)),
    ("R31", "one member more", errno.ENOMEM, lambda a: a.crowd(GROUP_MOST + 1)),
)
POOR = (
    ("R32", "a region of 64 KiB", 0, lambda a: MR(a.pd, 64 << 10, LOCAL)),
    ("R32", "a region of more than may be locked", errno.ENOMEM, lambda a: MR(a.pd, MIB, LOCAL)),
    ("R32", "a ring of more than may be locked", errno.ENOMEM, lambda a: CQ(a.ctx, 65536)),
    ("R28", "a raw queue pair", errno.EPERM, lambda a: a.qp(e.IBV_QPT_RAW_PACKET)),
    ("R28", "an ordinary Q_Key", 0, lambda a: a.qkey(0x11111111)),
    ("R28", "a privileged Q_Key", errno.EPERM, lambda a: a.qkey(0x80000001)),
    ("R31", "half of the places of a group", 0, lambda a: a.crowd(GROUP_USER)),
    ("R31", "more than half of them", errno.ENOMEM, lambda a: a.crowd(GROUP_USER + 1)),
)


def ask(asker, rows):
    """Return the number of rows with a wrong result."""
    wrong = 0
    for row, what, expected, call in rows:
        try:
            call(asker)
            got = 0
        except (PyverbsError, OSError) as error:
            got = errno_of(error)
        except RuntimeError as error:
            got = error
        word = errno.errorcode.get(expected, "granted")
        said = errno.errorcode.get(got, "granted" if got == 0 else str(got))
        print(f"{'ok  ' if got == expected else 'FAIL'} {row}: {what}: {said}"
              f"{'' if got == expected else f', not {word}'}", flush=True)
        wrong += got != expected
    return wrong


def poor(device):
    """Run in a process of its own, because it gives up its privileges for good."""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (LOCKED, LOCKED))
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    status = ask(Asker(device), POOR)
    sys.stdout.flush()
    os._exit(min(status, 100))


def ends_attached(device):
    """End a process whose QP is attached to a group by two LIDs."""
    pid = os.fork()
    if pid == 0:
        asker = Asker(device)
        qp = asker.create_qp(e.IBV_QPT_UD)
        for lid in range(2):
            asker.group(ATTACH, qp, 1, lid)
        os._exit(0)     # detaches nothing: the kernel does
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    wrong = poor(sys.argv[1])
    wrong += ends_attached(sys.argv[1])
    wrong += ask(Asker(sys.argv[1]), RICH)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
