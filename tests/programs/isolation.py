#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""isolation - try to access objects of another owner, over the wire and by system call.

Each row is an attempt: of a peer with a key, a range or a right that it was not given, or of
a process with another's object. It must fail as the row says, and leave the owner's memory
unchanged. Rows that must succeed show that the attempts beside them fail for the right
reason.

Example:
    in a tests/programs/isolation.py srnic0
"""
import ctypes
import errno
import mmap
import os
import sys
import time

import pyverbs.enums as e
from pyverbs.addr import AH
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBindInfo
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.srq import SRQ, SrqAttr, SrqInitAttr
from pyverbs.wr import RecvWR, SGE, SendWR
import srnic

from endpoint import completion, connect, connection, errno_of, way_to_self

LOCAL = e.IBV_ACCESS_LOCAL_WRITE
BIND = e.IBV_ACCESS_MW_BIND
MTU = 1024
ROOM = 4096         # bytes of a region, with checked memory on both sides
AROUND = 4096
# Bytes of a region and of the memory around it, at first. Each row needs them: compute them once
PATTERN = bytes(7 + i * 13 & 0xff for i in range(AROUND + ROOM + AROUND))
QKEY, PRIVILEGED = 0x11111111, 0x91111111
DONE, NO_ACCESS, NO_SUCH_REQUEST, NOT_OURS, NO_LOCAL_ACCESS = (
    e.IBV_WC_SUCCESS, e.IBV_WC_REM_ACCESS_ERR, e.IBV_WC_REM_INV_REQ_ERR, e.IBV_WC_LOC_QP_OP_ERR,
    e.IBV_WC_LOC_PROT_ERR)
STATUS = {DONE: "done", NO_ACCESS: "remote access error", NO_SUCH_REQUEST: "invalid request",
          NOT_OURS: "local QP operation error", NO_LOCAL_ACCESS: "local protection error",
          None: "nothing", 0x100: "refused"}
REFUSED = 0x100     # immediate error with an expected errno

# Requests of a peer, and the right that each needs
ASKS = {
    "WRITE": (e.IBV_WR_RDMA_WRITE, e.IBV_ACCESS_REMOTE_WRITE),
    "READ": (e.IBV_WR_RDMA_READ, e.IBV_ACCESS_REMOTE_READ),
    "compare and swap": (e.IBV_WR_ATOMIC_CMP_AND_SWP, e.IBV_ACCESS_REMOTE_ATOMIC),
    "fetch and add": (e.IBV_WR_ATOMIC_FETCH_AND_ADD, e.IBV_ACCESS_REMOTE_ATOMIC),
    "ATOMIC WRITE": (15, e.IBV_ACCESS_REMOTE_WRITE),
}
ALL = e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_ATOMIC


class Bed:
    """A device with two domains of its owner: one for the peer, one for the attacked
    objects."""

    def __init__(self, device):
        self.device = device
        self.ctx = Context(name=device)
        self.peers = PD(self.ctx)
        self.owners = PD(self.ctx)
        self.others = PD(self.ctx)
        self.way = way_to_self(self.ctx)

    def qp(self, pd, cq, kind=e.IBV_QPT_RC, srq=None):
        cap = QPCap(max_send_wr=64, max_recv_wr=64, max_send_sge=1, max_recv_sge=1)
        return QP(pd, QPInitAttr(qp_type=kind, scq=cq, rcq=cq, cap=cap, srq=srq))


class Pair:
    """Two QPs connected with each other: the peer's sends requests, the owner's receives them.

    For regions bound to the owner's QP, srnic's own calls need the QP's handle.
    """

    def __init__(self, bed, rights=ALL, cq_size=64, binds=False):
        self.bed = bed
        self.cq = CQ(bed.ctx, cq_size)
        self.owners_cq = CQ(bed.ctx, 64)
        self.peer = bed.qp(bed.peers, self.cq)
        self.made = srnic.made(bed.ctx, self.owners_qp) if binds else None
        self.owner = self.made.of if binds else self.owners_qp()
        self.own = MR(bed.peers, 2 * ROOM, LOCAL)
        self.inbox = MR(bed.owners, ROOM, LOCAL)
        self.connect(self.peer, self.owner, 0)
        self.connect(self.owner, self.peer, rights)

    def owners_qp(self):
        return self.bed.qp(self.bed.owners, self.owners_cq)

    def connect(self, qp, to, rights):
        qp.to_rts(connection(self.bed.way, to.qp_num, qp_access_flags=rights))

    def post(self, *args):
        self.peer.post_send(self.request(*args))

    def post_at_once(self, number, *args):
        """Post requests together, so that one acknowledgment may cover them all."""
        requests = [self.request(*args)]        # keep all: a request holds no reference to the next
        while len(requests) < number:
            requests.append(self.request(*args, next_wr=requests[-1]))
        self.peer.post_send(requests[-1])

    def request(self, ask, key, addr, length=8, flags=e.IBV_SEND_SIGNALED, next_wr=None):
        opcode = ASKS[ask][0]
        atomic = ASKS[ask][1] == e.IBV_ACCESS_REMOTE_ATOMIC
        sge = SGE(self.own.buf, 8 if atomic else length, self.own.lkey)
        wr = SendWR(opcode=opcode, num_sge=1, sg=[sge], send_flags=flags, next_wr=next_wr)
        if atomic:
            wr.set_wr_atomic(key, addr, 0, 1)
        else:
            wr.set_wr_rdma(key, addr)
        return wr

    def ask(self, *args):
        self.post(*args)
        return completion(self.cq)

    def invalidate(self, key):
        """Send a SEND with invalidate; return its status."""
        self.owner.post_recv(RecvWR(num_sge=1, sg=[SGE(self.inbox.buf, 8, self.inbox.lkey)]))
        wr = SendWR(opcode=e.IBV_WR_SEND_WITH_INV, num_sge=0)
        wr.imm_data = key
        self.peer.post_send(wr)
        return completion(self.cq)

    def bind(self, region, addr, length, rights):
        """Bind a type 2 window by the owner's QP; return the window and its key."""
        window = MW(self.bed.owners, e.IBV_MW_TYPE_2)
        wr = SendWR(opcode=e.IBV_WR_BIND_MW)
        wr.set_bind_wr(window, MWBindInfo(region.mr, addr, length, rights))
        self.owner.post_send(wr)
        if completion(self.owners_cq) != DONE:
            raise RuntimeError("a window cannot be bound")
        return window, wr.rkey


