#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""scripted - check what a QP sends and answers, packet by packet.

Creates an RC QP on a device of this namespace and acts as its peer through a raw socket in
another one, so that it can send and lose packets as no real peer would. Each scenario is a
function below; it returns the error, or None.

Example:
    in a srnic-scripted --device srnic0 --gid-index 1 --netns b --dev vb --from 10.77.0.2 --to 10.77.0.1
"""
import argparse
import ctypes
import ipaddress
import os
import socket
import struct
import subprocess
import sys
import time

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, SendWR

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)) + "/../../tools/redteam")
import forge  # noqa: E402  (the attacker's packets are ours)

RC_WRITE_ONLY = 0x0A
RC_READ_REQ = 0x0C
READ_RESPONSES = range(0x0D, 0x11)
RC_ACK = 0x11
ACK, RNR_AT_ONCE = 0x1F, 0x21       # RNR_AT_ONCE: retry after 10 µs
NAK_SEQUENCE, NAK_INVALID, NAK_ACCESS = 0x60, 0x61, 0x62
OUR_QPN = 0x123456
START = 0xFFFFF0
ELSEWHERE = 0x400000    # first PSN of a second QP
TURN = 64           # packets that a QP sends in one turn
MTU = 4096
BIG = 16 << 20     # answering it takes longer than sending the next requests
SO_RCVBUFFORCE = 33
SOL_PACKET, PACKET_VNET_HDR = 263, 15
VNET_NEEDS_CSUM, VNET_GSO_UDP_L4 = 1, 5
ETHER_LEN, IP_LEN, UDP_LEN, UDP_CHECK = 14, 20, 8, 6
DEPTH = 2           # max_dest_rd_atomic of the QP under test
SHORT = 14          # 67 ms, up to four times that: the test can wait for this time-out
PATIENT = 17        # 0.54 s, up to four times that: no machine is so slow between two packets
MOST_PROBES = 3     # of one packet: engine/expire.c
RETRIES = 2
AGAIN_MOST, AGAIN_RATE = 8192, 1024     # duplicates answered in a row, and per second: srnic(7)
TIMEOUT = 24        # of the QP under test: at least 69 s, for which no scenario waits
SOON = 30           # seconds in which anything that needs no time-out happens on any machine


class Target:
    """The QP under test, with memory that may be read."""

    def __init__(self, device, gid_index, peer, start=START):
        self.start = start      # first expected PSN
        self.ctx = Context(name=device)
        self.pd = PD(self.ctx)
        self.cq = CQ(self.ctx, 16)
        cap = QPCap(max_send_wr=16, max_recv_wr=4, max_send_sge=1, max_recv_sge=1)
        init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=cap)
        self.qp = QP(self.pd, init)
        self.mr = MR(self.pd, BIG, e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_READ)
        self.connect(gid_index, peer)

    def connect(self, gid_index, peer):
        attr = QPAttr(port_num=1)
        attr.qp_access_flags = e.IBV_ACCESS_REMOTE_READ
        self.qp.to_init(attr)
        route = GlobalRoute(dgid=GID(peer), sgid_index=gid_index)
        attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=route)
        attr.dest_qp_num = OUR_QPN
        attr.path_mtu = e.IBV_MTU_4096
        attr.rq_psn = self.start
        attr.max_dest_rd_atomic = DEPTH
        attr.min_rnr_timer = 12
        self.qp.to_rtr(attr)

    def alive(self):
        return self.state() == e.IBV_QPS_RTR

    def agree(self, depth):
        """Set max_dest_rd_atomic of a QP that has no outstanding requests."""
        if self.state() != e.IBV_QPS_SQD:
            self.write(0)
            self.qp.modify(QPAttr(qp_state=e.IBV_QPS_SQD), e.IBV_QP_STATE)
        attr = QPAttr(qp_state=e.IBV_QPS_SQD, port_num=1)
        attr.max_dest_rd_atomic = depth
        self.qp.modify(attr, e.IBV_QP_MAX_DEST_RD_ATOMIC)

    def write(self, count, timeout=TIMEOUT, retries=7, timeouts=None):
        """Post WRITEs of one packet each, each longer than the last, so that each is a
        burst of its own."""
        attr = QPAttr(port_num=1)
        attr.timeout = timeout
        attr.retry_cnt = retries if timeouts is None else timeouts
        attr.rnr_retry = retries
        attr.sq_psn = START
        attr.max_rd_atomic = 1
        self.qp.to_rts(attr)
        for i in range(count):
            sge = SGE(self.mr.buf, 64 * (i + 1), self.mr.lkey)
            wr = SendWR(wr_id=i, opcode=e.IBV_WR_RDMA_WRITE, num_sge=1, sg=[sge])
            wr.set_wr_rdma(self.mr.rkey, self.mr.buf)
            self.qp.post_send(wr)

    def completions(self, count, limit=SOON):
        """Return (wr_id, status) of completions, in order; fewer than count on time-out."""
        done = []
        end = time.monotonic() + limit
        while len(done) < count and time.monotonic() < end:
            done += [(wc.wr_id, wc.status) for wc in self.cq.poll(16)[1]]
        return done

    def state(self):
        return self.qp.query(e.IBV_QP_STATE)[0].qp_state


class Peer:
    """The other end: sends what the script says, and sees everything that comes back."""

    def __init__(self, args, target, bystander=None):
        self.args, self.target, self.bystander = args, target, bystander
        enter(args.netns)
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.sock.bind((args.dev, 0))
        self.sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
        self.bursts = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)   # sends only
        self.bursts.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        self.bursts.bind((args.dev, 0))
        self.src = ipaddress.IPv4Address(args.src).packed
        self.dst = ipaddress.IPv4Address(args.dst).packed
        self.ether = bytes.fromhex(args.mac.replace(":", "")) + \
            self.sock.getsockname()[4] + b"\x08\x00"

    def counted(self, name):
        """Return the target's counter of that name."""
        words = subprocess.run(["rdma", "statistic", "show", "link", f"{self.args.device}/1"],
                               capture_output=True, text=True, check=True).stdout.split()
        return int(words[words.index(name) + 1])

    def read(self, psn, offset, length, rkey=None):
        """Return a READ request as a frame, with another rkey if one is given."""
        return self.frame(self.read_body(psn, offset, length, rkey))

    def read_body(self, psn, offset, length, rkey=None):
        qpn = self.target.qp.qp_num
        psn &= forge.PSN_MASK
        return struct.pack("!BBHIBBH", RC_READ_REQ, 0x40, 0xFFFF, qpn, 0x80, psn >> 16,
                           psn & 0xFFFF) + \
            struct.pack("!QII", self.target.mr.buf + offset,
                        self.target.mr.rkey if rkey is None else rkey, length)

    def answer(self, psn, syndrome):
        """Return an ACK or NAK as a frame."""
        psn &= forge.PSN_MASK
        return self.frame(struct.pack("!BBHIBBHI", RC_ACK, 0x40, 0xFFFF, self.target.qp.qp_num, 0,
                                      psn >> 16, psn & 0xFFFF, syndrome << 24))

    def as_stranger(self, body):
        """Return a valid frame with another source address."""
        own = self.src
        self.src = own[:3] + bytes([own[3] ^ 0x40])
        frame = self.frame(body)
        self.src = own
        return frame

    def headers(self, length, ident=0, check=0):
        """Return IP and UDP headers for `length` bytes, including the ICRC."""
        udp = struct.pack("!HHHH", 0xC000, forge.ROCE_PORT, UDP_LEN + length, check)
        ip = bytearray(struct.pack("!BBHHHBBH4s4s", 0x45, 0, IP_LEN + UDP_LEN + length, ident,
                                   0x4000, 64, 17, 0, self.src, self.dst))
        ip[10:12] = struct.pack("!H", forge.ip_checksum(ip))
        return ip, udp

    def with_icrc(self, body, ident=0):
        return body + forge.icrc(*self.headers(len(body) + 4, ident), body)

    def frame(self, body):
        ip, udp = self.headers(len(body) + 4)
        return self.ether + bytes(ip) + udp + self.with_icrc(body)

    def send(self, *frames):
        for frame in frames:
            self.sock.send(frame)

    def send_together(self, *bodies):
        """Send packets as one super-packet, so that all arrive before the first is
        answered."""
        packets = [self.with_icrc(body, ident) for ident, body in enumerate(bodies)]
        length = sum(len(packet) for packet in packets)
        pseudo = struct.pack("!4s4sHH", self.src, self.dst, socket.IPPROTO_UDP, UDP_LEN + length)
        check = forge.ip_checksum(pseudo) ^ 0xFFFF      # of the pseudo header only
        ip, udp = self.headers(length, 0, check)
        start = ETHER_LEN + IP_LEN
        vnet = struct.pack("=BBHHHH", VNET_NEEDS_CSUM, VNET_GSO_UDP_L4, start + UDP_LEN,
                           len(packets[0]), start, UDP_CHECK)
        self.bursts.send(vnet + self.ether + bytes(ip) + udp + b"".join(packets))

    def requests(self, count, limit=SOON):
        """Return the PSNs of `count` WRITEs of the target, relative to START; fewer on
        time-out."""
        seen = self.responses(lambda rows: len(rows) == count, limit)
        return [(psn - START) & forge.PSN_MASK for opcode, psn, _ in seen if opcode == RC_WRITE_ONLY]

    def requests_but(self, asked):
        """Return the next PSN, but skip those that the target may have probed with before
        our answer."""
        while (seen := self.requests(1)) == [asked]:
            pass
        return seen[0] if seen else None

    def responses(self, until, limit=SOON):
        """Return (opcode, PSN, syndrome) of the target's packets, until `until` is true."""
        seen = []
        end = time.monotonic() + limit
        self.sock.settimeout(min(0.2, limit))
        while time.monotonic() < end:
            try:
                frame = self.sock.recv(65535)
            except TimeoutError:
                continue
            bth = frame[42:54]
            if len(bth) < 12 or frame[26:30] != self.dst or \
                    int.from_bytes(bth[5:8], "big") != OUR_QPN:
                continue
            aeth = frame[54] if bth[0] in (*READ_RESPONSES, RC_ACK) and bth[0] != 0x0E else None
            seen.append((bth[0], int.from_bytes(bth[9:12], "big"), aeth))
            if until(seen):
                break
        return seen


