#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""device_memory - access device memory over the wire, to the byte, and try what must fail.

An owner registers a part of its device memory. A peer executes all operations on it, and
tries the bytes at both ends of the part, rights that were not granted, and the key after the
region has gone. A process then takes more than a device has, and looks for contents of
memory that others have given back.

usage: device_memory.py DEVICE

Example:
    in a tests/programs/device_memory.py srnic0
"""
import errno
import fcntl
import struct
import subprocess
import sys

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import AllocDmAttr, Context, DM
from pyverbs.mr import DMMR, MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPCap, QPInitAttr
from pyverbs.wr import RecvWR, SGE, SendWR

from endpoint import completion, connect, errno_of, way_to_self

ZERO = e.IBV_ACCESS_ZERO_BASED
LOCAL = e.IBV_ACCESS_LOCAL_WRITE
READ, WRITE, ATOMIC = (e.IBV_ACCESS_REMOTE_READ, e.IBV_ACCESS_REMOTE_WRITE,
                       e.IBV_ACCESS_REMOTE_ATOMIC)
ALL = ZERO | LOCAL | READ | WRITE | ATOMIC
OBJECT_DM, METHOD_DM_FREE, RDMA_VERBS_IOCTL, DRIVER_ID = 14, 1, 0xc0181b01, 0x73726e63
PERSISTENT = 1 << 9         # IBV_ACCESS_FLUSH_PERSISTENT
MEMORY, FIRST, LENGTH = 20000, 8184, 8200       # the region: pages 1 to 3 of 5, not from their starts
DONE, NO_ACCESS, NOT_OURS = (e.IBV_WC_SUCCESS, e.IBV_WC_REM_ACCESS_ERR, e.IBV_WC_LOC_PROT_ERR)


class Check:
    """A statement, and whether it is true."""

    def __init__(self):
        self.failed = 0

    def __call__(self, holds, what):
        if not holds:
            self.failed += 1
        print(f"{'ok  ' if holds else 'FAIL'} {what}", flush=True)


class Bed:
    """A device, its memory, and a region of the peer's own."""

    def __init__(self, device):
        self.device = device
        self.ctx = Context(name=device)
        self.pd = PD(self.ctx)
        self.way = way_to_self(self.ctx)
        self.dm = DM(self.ctx, AllocDmAttr(length=MEMORY))
        self.fill(self.dm)
        self.own = MR(self.pd, 2 * MEMORY, LOCAL | READ | WRITE)

    @staticmethod
    def fill(dm):
        dm.copy_to_dm(0, bytes(MEMORY), MEMORY)

    def whole(self):
        return self.dm.copy_from_dm(0, MEMORY)


class Pair:
    """Two connected queue pairs: one of the peer, one of the owner. An error ends them."""

    def __init__(self, bed):
        self.bed = bed
        self.cq, self.owners_cq = CQ(bed.ctx, 16), CQ(bed.ctx, 16)
        self.peer, self.owner = self.qp(self.cq), self.qp(self.owners_cq)
        connect(bed.way, self.peer, self.owner, qp_access_flags=READ | WRITE | ATOMIC)

    def qp(self, cq):
        cap = QPCap(max_send_wr=4, max_recv_wr=4, max_send_sge=1, max_recv_sge=1)
        return QP(self.bed.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap))

    def ask(self, opcode, key, addr, length, local=None):
        """Execute a READ, WRITE or atomic of the peer; return its status."""
        sge = SGE(*local) if local else SGE(self.bed.own.buf, length, self.bed.own.lkey)
        wr = SendWR(opcode=opcode, num_sge=1, sg=[sge], send_flags=e.IBV_SEND_SIGNALED)
        if opcode in (e.IBV_WR_ATOMIC_FETCH_AND_ADD, e.IBV_WR_ATOMIC_CMP_AND_SWP):
            wr.set_wr_atomic(key, addr, 0x1122, 0)
        else:
            wr.set_wr_rdma(key, addr)
        self.peer.post_send(wr)
        return completion(self.cq)

    def send(self, to):
        """Send 100 bytes of the peer into (address, length, key) of the owner."""
        self.owner.post_recv(RecvWR(num_sge=1, sg=[SGE(*to)]))
        sge = SGE(self.bed.own.buf, 100, self.bed.own.lkey)
        self.peer.post_send(SendWR(num_sge=1, sg=[sge], send_flags=e.IBV_SEND_SIGNALED))
        return completion(self.owners_cq)