class Region:
    """Memory of the owner with distinct bytes, of which a part is registered."""

    def __init__(self, bed, rights=ALL, pd=None):
        self.whole = MR(pd or bed.owners, AROUND + ROOM + AROUND, LOCAL)
        self.addr = self.whole.buf + AROUND
        self.mr = MR(pd or bed.owners, ROOM, LOCAL | BIND | rights, address=self.addr)
        self.whole.write(PATTERN, len(PATTERN))

    @property
    def key(self):
        return self.mr.rkey

    def untouched(self):
        return self.whole.read(len(PATTERN), 0) == PATTERN


def attempts():
    """Yield (row, what, expected, function); the function takes a bed, returns status and
    region or None."""
    for ask, (_, right) in ASKS.items():
        yield "R16", f"{ask} with all that it takes", DONE, granted(ask)
        yield "R7", f"{ask} with a key of another domain", NO_ACCESS, foreign_domain(ask)
        yield "R9", f"{ask} with another variant of the key", NO_ACCESS, other_variant(ask)
        yield "R12", f"{ask} with a key that was taken back", NO_ACCESS, taken_back(ask)
        yield "R16", f"{ask} where the region does not grant it", NO_ACCESS, \
            without_right(ask, ALL & ~right)
        yield "R16", f"{ask} where the QP does not grant it", NO_SUCH_REQUEST, \
            without_qp_right(ask, ALL & ~right)
        yield "R10", f"{ask} of the last 8 bytes", DONE, at(ask, ROOM - 8)
        yield "R10", f"{ask} of the 8 bytes behind", NO_ACCESS, at(ask, ROOM)
        yield "R10", f"{ask} of the 8 bytes before", NO_ACCESS, at(ask, -8)
        yield "R10", f"{ask} at the end of all addresses", NO_ACCESS, at_the_end(ask)
        yield "R8", f"{ask} by a window, on its stream", DONE, by_window(ask, same=True)
        yield "R8", f"{ask} by a window of another stream", NO_ACCESS, by_window(ask, same=False)
        yield "R8", f"{ask} of one's own stream's region", DONE, of_one_stream(ask, same=True)
        yield "R8", f"{ask} of another stream's region", NO_ACCESS, of_one_stream(ask, same=False)
    for ask in ("WRITE", "READ"):
        yield "R10", f"{ask} that ends one byte behind", NO_ACCESS, at(ask, ROOM - 7)
        yield "R10", f"{ask} that begins one byte before", NO_ACCESS, at(ask, -1)
        yield "R10", f"{ask} of one byte more than there is", NO_ACCESS, at(ask, 0, ROOM + 1)
        yield "R10", f"{ask} of four packets, the last of them one byte too long", NO_ACCESS, \
            at(ask, ROOM - 4 * MTU + 1, 4 * MTU)
    yield "R10", "ATOMIC WRITE where no word begins", NO_SUCH_REQUEST, at("ATOMIC WRITE", 4)
    yield "R10", "atomics where no word begins, by re-registration", REFUSED, odd_atomics
    yield "R8", "another domain for a region of one stream", REFUSED, moved
    yield "R8", "a stream that begins anew and has its former region", NO_ACCESS, begun_anew
    yield "R13", "READ of what nobody has written to", DONE, fresh_memory
    yield "R26", "to invalidate what a process has registered", NO_ACCESS, invalidate_region
    yield "R26", "to invalidate a window of another stream", NO_ACCESS, invalidate_window(False)
    yield "R26", "to invalidate a window of one's own stream", DONE, invalidate_window(True)
    yield "R2", "a datagram by an address handle of one's own", DONE, datagram(foreign=False)
    yield "R2", "a datagram by an address handle of another domain", NOT_OURS, \
        datagram(foreign=True)
    yield "R2", "a datagram with the Q_Key of who is to have it", DONE, by_qkey(QKEY, QKEY)
    yield "R2", "a datagram with another Q_Key", None, by_qkey(QKEY ^ 1, QKEY)
    yield "R28", "a datagram with a privileged Q_Key", None, by_qkey(PRIVILEGED, PRIVILEGED)
    yield "R28", "such a Q_Key means the queue's own", DONE, by_qkey(PRIVILEGED, QKEY)
    for kind, name in ((e.IBV_QPT_RC, "a SEND"), (e.IBV_QPT_UD, "a datagram")):
        yield "R7", f"{name} to memory of the shared queue's domain", DONE, \
            shared_queue(kind, same=True)
        yield "R7", f"{name} to memory of the QP's domain, by a shared queue of another", \
            NO_LOCAL_ACCESS, shared_queue(kind, same=False)
    yield "R10", "a SEND of one byte more than there is room for", NO_SUCH_REQUEST, too_long
    yield "IBA", "a message after one that was too long, on UC", DONE, unreliable
    yield "R29", "a completion queue of another context", REFUSED, foreign_cq
    yield "R29", "to map a ring of another context", REFUSED, foreign_ring
    yield "R29", "a child to have its parent's rings", REFUSED, childs_ring
    for ask in ("READ", "WRITE"):
        yield "R27", f"a neighbour's completion queue overflows by {ask}", DONE, \
            neighbours_overflow(ask)
        yield "R22", f"more by {ask} than a safe completion queue has room for", REFUSED, \
            safe_queue(ask)