def enter(netns):
    """Move this thread to a namespace, for sockets that it opens."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/{netns}", "rb") as ns:
        if libc.setns(ns.fileno(), 0):
            raise OSError(ctypes.get_errno(), f"cannot enter the namespace {netns}")


def naks(seen):
    return [row for row in seen if row[0] == RC_ACK and row[2] & 0x60]


def answered(psn):
    """Return a predicate for responses(): the READ's last response, or a NAK, has arrived."""
    psn &= forge.PSN_MASK
    return lambda seen: seen[-1][:2] in ((0x0F, psn), (0x10, psn)) or refused(seen)


def refused(seen):
    return naks(seen[-1:])


def replays_do_not_take_a_new_requests_place(peer):
    """Retransmitted READs that were answered do not count against DEPTH: a new one is
    accepted (IBA 9.7.5.1.3; the responder's resources are for requests, not for retries)."""
    n = BIG // MTU
    old = [peer.read(START + i * n, 0, BIG) for i in range(DEPTH)]
    fresh = START + DEPTH * n
    peer.send(*old)
    seen = peer.responses(answered(fresh - 1))
    if naks(seen):
        return f"refused while DEPTH READs were outstanding: {naks(seen)}"
    peer.send(*old, peer.read(fresh, 0, BIG))
    seen = peer.responses(answered(fresh + n - 1))
    if naks(seen):
        return f"the new READ was refused: {naks(seen)}"
    last = (fresh + n - 1) & forge.PSN_MASK
    if last not in [row[1] for row in seen]:
        return f"the new READ was not answered; last seen {seen[-1:]}"
    return None if peer.target.alive() else "the QP died"


