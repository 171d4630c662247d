# SPDX-License-Identifier: GPL-2.0
"""A test bed for sealed datagrams: UD QPs of a device, and a peer written in Python.

The peer shares no code with srnic: it uses a raw socket in another namespace, and tools/codec.
"""
import ctypes
import os
import socket
import struct
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from ipaddress import IPv6Address
from pathlib import Path

import pyverbs.enums as e
from pyverbs.addr import AH
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import RecvWR, SGE, SendWR
import srnic

from endpoint import GIDS, way_to

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/codec"))
from capture import is_group, roce                                          # noqa: E402
from sth import (SUITES, UD_OPCODES, End, Header, Packet, Seal, Speaker, deth,  # noqa: E402
                 k_group, k_pair)
from sth.datagram import GROUP_QPN                                          # noqa: E402

ROOM, SLOTS, GRH = 4096, 32, 40
QKEY, OUR_QPN, IMM = 0x11111111, 0x123456, 0x01020304
LIMIT = 60          # seconds to wait for expected packets
QUIET = 0.2         # seconds to watch for unexpected ones
ONLY, ONLY_IMM = UD_OPCODES
ATTACH_MCAST, DETACH_MCAST = 30, 31     # IB_USER_VERBS_CMD_*: pyverbs has neither
SOL_PACKET, PACKET_IGNORE_OUTGOING, SO_RCVBUFFORCE, ETH_P_ALL = 263, 23, 33, 3
REFUSALS = ("sth_auth_failed", "sth_missing", "sth_unexpected", "sth_replayed", "sth_crowded")


@dataclass(frozen=True)
class Place:
    """A pair of endpoints: the device sends to the peer or a group, the peer sends to the
    device."""

    name: str
    device: End         # queue pair 0 stands for the QP under test
    peer: End
    group: End = None
    key: str = "k"      # key that the rule names

    @property
    def out(self):
        return self.group or self.peer


PLACES = [
    Place("ipv4", End.at("10.77.0.1", 0), End.at("10.77.0.2", OUR_QPN)),
    Place("ipv6", End.at("fd77::1", 0), End.at("fd77::2", OUR_QPN)),
    # this group's rule uses a key of its own, of 20 bytes
    Place("ipv4 group", End.at("10.77.0.1", 0), End.at("10.77.0.2", OUR_QPN),
          End.at("239.77.0.1", GROUP_QPN), "g"),
    Place("ipv6 group", End.at("fd77::1", 0), End.at("fd77::2", OUR_QPN),
          End.at("ff15::77", GROUP_QPN)),
]


@dataclass
class Rules:
    """The rules of the namespace, and the seals that the peer derives from them."""

    keys: dict
    suite: object = None
    mode: str = None

    def set(self, rule, suite=None, mode=None):
        self.suite, self.mode = SUITES.get(suite), mode
        for prefix, key in (("default", "k"), ("239.77.0.0/16", "g")):
            more = [mode, suite, "key", key] if suite else []
            subprocess.run(["srnic", "policy", "replace", prefix, rule, *more], check=True,
                           stdout=subprocess.DEVNULL)

    def seal(self, place, suite=None, mode=None, key=None):
        key = key or self.keys[place.key]
        k_ud = (k_group(key) if place.group
                else k_pair(key, place.device.gid, place.peer.gid))
        return Seal(suite or self.suite, mode or self.mode, k_ud)