def granted(ask):
    def run(bed):
        region = Region(bed)
        return Pair(bed).ask(ask, region.key, region.addr), None
    return run


def foreign_domain(ask):
    def run(bed):
        region = Region(bed, pd=bed.others)
        return Pair(bed).ask(ask, region.key, region.addr), region
    return run


def other_variant(ask):
    def run(bed):
        region = Region(bed)
        return Pair(bed).ask(ask, region.key ^ 1, region.addr), region
    return run


def taken_back(ask):
    def run(bed):
        region = Region(bed)
        key = region.key
        region.mr.close()
        return Pair(bed).ask(ask, key, region.addr), region
    return run


def without_right(ask, rights):
    def run(bed):
        region = Region(bed, rights)
        return Pair(bed).ask(ask, region.key, region.addr), region
    return run


def without_qp_right(ask, rights):
    def run(bed):
        region = Region(bed)
        return Pair(bed, rights).ask(ask, region.key, region.addr), region
    return run


def at(ask, offset, length=8):
    def run(bed):
        region = Region(bed)
        inside = 0 <= offset <= ROOM - length
        status = Pair(bed).ask(ask, region.key, region.addr + offset, length)
        return status, None if inside else region
    return run


def at_the_end(ask):
    def run(bed):
        region = Region(bed)
        return Pair(bed).ask(ask, region.key, (1 << 64) - 8), region
    return run