def more_reads_than_agreed_end_the_stream(peer):
    """R24: DEPTH READs may be outstanding; one more is rejected (RFC 5042 6.4.3.3)."""
    n = BIG // MTU
    peer.send_together(*[peer.read_body(START + i * n, 0, BIG) for i in range(DEPTH + 1)])
    seen = peer.responses(refused)
    if [row[2] for row in naks(seen)] != [NAK_INVALID]:
        return f"not refused as an invalid request: {naks(seen)}, the last of {len(seen)}: {seen[-1:]}"
    return None


def what_is_agreed_later_holds(peer):
    """R24: a drained QP can be given a larger or smaller limit of READs (IBA 11.2.4.2)."""
    n = TURN * 4
    more = DEPTH + 1
    peer.target.agree(more)
    peer.send_together(*[peer.read_body(START + i * n, 0, n * MTU) for i in range(more)])
    last = START + more * n - 1
    if naks(seen := peer.responses(answered(last))) or last & forge.PSN_MASK != seen[-1][1]:
        return f"{more} READs were answered by {naks(seen)}, the last of {len(seen)}: {seen[-1:]}"
    peer.target.agree(1)
    peer.send_together(*[peer.read_body(last + 1 + i * n, 0, n * MTU) for i in range(2)])
    seen = peer.responses(refused)
    return None if [row[2] for row in naks(seen)] == [NAK_INVALID] else f"not refused: {seen[-1:]}"