def placed(at, data):
    """Return the memory as it must be with these bytes of the region, and zeros elsewhere."""
    whole = bytearray(MEMORY)
    whole[FIRST + at:FIRST + at + len(data)] = data
    return bytes(whole)


def operations(bed, check):
    """Each operation changes the bytes that it names, at either end of the region, and no other."""
    mr = DMMR(bed.pd, LENGTH, ALL, bed.dm, FIRST)
    pair = Pair(bed)
    data = bytes(range(1, 256)) * 33
    for at, length in (0, LENGTH), (0, 1), (LENGTH - 1, 1), (3, 5000), (LENGTH - 4100, 4100):
        bed.fill(bed.dm)
        bed.own.write(data[:length], length)
        done = pair.ask(e.IBV_WR_RDMA_WRITE, mr.rkey, at, length)
        check(done == DONE and bed.whole() == placed(at, data[:length]),
              f"WRITE of {length} bytes at {at}")
        bed.own.write(bytes(length), length)
        done = pair.ask(e.IBV_WR_RDMA_READ, mr.rkey, at, length)
        check(done == DONE and bed.own.read(length, 0) == data[:length],
              f"READ of {length} bytes at {at}")
    bed.fill(bed.dm)
    done = pair.ask(e.IBV_WR_ATOMIC_FETCH_AND_ADD, mr.rkey, LENGTH - 8, 8)
    check(done == DONE and bed.whole() == placed(LENGTH - 8, (0x1122).to_bytes(8, sys.byteorder)),
          "fetch and add on the last word")
    bed.fill(bed.dm)
    bed.own.write(data[:100], 100)
    done = pair.send((LENGTH - 100, 100, mr.lkey))
    check(done == DONE and bed.whole() == placed(LENGTH - 100, data[:100]), "SEND into it")
    done = pair.ask(e.IBV_WR_RDMA_WRITE, bed.own.rkey, bed.own.buf + 200, 100,
                    (LENGTH - 100, 100, mr.lkey))
    check(done == DONE and bed.own.read(100, 200) == data[:100], "WRITE from it")


def refused(bed, check, what, rights, ask, expected=NO_ACCESS):
    """Try one request on a new connection. The memory must not change."""
    mr = DMMR(bed.pd, LENGTH, rights, bed.dm, FIRST)
    before = bed.whole()
    bed.own.write(b"intruder" * 10, 80)
    done = ask(Pair(bed), mr)
    check(done == expected and bed.whole() == before, f"{what}: {done}")
    mr.close()


def refusals(bed, check):
    write, read, add = (e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_READ, e.IBV_WR_ATOMIC_FETCH_AND_ADD)
    bed.fill(bed.dm)
    for opcode, size in (write, 2), (read, 2):
        refused(bed, check, f"R10 opcode {opcode}, one byte behind the region", ALL,
                lambda pair, mr, o=opcode, n=size: pair.ask(o, mr.rkey, LENGTH - 1, n))
        refused(bed, check, f"R10 opcode {opcode}, one byte before it", ALL,
                lambda pair, mr, o=opcode, n=size: pair.ask(o, mr.rkey, 2 ** 64 - 1, n))
    refused(bed, check, "R10 a word behind it", ALL,
            lambda pair, mr: pair.ask(add, mr.rkey, LENGTH, 8))
    refused(bed, check, "R10 local bytes behind it", ALL,
            lambda pair, mr: pair.ask(write, bed.own.rkey, bed.own.buf, 2,
                                      (LENGTH - 1, 2, mr.lkey)), NOT_OURS)
    for opcode, rights in (write, READ | ATOMIC), (read, WRITE | ATOMIC), (add, READ | WRITE):
        refused(bed, check, f"R16 opcode {opcode} without its right", ZERO | LOCAL | rights,
                lambda pair, mr, o=opcode: pair.ask(o, mr.rkey, 0, 8))
    mr = DMMR(bed.pd, LENGTH, ALL, bed.dm, FIRST)
    key = mr.rkey
    mr.close()
    check(Pair(bed).ask(write, key, 0, 8) == NO_ACCESS, "R12 a key after its region has gone")


