#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""limits - exceed a device's limits and a user's rights: the errno of each error.

Each row of the tables below is a call and the error that it must return. Rows of `POOR` run
as a user without capabilities, who may lock 256 KiB of memory.

Example:
    in a tests/programs/limits.py srnic0
"""
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
LOCKED = 256 << 10
MIB = 1 << 20
REMOTE = e.IBV_ACCESS_REMOTE_WRITE
LOCAL = e.IBV_ACCESS_LOCAL_WRITE
CREATE_QP, DESTROY_QP = 24, 27      # IB_USER_VERBS_CMD_*
QP1 = 1                             # IB_QPT_GSI
PROT_READ, MAP_PRIVATE, MAP_ANONYMOUS = 1, 2, 0x20


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

    def bare_qp(self, kind):
        """Create a QP by system call (struct ib_uverbs_create_qp), because the provider
        would reject some types. Handles count from 0 in each file: the PD's and the CQ's
        are 0."""
        answer = self.command(CREATE_QP, struct.pack("=Q9I4B", 0, 0, 1, 1, 0, 1, 1, 1, 1, 0,
                                                     0, kind, 0, 0))
        self.command(DESTROY_QP, answer[:4] + bytes(4))     # handle of the new QP

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

    def qkey(self, qkey):
        attr = QPAttr(port_num=1)
        attr.qkey = qkey
        self.qp(e.IBV_QPT_UD).to_init(attr)


# Requirement, what is asked for, expected errno (0: success), the call
RICH = (
    ("R21", "a completion queue of 2^20 + 1", errno.EINVAL, lambda a: CQ(a.ctx, MIB + 1)),
    ("R18", "a send queue of 16385", errno.EINVAL, lambda a: a.qp(max_send_wr=16385)),
    ("R18", "a receive queue of 16385", errno.EINVAL, lambda a: a.qp(max_recv_wr=16385)),
    ("R18", "33 elements to a request", errno.EINVAL, lambda a: a.qp(max_send_sge=33)),
    ("R18", "513 bytes inline", errno.EINVAL, lambda a: a.qp(max_inline_data=513)),
    ("R18", "a shared receive queue of 65537", errno.EINVAL, lambda a: a.srq(65537)),
    ("IBA", "a limit beyond a shared receive queue's new size", errno.EINVAL,
     lambda a: a.too_low()),
    ("IBA", "a raw queue pair", errno.EOPNOTSUPP, lambda a: a.qp(e.IBV_QPT_RAW_PACKET)),
    ("IBA", "a queue pair by system call", 0, lambda a: a.bare_qp(e.IBV_QPT_RC)),
    ("R28", "a raw queue pair by system call", errno.EOPNOTSUPP,
     lambda a: a.bare_qp(e.IBV_QPT_RAW_PACKET)),
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
)
POOR = (
    ("R32", "a region of 64 KiB", 0, lambda a: MR(a.pd, 64 << 10, LOCAL)),
    ("R32", "a region of more than may be locked", errno.ENOMEM, lambda a: MR(a.pd, MIB, LOCAL)),
    ("R32", "a ring of more than may be locked", errno.ENOMEM, lambda a: CQ(a.ctx, 65536)),
    ("R28", "an ordinary Q_Key", 0, lambda a: a.qkey(0x11111111)),
    ("R28", "a privileged Q_Key", errno.EPERM, lambda a: a.qkey(0x80000001)),
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


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    wrong = poor(sys.argv[1])
    wrong += ask(Asker(sys.argv[1]), RICH)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