def a_long_read_lets_others_have_their_turn(peer):
    """R23: a long READ is answered in turns; a later READ of another connection finishes
    before it."""
    n = BIG // MTU
    ends = (START + n - 1) & forge.PSN_MASK, ELSEWHERE + TURN - 1
    later = Peer(peer.args, peer.bystander)
    peer.send(peer.read(START, 0, BIG), later.read(ELSEWHERE, 0, TURN * MTU))
    seen = peer.responses(lambda rows: rows[-1][1] in ends and {*ends} <= {row[1] for row in rows})
    order = [row[1] for row in seen]
    if naks(seen) or not {*ends} <= {*order}:
        return f"not both were answered; the last of {len(seen)}: {seen[-1:]}"
    ahead = sum((psn - START) & forge.PSN_MASK < n for psn in order[:order.index(ends[1])])
    return None if ahead <= n // 2 else f"{ahead} packets of {n} went ahead"


def a_late_retry_of_a_read_ends_nothing(peer):
    """The READ was answered, and its region is revoked, as upper protocols do after each
    transfer. Its retransmission is dropped as if lost (IBA 9.7.5.1.3; protocol.md, section
    13)."""
    asked, fresh = peer.read(START, 0, 64), peer.read(START + 1, 0, 0)
    peer.send(asked)
    if naks(seen := peer.responses(answered(START))) or not seen:
        return f"the READ was answered by {seen}"
    peer.responses(lambda _: False, 0.5)    # perhaps an ACK
    peer.target.mr.close()
    peer.send(asked)
    if seen := peer.responses(lambda _: True, 1):
        return f"the retry was answered by {seen}"
    peer.send(fresh)
    if naks(seen := peer.responses(answered(START + 1))) or not seen:
        return f"the next READ was answered by {seen}"
    return None if peer.target.alive() else "the QP died"


def a_stranger_is_not_heard(peer):
    """IBA 9.6.1.5.1: a connected QP accepts packets of its peer only, whatever a stranger
    knows."""
    asked = peer.read_body(START, 0, 64)
    peer.send(peer.as_stranger(asked))
    if seen := peer.responses(lambda _: True, 1):
        return f"a stranger's READ was answered by {seen}"
    peer.send(peer.frame(asked))
    if naks(seen := peer.responses(answered(START))) or not seen:
        return f"the peer's READ was answered by {seen}"
    return None if peer.target.alive() else "the QP died"


def only_a_read_of_nothing_needs_no_key(peer):
    """R16: a READ of no byte needs no key (RFC 5042 6.3.5, IBA C9-88); one of a byte needs
    the right one."""
    nobodys = peer.target.mr.rkey ^ 0x5A5A5A5A
    peer.send(peer.read(START, 0, 0, nobodys))
    seen = peer.responses(answered(START))
    if [row[0] for row in seen] != [READ_RESPONSES[-1]]:
        return f"a READ of no byte was answered by {seen}"
    peer.send(peer.read(START + 1, 0, 1, nobodys))
    seen = peer.responses(refused)
    if [row[2] for row in naks(seen)] != [NAK_ACCESS]:
        return f"a READ of a byte with a key of nobody was answered by {seen}"
    return None if not peer.target.alive() else "the stream goes on"