def errno_to(make, *args):
    """Return the errno with which something is refused, or 0."""
    try:
        made = make(*args)
    except PyverbsError as error:
        return errno_of(error)
    made.close()
    return 0


def errno_to_free(bed):
    """Free the memory by uverbs' method: pyverbs would deregister its regions first."""
    header = struct.pack("=HHHHQII", 40, OBJECT_DM, METHOD_DM_FREE, 1, 0, DRIVER_ID, 0)
    handle = struct.pack("=HHHHQ", 0, 0, 1, 0, bed.dm.handle)
    try:
        fcntl.ioctl(bed.ctx.cmd_fd, RDMA_VERBS_IOCTL, header + handle)
    except OSError as error:
        return error.errno
    return 0


def registration(bed, check):
    length = MEMORY - FIRST
    for what, args in {
            "more than there is": (bed.pd, length + 1, ALL, bed.dm, FIRST),
            "an offset behind it": (bed.pd, 0, ALL, bed.dm, MEMORY + 1),
            "words that are not aligned": (bed.pd, 64, ALL, bed.dm, 4),
            "bytes that last": (bed.pd, 64, ALL | PERSISTENT, bed.dm, 0),
            "addresses that do not begin at 0": (bed.pd, 64, ALL & ~ZERO, bed.dm, 0),
    }.items():
        check(errno_to(DMMR, *args) == errno.EINVAL, f"R15 a region of {what} is refused")
    check(not errno_to(DMMR, bed.pd, length, ALL, bed.dm, FIRST), "R15 to the last byte it is not")
    mr = DMMR(bed.pd, 0, ALL, bed.dm, MEMORY)
    check(Pair(bed).ask(e.IBV_WR_RDMA_READ, mr.rkey, 0, 1) == NO_ACCESS,
          "R10 a region of no bytes has none")
    check(errno_to_free(bed) == errno.EBUSY, "memory with a region is not freed")


def exhausted(bed, check):
    """All that a device has is granted once, and comes without the former owner's bytes."""
    most = bed.ctx.query_device_ex().max_dm_size
    check(errno_to(DM, bed.ctx, AllocDmAttr(length=most + 4)) == errno.ENOMEM,
          f"R18 more than {most} bytes are refused")
    check(errno_to(DM, bed.ctx, AllocDmAttr(length=0)) == errno.EINVAL, "none are, too")
    check(errno_to(DM, bed.ctx, AllocDmAttr(length=4, log_align_req=40)) == errno.EINVAL,
          "an alignment that cannot be is refused")
    rest = most - (MEMORY + 4095) // 4096 * 4096
    dm = DM(bed.ctx, AllocDmAttr(length=rest))
    dm.copy_to_dm(0, b"\xa5" * rest, rest)
    check(errno_to(DM, bed.ctx, AllocDmAttr(length=4)) == errno.ENOMEM, "R18 all are granted once")
    dm.close()
    dm = DM(bed.ctx, AllocDmAttr(length=rest))
    check(not any(dm.copy_from_dm(0, rest)), "R13 given back and granted again, they are zero")
    dm.close()


def limit_pages(bed, limit):
    subprocess.run(["srnic", "quota", "set", bed.device, "pinned_pages", str(limit)], check=True)


def charged(bed, check):
    """A region has a translation, which is memory of the kernel."""
    limit_pages(bed, 0)
    check(errno_to(DMMR, bed.pd, 64, ALL, bed.dm, 0) == errno.ENOMEM,
          "R18 pages in a region count as pinned ones do")
    limit_pages(bed, 1000)
    check(not errno_to(DMMR, bed.pd, 64, ALL, bed.dm, 0), "with a quota there is one")


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    check = Check()
    bed = Bed(sys.argv[1])
    for part in operations, refusals, registration, exhausted, charged:
        part(bed, check)
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