class Device:
    """The device under test."""

    def __init__(self, name):
        self.ctx = Context(name=name)
        self.pd = PD(self.ctx)
        self.gids = {IPv6Address(self.ctx.query_gid(port_num=1, index=i).gid).packed: i
                     for i in range(GIDS)}

    def counters(self):
        said = subprocess.run(["rdma", "statistic", "show", "link", f"{self.ctx.name}/1"],
                              check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        return Counter({name: int(said[said.index(name) + 1]) for name in REFUSALS})

    def refused(self, before, *names):
        """Return None once exactly these counters have grown by one for each name;
        otherwise what was counted."""
        end = time.monotonic() + LIMIT
        while True:
            more = self.counters() - before
            if more == Counter(names):
                return None
            if time.monotonic() > end:
                return f"counted as {dict(more)}, not as {dict(Counter(names))}"

    def way(self, place):
        gid = IPv6Address(place.out.gid).exploded
        return AH(self.pd, attr=way_to(gid, self.gids[place.device.gid]))


class Target:
    """A UD QP with posted receives."""

    def __init__(self, device):
        self.device = device
        self.cqs = CQ(device.ctx, SLOTS), CQ(device.ctx, SLOTS)
        cap = QPCap(max_send_wr=SLOTS, max_recv_wr=SLOTS, max_send_sge=1, max_recv_sge=1)
        init = QPInitAttr(qp_type=e.IBV_QPT_UD, scq=self.cqs[0], rcq=self.cqs[1], cap=cap)
        made = srnic.made(device.ctx, lambda: QP(device.pd, init))
        self.qp, self.handle = made.of, made.handle
        attr = QPAttr(port_num=1)
        attr.qkey = QKEY
        self.qp.to_rts(attr)
        self.mr = MR(device.pd, (SLOTS + 1) * (GRH + ROOM), e.IBV_ACCESS_LOCAL_WRITE)
        self.groups, self.ways = [], {}
        for slot in range(SLOTS):
            self.expect(slot)

    @property
    def qpn(self):
        return self.qp.qp_num

    def expect(self, slot):
        sge = SGE(self.mr.buf + slot * (GRH + ROOM), GRH + ROOM, self.mr.lkey)
        self.qp.post_recv(RecvWR(wr_id=slot, num_sge=1, sg=[sge]))

    def join(self, place):
        self.change(ATTACH_MCAST, place.group.gid)
        self.groups.append(place.group.gid)

    def change(self, command, gid):
        """Join or leave a group: struct ib_uverbs_attach_mcast after a header
        (ib_user_verbs.h)."""
        request = struct.pack("=IHH16sIHH", command, 8, 0, gid, self.handle, 0, 0)
        os.write(self.device.ctx.cmd_fd, request)

    def send(self, place, text, imm=None):
        """Send a datagram; return its completion status."""
        self.mr.write(text, len(text), SLOTS * (GRH + ROOM))
        sge = SGE(self.mr.buf + SLOTS * (GRH + ROOM), len(text), self.mr.lkey)
        opcode = e.IBV_WR_SEND if imm is None else e.IBV_WR_SEND_WITH_IMM
        wr = SendWR(opcode=opcode, num_sge=1, sg=[sge], send_flags=e.IBV_SEND_SIGNALED,
                    imm_data=socket.htonl(imm or 0))
        if place.name not in self.ways:
            self.ways[place.name] = self.device.way(place)
        wr.set_wr_ud(self.ways[place.name], place.out.qpn, QKEY)
        self.qp.post_send(wr)
        found = self.poll(self.cqs[0], LIMIT)
        return found[0].status if found else None

    @staticmethod
    def poll(cq, limit):
        end = time.monotonic() + limit
        while True:
            found = cq.poll(SLOTS)[1]
            if found or time.monotonic() > end:
                return found
            time.sleep(0.001)

    def received(self, count, limit=LIMIT):
        """Return (sender's QPN, text, immediate data) of `count` datagrams, or of those
        that arrive in time."""
        out = []
        end = time.monotonic() + limit
        while len(out) < count and time.monotonic() < end:
            for wc in self.poll(self.cqs[1], max(0, end - time.monotonic())):
                text = self.mr.read(wc.byte_len - GRH, wc.wr_id * (GRH + ROOM) + GRH)
                imm = socket.ntohl(wc.imm_data) if wc.wc_flags & e.IBV_WC_WITH_IMM else None
                out.append((wc.src_qp, text, imm))
                self.expect(wc.wr_id)
        return out

    def close(self):
        for gid in self.groups:
            self.change(DETACH_MCAST, gid)
        for way in self.ways.values():
            way.close()
        for thing in (self.qp, self.mr, *self.cqs):
            thing.close()


@contextmanager
def elsewhere(netns):
    """In this block, open files in another network namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/ns/net", "rb") as here, open(f"/run/netns/{netns}", "rb") as there:
        if libc.setns(there.fileno(), 0):
            raise OSError(ctypes.get_errno(), f"cannot enter the namespace {netns}")
        try:
            yield
        finally:
            if libc.setns(here.fileno(), 0):
                raise OSError(ctypes.get_errno(), "cannot come back")


class Peer:
    """A raw socket in another namespace."""

    def __init__(self, netns, dev, mac):
        with elsewhere(netns):
            self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
            self.sock.bind((dev, 0))
        self.sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
        self.sock.settimeout(QUIET)
        self.own, self.mac = self.sock.getsockname()[4], bytes.fromhex(mac.replace(":", ""))

    def hardware(self, gid):
        """Return the Ethernet address for frames to a GID (RFC 1112, 6.4; RFC 2464, 7)."""
        if gid[0] == 0xff:
            return b"\x33\x33" + gid[12:]
        if is_group(gid):
            return b"\x01\x00\x5e" + bytes([gid[13] & 0x7f]) + gid[14:]
        return self.mac

    def put(self, sgid, dgid, body):
        packet = Packet(sgid, dgid, body)
        kind = b"\x08\x00" if packet.v4 else b"\x86\xdd"
        self.sock.send(self.hardware(dgid) + self.own + kind + packet.bytes())

    def taken(self, qpn, count, limit=LIMIT):
        """Return (source, destination, BTH to pad) of `count` datagrams from that QP; from any, if
        it is None."""
        out = []
        end = time.monotonic() + limit
        while len(out) < count and time.monotonic() < end:
            try:
                found = roce(self.sock.recv(65535))
            except TimeoutError:
                continue
            if found and found[2][0] in UD_OPCODES and \
                    qpn in (None, int.from_bytes(found[2][17:20], "big")):
                out.append(found)
        return out


@dataclass
class Talk:
    """Datagrams of the peer to the target at a place, under a salt."""

    peer: Peer
    place: Place
    target: Target
    seal: Seal
    salt: bytes = field(default_factory=lambda: os.urandom(8))

    def __post_init__(self):
        self.speaker = Speaker(self.place.peer, self.salt)
        self.to = self.place.group or End(self.place.device.gid, self.target.qpn)

    def header(self, opcode=ONLY, pad=0):
        ext = deth(QKEY, self.place.peer.qpn)
        ext += IMM.to_bytes(4, "big") if opcode == ONLY_IMM else b""
        return Header(opcode, self.to.qpn, self.speaker.counter, ext, pad=pad)

    def body(self, text, opcode=ONLY, counter=None, seal=None, pad=None):
        """Return BTH to pad; if `pad` is given, the text includes the pad already."""
        room = -len(text) % 4
        header = self.header(opcode, room if pad is None else pad)
        return self.speaker.seal(seal or self.seal, header, text + bytes(room), self.to.gid,
                                 counter)

    def put(self, body, sgid=None):
        self.peer.put(sgid or self.place.peer.gid, self.to.gid, body)

    def say(self, text, **more):
        self.put(self.body(text, **more))


def changed(body, at, mask=1):
    out = bytearray(body)
    out[at] ^= mask
    return bytes(out)