def what_is_lost_at_the_end_is_asked_for(peer):
    """After a recent loss the sender does not wait for the time-out: it retransmits the
    oldest packet alone, and the answer tells what else is missing."""
    peer.target.write(8)
    if (seen := peer.requests(8)) != [*range(8)]:
        return f"the first flight was {seen}"
    peer.send(peer.answer(START + 2, NAK_SEQUENCE))
    if (seen := peer.requests(6)) != [*range(2, 8)]:
        return f"after a NAK of 2 came {seen}"
    peer.send(peer.answer(START + 4, ACK))      # nothing more of that flight has arrived
    if (seen := peer.requests_but(2)) != 5:
        return f"asked by {seen}, not by the oldest"
    peer.send(peer.answer(START + 5, ACK))
    if (seen := [peer.requests_but(5), peer.requests_but(6)]) != [6, 7]:
        return f"what is missing was answered by {seen}"
    peer.send(peer.answer(START + 7, ACK))
    done = peer.target.completions(8)
    return None if done == [(i, 0) for i in range(8)] else f"completed {done}"


def a_clean_link_is_given_time(peer):
    """Without any loss so far, only the oldest packet is sent again before the time-out, as
    a rare probe, which does not count as a retransmission."""
    counted = peer.counted("retransmits")
    peer.target.write(4)
    if (seen := peer.requests(4)) != [*range(4)]:
        return f"the flight was {seen}"
    seen = peer.requests(MOST_PROBES + 1, 0.8)
    if len(seen) > MOST_PROBES or any(seen):
        return f"sent again before its time: {seen}"
    counted = peer.counted("retransmits") - counted
    return f"{counted} retransmissions were counted" if counted else None


def copies_of_a_nak_use_up_no_retries(peer):
    """A gap is reported once (IBA 9.7.5.2.4); copies of the NAK do not use up retries."""
    peer.target.write(4, retries=RETRIES)
    if (seen := peer.requests(4)) != [*range(4)]:
        return f"the first flight was {seen}"
    peer.send(*[peer.answer(START + 1, NAK_SEQUENCE)] * (RETRIES + 6))
    if (seen := peer.requests(3)) != [1, 2, 3]:
        return f"after so many NAKs of 1 came {seen}"
    peer.send(peer.answer(START + 3, ACK))
    done = peer.target.completions(4)
    return None if done == [(i, 0) for i in range(4)] else f"completed {done}"


def answers_are_repeated_within_limits(peer):
    """R25: the responder does not answer endless duplicates of a READ, but it answers a new
    one."""
    n = BIG // MTU
    asked = peer.read(START, 0, BIG)
    peer.send(asked)
    if not refused(seen := peer.responses(answered(START + n - 1))) and len(seen) < n // 2:
        return f"the READ was not answered: {seen[-1:]}"
    start = time.monotonic()
    again = 0
    for _ in range(8):
        peer.send(asked)
        again += len(peer.responses(answered(START + n - 1), 1.5))
    while again < n and time.monotonic() < start + SOON:
        peer.send(asked)
        again += len(peer.responses(answered(START + n - 1), 1.5))
    limit = AGAIN_MOST + 2 * n + AGAIN_RATE * (time.monotonic() - start)
    if not n <= again <= limit:
        return f"{again} packets answered the same again and again, {limit:.0f} may"
    peer.send(peer.read(START + n, 0, BIG))
    seen = peer.responses(answered(START + 2 * n - 1))
    if ((START + 2 * n - 1) & forge.PSN_MASK) not in [row[1] for row in seen]:
        return f"a new READ was not answered: {seen[-1:]}"
    return None if peer.target.alive() else "the QP died"


def ended(peer, status):
    """Check that the first of two WRITEs fails with status, the second is flushed, the QP
    is in ERR."""
    done = peer.target.completions(2)
    if done != [(0, status), (1, e.IBV_WC_WR_FLUSH_ERR)]:
        return f"completed {done}"
    return None if peer.target.state() == e.IBV_QPS_ERR else f"the QP is in {peer.target.state()}"