def by_window(ask, same):
    def run(bed):
        region = Region(bed)
        pair = Pair(bed)
        other = pair if same else Pair(bed)
        window, key = other.bind(region, region.addr, ROOM, ALL)
        status = pair.ask(ask, key, region.addr)
        window.close()
        return status, None if same else region
    return run


def bound(bed, pair):
    """Return a region of the owner, bound to the owner's end of the pair."""
    region = Region(bed)
    region.mr.close()
    made = srnic.made(bed.ctx, lambda: MR(bed.owners, ROOM, LOCAL | ALL, address=region.addr), "mr")
    srnic.bind_mr(made, pair.made)
    region.mr = made.of
    return region


def of_one_stream(ask, same):
    def run(bed):
        pair = Pair(bed, binds=True)
        # keep it alive: the region serves its stream only
        other = pair if same else Pair(bed, binds=True)
        region = bound(bed, other)
        status = pair.ask(ask, region.key, region.addr)
        return status, None if same else region
    return run


def moved(bed):
    pair = Pair(bed, binds=True)
    region = bound(bed, pair)
    status = refused(lambda: region.mr.rereg(e.IBV_REREG_MR_CHANGE_PD, pd=bed.others),
                     errno.EOPNOTSUPP)
    return status, region


def begun_anew(bed):
    """RESET ends the QP's stream; a new connection of the QP is another stream."""
    pair = Pair(bed, binds=True)
    region = bound(bed, pair)
    for qp, to, rights in ((pair.peer, pair.owner, 0), (pair.owner, pair.peer, ALL)):
        qp.modify(QPAttr(qp_state=e.IBV_QPS_RESET), e.IBV_QP_STATE)
        pair.connect(qp, to, rights)
    return pair.ask("READ", region.key, region.addr), region


def invalidate_region(bed):
    """The invalidation must fail, and another peer must still be able to use the region."""
    region = Region(bed)
    status = Pair(bed).invalidate(region.key)
    if Pair(bed).ask("READ", region.key, region.addr) != DONE:
        return None, region
    return status, region


def invalidate_window(own):
    def run(bed):
        region = Region(bed)
        pair = Pair(bed)
        other = pair if own else Pair(bed)      # keep it alive: the window ends with its QP
        window, key = other.bind(region, region.addr, ROOM, ALL)
        status = pair.invalidate(key)
        if not own and other.ask("READ", key, region.addr) != DONE:
            status = None
        window.close()
        return status, region
    return run


def shared_queue(kind, same):
    """Return the completion of a receive request that a shared queue of the owner's domain
    has, at a QP of the peer's: its memory is of the queue's domain, or of the QP's."""
    def run(bed):
        srq = SRQ(bed.owners, SrqInitAttr(SrqAttr(max_wr=4, max_sge=1)))
        region = Region(bed, pd=bed.owners if same else bed.peers)
        srq.post_recv(RecvWR(num_sge=1, sg=[SGE(region.addr, ROOM, region.mr.lkey)]))
        cq, own = CQ(bed.ctx, 16), MR(bed.peers, 64, LOCAL)
        wr = SendWR(opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(own.buf, 64, own.lkey)])
        if kind == e.IBV_QPT_UD:
            sender, receiver = datagrams(bed, CQ(bed.ctx, 16)), datagrams(bed, cq, srq=srq)
            wr.set_wr_ud(AH(bed.peers, attr=bed.way), receiver.qp_num, QKEY)
        else:
            sender, receiver = bed.qp(bed.peers, CQ(bed.ctx, 16)), bed.qp(bed.peers, cq, srq=srq)
            connect(bed.way, sender, receiver)
        sender.post_send(wr)
        return completion(cq), None if same else region
    return run


