# SPDX-License-Identifier: GPL-2.0
"""The attacker's position: a wire between two ends that every frame passes. It can observe,
change, withhold, replay and forge frames."""

import ctypes
import os
import pathlib
import select
import socket
import struct
import sys
import time
from dataclasses import dataclass, replace

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "codec"))
from sth.packet import EXT_LEN, HANDSHAKE, OPCODES, UD_OPCODES, Header, Packet  # noqa: E402

ETHER_LEN, IP_LEN, UDP_LEN, ICRC_LEN = 14, 20, 8, 4
ROCE_PORT = 4791
STH_LEN = (0, 12, 16, 20, 28, 32, 48, 64)
ETH_P_ALL, ETH_P_IP, IPPROTO_UDP = 3, 0x0800, 17
PACKET_IGNORE_OUTGOING, SOL_PACKET, SO_RCVBUFFORCE = 23, 263, 33
CLONE_NEWNS, MS_REC, MS_SLAVE, MNT_DETACH = 0x20000, 0x4000, 0x80000, 2


def enter(netns):
    """Move this process to a network namespace; remount /sys to show its devices, like
    `ip netns exec`."""
    libc = ctypes.CDLL(None, use_errno=True)

    def must(result, what):
        if result:
            raise OSError(ctypes.get_errno(), f"cannot {what} of the namespace {netns}")

    with open(f"/run/netns/{netns}", "rb") as ns:
        must(libc.setns(ns.fileno(), 0), "enter the network")
    must(libc.unshare(CLONE_NEWNS), "have mounts")
    must(libc.mount(b"", b"/", None, MS_SLAVE | MS_REC, None), "have mounts")
    libc.umount2(b"/sys", MNT_DETACH)
    must(libc.mount(b"sysfs", b"/sys", b"sysfs", 0, None), "mount the sysfs")


def row(opcode):
    """Return the table row of an opcode, or None. UC's opcodes correspond to RC's (IBA 9.2.1)."""
    return OPCODES.get(opcode & 0x1F if opcode >> 5 == 1 else opcode) or UD_OPCODES.get(opcode)


def mapped(address):
    return bytes(10) + b"\xff\xff" + address


@dataclass(frozen=True)
class Shot:
    """The parts of a RoCEv2 packet. frame() puts them together, with right checksums and ICRC."""

    ether: bytes
    sgid: bytes
    dgid: bytes
    sport: int
    header: Header
    sth: bytes
    payload: bytes      # including the pad

    @classmethod
    def of(cls, frame):
        """Parse a frame; None if it is not RoCEv2."""
        if len(frame) < ETHER_LEN + IP_LEN + UDP_LEN + 12 + ICRC_LEN or \
                struct.unpack_from("!H", frame, 12)[0] != ETH_P_IP or frame[14] != 0x45:
            return None
        ip = frame[ETHER_LEN:]
        total, = struct.unpack_from("!H", ip, 2)
        sport, dport = struct.unpack_from("!HH", ip, IP_LEN)
        if ip[9] != IPPROTO_UDP or dport != ROCE_PORT:
            return None
        body = ip[IP_LEN + UDP_LEN:total - ICRC_LEN]
        if body[0] in HANDSHAKE:
            ext = EXT_LEN["HS"]
        elif row(body[0]):
            ext = row(body[0]).hdr_len - 12
        else:
            return None
        header = Header.parse(body, ext)
        at = 12 + ext
        seal = STH_LEN[header.code]
        return cls(frame[:ETHER_LEN], mapped(ip[12:16]), mapped(ip[16:20]), sport, header,
                   body[at:at + seal], body[at + seal:])

    def frame(self):
        body = self.header.bytes() + self.sth + self.payload
        return self.ether + Packet(self.sgid, self.dgid, body, self.sport).bytes()

    @property
    def opcode(self):
        return self.header.opcode

    @property
    def psn(self):
        return self.header.psn

    @property
    def request(self):
        known = row(self.opcode)
        return bool(known) and not known.response

    def but(self, payload=None, sth=None, **header):
        """Return a copy with changes."""
        return replace(self, header=replace(self.header, **header),
                       payload=self.payload if payload is None else payload,
                       sth=self.sth if sth is None else sth)

    def disguises(self):
        """Yield the forms in which an attacker without a key can send the packet: without a
        seal; with its original seal, now invalid; and with a random one of each size."""
        yield self.but(sth=b"", code=0)
        if not self.header.code:
            return
        yield self
        for code in range(1, 8):
            yield self.but(sth=os.urandom(STH_LEN[code]), code=code)

    def back(self):
        """Return the packet reflected: as if sent by its receiver."""
        return replace(self, ether=self.ether[6:12] + self.ether[:6] + self.ether[12:],
                       sgid=self.dgid, dgid=self.sgid)


class Wire:
    """Two netdevs; frames received by one leave by the other, unless the tap intervenes."""

    TO_A, TO_B = 0, 1

    def __init__(self, netns, ports):
        enter(netns)
        self.ports = [self.open(port) for port in ports]
        self.tap = None         # (source side, Shot) -> frames or shots to pass on; None: unchanged
        self.seen = []          # (side, Shot) of all RoCEv2 packets

    @staticmethod
    def open(name):
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        sock.bind((name, 0))
        sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
        sock.setblocking(False)
        return sock

    def until(self, done, limit=60):
        """Carry frames until done() holds; return False after `limit` seconds without that."""
        end = time.monotonic() + limit
        while not done():
            if time.monotonic() > end:
                return False
            for sock in select.select(self.ports, [], [], 0.002)[0]:
                self.carry(self.ports.index(sock))
        return True

    def rest(self, seconds=0.3):
        """Let frames in flight arrive."""
        self.until(lambda: False, seconds)

    def carry(self, side):
        while True:
            try:
                frame = self.ports[side].recv(65535)
            except BlockingIOError:
                return
            shot = Shot.of(frame)
            out = None
            if shot:
                self.seen.append((side, shot))
                out = self.tap and self.tap(side, shot)
            self.put(1 - side, [frame] if out is None else out)

    def put(self, side, frames):
        """Send frames towards that side."""
        for frame in frames:
            self.ports[side].send(frame.frame() if isinstance(frame, Shot) else frame)