def who_never_answers_is_asked_as_often_as_agreed(peer):
    """IBA 9.7.5.2.8: retry_cnt retransmissions after time-outs, then the error. In between,
    the oldest packet is also sent alone as a probe; the last one only with the whole
    flight."""
    peer.target.write(2, timeout=SHORT, retries=RETRIES)
    if wrong := ended(peer, e.IBV_WC_RETRY_EXC_ERR):
        return wrong
    seen = peer.requests(32, 0.5)
    return None if seen.count(1) == RETRIES + 1 else f"all was sent {seen.count(1)} times: {seen}"


def who_is_never_ready_is_asked_as_often_as_agreed(peer):
    """IBA 9.7.5.2.8: rnr_retry retransmissions after RNR NAKs, then the error."""
    peer.target.write(2, retries=RETRIES)
    for turn in range(RETRIES + 1):
        seen = peer.requests(2)
        if seen != [0, 1]:
            return f"in turn {turn} came {seen}"
        peer.send(peer.answer(START, RNR_AT_ONCE))
    wrong = ended(peer, e.IBV_WC_RNR_RETRY_EXC_ERR)
    return wrong or (f"sent afterwards: {seen}" if (seen := peer.requests(1, 0.5)) else None)


def flight_of_two(peer):
    """Return the PSNs that arrive, up to the second; the first may also be probed."""
    seen = []
    while 1 not in seen and len(seen) < 2 + MOST_PROBES:
        came = peer.requests(1)
        if not came:
            break
        seen += came
    return sorted(set(seen))


def who_is_not_ready_has_answered(peer):
    """IBA 9.7.5.2.8: waiting after RNR NAKs never counts as a time-out."""
    peer.target.write(2, timeout=PATIENT, retries=7, timeouts=1)
    for turn in range(20):
        if (seen := flight_of_two(peer)) != [0, 1]:
            return f"in turn {turn} came {seen}"
        time.sleep(0.2)         # makes the whole longer than the time-out
        peer.send(peer.answer(START, RNR_AT_ONCE))
    if (seen := flight_of_two(peer)) != [0, 1]:
        return f"at last came {seen}"
    peer.send(peer.answer(START + 1, ACK))
    done = peer.target.completions(2)
    return None if done == [(0, 0), (1, 0)] else f"completed {done}"


SCENARIOS = (replays_do_not_take_a_new_requests_place, more_reads_than_agreed_end_the_stream,
             what_is_agreed_later_holds, a_long_read_lets_others_have_their_turn,
             a_stranger_is_not_heard,
             only_a_read_of_nothing_needs_no_key, a_late_retry_of_a_read_ends_nothing,
             answers_are_repeated_within_limits, copies_of_a_nak_use_up_no_retries,
             what_is_lost_at_the_end_is_asked_for, a_clean_link_is_given_time,
             who_never_answers_is_asked_as_often_as_agreed,
             who_is_never_ready_is_asked_as_often_as_agreed, who_is_not_ready_has_answered)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Example:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--device", required=True, help="RDMA device under test")
    ap.add_argument("--gid-index", type=int, required=True)
    ap.add_argument("--netns", required=True, help="where the peer is")
    ap.add_argument("--dev", required=True, help="the peer's netdev")
    ap.add_argument("--mac", required=True, help="the target's hardware address")
    ap.add_argument("--from", dest="src", required=True, help="the peer's IPv4 address")
    ap.add_argument("--to", dest="dst", required=True, help="the target's IPv4 address")
    args = ap.parse_args()

    failed = 0
    here = open("/proc/self/ns/net", "rb")
    for scenario in SCENARIOS:
        ctypes.CDLL(None).setns(here.fileno(), 0)
        src = ipaddress.IPv6Address(f"::ffff:{args.src}").exploded
        targets = [Target(args.device, args.gid_index, src, start) for start in (START, ELSEWHERE)]
        wrong = scenario(Peer(args, *targets))
        failed += wrong is not None
        print(f"{'FAIL' if wrong else 'ok  '} {scenario.__name__}: {wrong or 'as it should be'}",
              flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