def datagrams(bed, cq, qkey=QKEY, srq=None):
    qp = bed.qp(bed.peers, cq, e.IBV_QPT_UD, srq)
    attr = QPAttr(port_num=1)
    attr.qkey = qkey
    qp.to_rts(attr)
    return qp


def datagram(foreign):
    def run(bed):
        cq = CQ(bed.ctx, 16)
        qp = datagrams(bed, cq)
        handle = AH(bed.others if foreign else bed.peers, attr=bed.way)
        own = MR(bed.peers, 64, LOCAL)
        wr = SendWR(opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(own.buf, 64, own.lkey)])
        wr.set_wr_ud(handle, 0x123456, QKEY)
        qp.post_send(wr)
        return completion(cq), None
    return run


def by_qkey(named, needed):
    """Return the completion at a QP with Q_Key `needed` for a request with `named`; the
    sender's Q_Key is QKEY."""
    def run(bed):
        cq, inbox = CQ(bed.ctx, 16), MR(bed.peers, 128, LOCAL)
        sender, receiver = datagrams(bed, CQ(bed.ctx, 16)), datagrams(bed, cq, needed)
        receiver.post_recv(RecvWR(num_sge=1, sg=[SGE(inbox.buf, 128, inbox.lkey)]))
        wr = SendWR(opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(inbox.buf, 8, inbox.lkey)])
        wr.set_wr_ud(AH(bed.peers, attr=bed.way), receiver.qp_num, named)
        sender.post_send(wr)
        return completion(cq, 2), None
    return run


def too_long(bed):
    """The receiver gets an error completion and not one byte of the message."""
    region = Region(bed)
    pair = Pair(bed)
    pair.owner.post_recv(RecvWR(num_sge=1, sg=[SGE(region.addr, 8, region.mr.lkey)]))
    pair.peer.post_send(SendWR(opcode=e.IBV_WR_SEND, num_sge=1,
                               sg=[SGE(pair.own.buf, 9, pair.own.lkey)]))
    status = completion(pair.cq)
    if completion(pair.owners_cq) != e.IBV_WC_LOC_LEN_ERR:
        return None, region
    return status, region


def odd_atomics(bed):
    """The region's first word, as a peer addresses it, would cross a page boundary; the
    second page may belong to another process."""
    whole = MR(bed.owners, 2 * mmap.PAGESIZE, LOCAL)
    rights = LOCAL | e.IBV_ACCESS_ZERO_BASED
    region = MR(bed.owners, 8, rights, address=whole.buf + mmap.PAGESIZE - 4)
    status = refused(lambda: region.rereg(e.IBV_REREG_MR_CHANGE_ACCESS,
                                          access=rights | e.IBV_ACCESS_REMOTE_ATOMIC),
                     errno.EINVAL)
    region.close()
    return status, None


def fresh_memory(bed):
    """New memory is zero and shows nothing of its former owner."""
    memory = mmap.mmap(-1, ROOM)
    addr = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    region = MR(bed.owners, ROOM, LOCAL | ALL, address=addr)
    pair = Pair(bed)
    pair.own.write(b"\xff" * ROOM, ROOM)
    status = pair.ask("READ", region.rkey, addr, ROOM)
    seen = pair.own.read(ROOM, 0)
    region.close()
    return status if seen == bytes(ROOM) else None, None


def unreliable(bed):
    """A UC message longer than its receive request is dropped and consumes no request."""
    cqs = [CQ(bed.ctx, 16) for _ in range(2)]
    sender, receiver = (bed.qp(bed.peers, cq, e.IBV_QPT_UC) for cq in cqs)
    connect(bed.way, sender, receiver)
    own = MR(bed.peers, 64, LOCAL)
    receiver.post_recv(RecvWR(num_sge=1, sg=[SGE(own.buf, 8, own.lkey)]))
    for length in (64, 8):
        sender.post_send(SendWR(opcode=e.IBV_WR_SEND, num_sge=1, sg=[SGE(own.buf, length, own.lkey)],
                                send_flags=e.IBV_SEND_SIGNALED))
        completion(cqs[0])
    return completion(cqs[1]), None


def refused(call, *expected):
    """Return REFUSED if the call fails with an expected errno, DONE if it succeeds, else
    None."""
    try:
        call()
    except (PyverbsError, OSError) as error:
        return REFUSED if errno_of(error) in expected else None
    return DONE


