# SPDX-License-Identifier: GPL-2.0
"""Two ends of a connection, like two applications: `a` requests, `b` responds."""

import ipaddress
import time

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

from wire import enter

SIZE = 8192                 # of each region
SECRET_AT = 4096            # offset of b's secret, which only a may read
WORD_AT = 2048              # a lock, for atomics
ANSWER_AT = 4096            # in a: destination of READs
RECEIVE_AT = 6144           # destination of messages
SECRET = b"the secret of b, for a alone ..."
START = 0x1000              # both ends' first PSN: predictable, as applications often choose it
TIMEOUT = 14                # 67 ms; the kernel waits up to four times as long
ACCESS = (e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ |
          e.IBV_ACCESS_REMOTE_ATOMIC)


class End:
    """One application: a QP, and memory that its peer may access."""

    def __init__(self, host, kind=e.IBV_QPT_RC):
        self.host = host
        self.kind = kind
        self.scq, self.rcq = CQ(host.ctx, 64), CQ(host.ctx, 64)
        cap = QPCap(max_send_wr=16, max_recv_wr=16, max_send_sge=1, max_recv_sge=1)
        init = QPInitAttr(qp_type=kind, scq=self.scq, rcq=self.rcq, cap=cap)
        self.qp = QP(host.pd, init)
        self.mr = MR(host.pd, SIZE, ACCESS)
        self.sent, self.received = [], []

    def connect(self, peer):
        attr = QPAttr(port_num=1)
        attr.qp_access_flags = ACCESS if self.kind == e.IBV_QPT_RC else e.IBV_ACCESS_REMOTE_WRITE
        self.qp.to_init(attr)
        route = GlobalRoute(dgid=GID(peer.host.gid), sgid_index=self.host.gid_index)
        attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=route)
        attr.dest_qp_num = peer.qp.qp_num
        attr.path_mtu = e.IBV_MTU_1024
        attr.rq_psn = attr.sq_psn = START
        attr.max_dest_rd_atomic = attr.max_rd_atomic = 4
        attr.min_rnr_timer = 12
        attr.timeout, attr.retry_cnt, attr.rnr_retry = TIMEOUT, 7, 7
        self.qp.to_rts(attr)

    def reset(self):
        self.qp.modify(QPAttr(qp_state=e.IBV_QPS_RESET), e.IBV_QP_STATE)
        self.poll()
        self.sent, self.received = [], []

    def poll(self):
        self.sent += self.scq.poll(16)[1]
        self.received += self.rcq.poll(16)[1]

    def expect(self, count):
        for i in range(count):
            sge = SGE(self.mr.buf + RECEIVE_AT + 128 * i, 128, self.mr.lkey)
            self.qp.post_recv(RecvWR(wr_id=i, num_sge=1, sg=[sge]))

    def post(self, opcode, at, length, peer=None, peer_at=0, imm=0):
        sge = SGE(self.mr.buf + at, length, self.mr.lkey)
        wr = SendWR(opcode=opcode, num_sge=1, sg=[sge], imm_data=imm)
        if peer:
            wr.set_wr_rdma(peer.mr.rkey, peer.mr.buf + peer_at)
        self.qp.post_send(wr)

    def alive(self):
        return self.qp.query(e.IBV_QP_STATE)[0].qp_state == e.IBV_QPS_RTS

    def close(self):
        for thing in (self.qp, self.mr, self.scq, self.rcq):
            thing.close()


class Host:
    """A machine: its device and GID."""

    def __init__(self, netns, device, gid):
        enter(netns)
        self.ctx = Context(name=device)
        self.pd = PD(self.ctx)
        self.gid = ipaddress.IPv6Address(gid).exploded
        self.gid_index = self.find()

    def find(self):
        for i in range(self.ctx.query_port(1).gid_tbl_len):
            if self.ctx.query_gid(port_num=1, index=i).gid == self.gid:
                return i
        raise LookupError(f"{self.ctx.name} has no GID {self.gid}")


class Bed:
    """A connection under attack: two ends, and the wire controlled by the attacker."""

    def __init__(self, hosts, wire, protection):
        self.wire = wire
        self.hosts = hosts
        self.protection = protection        # header, packet or aead; None: in the clear
        self.a, self.b = (End(host) for host in hosts)
        self.ends = [self.a, self.b]
        self.b.mr.write(SECRET, len(SECRET), SECRET_AT)
        self.connect(self.a, self.b)
        wire.seen.clear()
        wire.tap = None

    def connect(self, a, b):
        a.connect(b)
        b.connect(a)

    def another_pair(self, kind=e.IBV_QPT_RC):
        """Create a second connection of the same hosts, in the same protection domains."""
        pair = [End(host, kind) for host in self.hosts]
        self.ends += pair
        self.connect(*pair)
        return pair

    def again(self):
        """Reconnect both ends with the same numbers."""
        for end in (self.a, self.b):
            end.reset()
        self.connect(self.a, self.b)

    def close(self):
        self.wire.tap = None
        for end in self.ends:
            end.close()

    def completed(self, count=1, limit=60, end=None):
        """Return the statuses of the next `count` send completions of a, or of `end`."""
        end = end or self.a

        def done():
            end.poll()
            return len(end.sent) >= count
        self.wire.until(done, limit)
        statuses = [wc.status for wc in end.sent[:count]]
        del end.sent[:count]
        return statuses

    def write(self, data, at=0, wait=True, pair=None):
        """WRITE from a to b, or over another pair's connection."""
        a, b = pair or (self.a, self.b)
        a.mr.write(data, len(data), 0)
        a.post(e.IBV_WR_RDMA_WRITE, 0, len(data), b, at)
        return self.completed(end=a) == [e.IBV_WC_SUCCESS] if wait else None

    def send(self, data, at=0, imm=None, wait=True, end=None):
        (end or self.a).mr.write(data, len(data), at)
        opcode = e.IBV_WR_SEND if imm is None else e.IBV_WR_SEND_WITH_IMM
        (end or self.a).post(opcode, at, len(data), imm=imm or 0)
        return self.completed() == [e.IBV_WC_SUCCESS] if wait else None

    def read(self, length=len(SECRET), at=SECRET_AT, wait=True):
        """READ from b; return the bytes that a gets, or None after an error."""
        self.a.post(e.IBV_WR_RDMA_READ, ANSWER_AT, length, self.b, at)
        if not wait:
            return None
        if self.completed() != [e.IBV_WC_SUCCESS]:
            return None
        return self.a.mr.read(length, ANSWER_AT)

    def received(self, end, count=1, limit=1):
        """Return (length, bytes, immediate data) of the messages that `end` got, in order."""
        def done():
            end.poll()
            return len(end.received) >= count
        self.wire.until(done, limit)
        return [(wc.byte_len, end.mr.read(wc.byte_len, RECEIVE_AT + 128 * wc.wr_id),
                 wc.imm_data) for wc in end.received if wc.status == e.IBV_WC_SUCCESS]

    def memory(self, length, at=0, end=None):
        return (end or self.b).mr.read(length, at)

    def works(self):
        """Test whether the connection still works in both directions."""
        self.wire.tap = None
        stamp = b"%032d" % time.monotonic_ns()
        return self.write(stamp) and self.memory(len(stamp)) == stamp and \
            self.read() is not None and self.a.alive() and self.b.alive()