def foreign_cq(bed):
    """A handle is valid only in the file that created the object."""
    stranger = Context(name=bed.device)
    pd = PD(stranger)
    cq = CQ(bed.ctx, 16)
    init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=QPCap())
    return refused(lambda: QP(pd, init), errno.EINVAL, errno.ENOENT), None


def rings():
    """Return (address, bytes, offset) of this process's mappings of RDMA devices."""
    found = []
    with open("/proc/self/maps", encoding="ascii") as maps:
        for line in maps:
            words = line.split()
            if words[-1].startswith("/dev/infiniband/uverbs"):
                start, end = (int(word, 16) for word in words[0].split("-"))
                found.append((start, end - start, int(words[2], 16)))
    return found


def foreign_ring(bed):
    """Map a ring of another context by its offset."""
    before = {start for start, _, _ in rings()}
    cq = CQ(bed.ctx, 16)
    _, size, offset = next(ring for ring in rings() if ring[0] not in before)
    stranger = Context(name=bed.device)
    fresh = mmap.MAP_SHARED
    status = refused(lambda: mmap.mmap(stranger.cmd_fd, size, fresh, offset=offset),
                     errno.EINVAL, errno.ENOENT, errno.EPERM)
    cq.close()
    return status, None


def childs_ring(bed):
    """A forked child does not inherit the rings."""
    before = {start for start, _, _ in rings()}
    cq = CQ(bed.ctx, 16)
    start = next(ring[0] for ring in rings() if ring[0] not in before)
    child = os.fork()
    if not child:
        os._exit(1 if rings() else 0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    ctypes.string_at(start, 8)      # the parent still has its ring
    cq.close()
    return REFUSED if status == 0 else DONE, None


def neighbours_overflow(ask):
    """A consumer that does not poll loses its own QP only; another QP of the same domain
    works on. READs are answered one by one, a batch of WRITEs by one acknowledgment."""
    def run(bed):
        return overflow(bed, ask)
    return run


def overflow(bed, ask):
    region = Region(bed)
    hog, neighbour = Pair(bed, cq_size=1), Pair(bed)
    hog.post_at_once(32, ask, region.key, region.addr)
    end = time.monotonic() + 120
    while hog.peer.query(e.IBV_QP_STATE)[0].qp_state != e.IBV_QPS_ERR:
        if time.monotonic() > end:
            return None, None
    return neighbour.ask("READ", region.key, region.addr), region if ask == "READ" else None


def safe_queue(ask):
    """With a safe CQ, a post that could overflow it fails at once. The QP stays usable, and
    completed requests free space for new ones."""
    def run(bed):
        os.environ["SRNIC_SAFE_CQ"] = "1"
        try:
            safe = Bed(bed.device)
        finally:
            del os.environ["SRNIC_SAFE_CQ"]
        region = Region(safe)
        pair = Pair(safe, cq_size=4)
        room = pair.cq.cqe
        for _ in range(3):
            status = refused(lambda: pair.post_at_once(32, ask, region.key, region.addr),
                             errno.ENOMEM)
            done = [completion(pair.cq) for _ in range(room)]
            if status != REFUSED or done != [DONE] * room or pair.cq.poll(1)[0]:
                return status if status != REFUSED else None, None
        state = pair.peer.query(e.IBV_QP_STATE)[0].qp_state
        return REFUSED if state == e.IBV_QPS_RTS else None, None
    return run


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if len(sys.argv) == 2 else 2
    bed = Bed(sys.argv[1])
    wrong = total = 0
    for row, what, expected, attempt in attempts():
        try:
            got, region = attempt(bed)
        except (PyverbsError, srnic.Error) as error:    # on devices without some features
            got, region = str(error).rpartition(". ")[2], None
        said = STATUS.get(got, f"status {got}")
        fault = "" if got == expected else f", not {STATUS[expected]}"
        if region and not region.untouched():
            fault += "; and the memory has changed"
        print(f"{'FAIL' if fault else 'ok  '} {row}: {what}: {said}{fault}", flush=True)
        wrong += bool(fault)
        total += 1
    print(f"{total - wrong} as they should be, {wrong} not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
