#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""rds - send datagrams of RDS from one address to another, with RDMA both ways, and compare bytes.

Both addresses must be this machine's. Prints the bytes that were compared.

Example:
    tests/programs/rds.py 10.77.0.1 10.77.0.2 --rounds 3
"""
import argparse
import ctypes
import mmap
import os
import socket
import struct
import sys

AF_RDS = 21
SOL_RDS = 276
RDS_FREE_MR = 3
RDS_CMSG_RDMA_ARGS = 1
RDS_CMSG_RDMA_DEST = 2
RDS_CMSG_RDMA_MAP = 3
RDS_CMSG_RDMA_STATUS = 4
RDS_RDMA_READWRITE = 0x01
RDS_RDMA_FENCE = 0x02
RDS_RDMA_INVALIDATE = 0x04
RDS_RDMA_NOTIFY_ME = 0x20
PORT = 4000
SIZES = 1, 63, 4095, 4096, 4097, 65536, 150001
REMOTE = 200003                 # bytes of an RDMA operation
OFFSET = 13                     # at which they begin in a page


class Wrong(Exception):
    """Something else has arrived, or the wrong way."""


class Memory:
    """Memory whose address is known."""

    def __init__(self):
        self.map = mmap.mmap(-1, REMOTE + OFFSET)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.map)) + OFFSET

    def set(self, data):
        self.map[OFFSET:] = data

    def get(self):
        return self.map[OFFSET:]


def opened(address):
    end = socket.socket(AF_RDS, socket.SOCK_SEQPACKET)
    # As far as the system allows, 208 KiB at least: a datagram must fit
    end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
    end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    end.settimeout(60)
    end.bind((address, PORT))
    return end


def datagrams(sender, receiver):
    """Send one datagram of each size before the first is received; return the bytes compared."""
    sent = [os.urandom(size) for size in SIZES]
    for data in sent:
        sender.sendto(data, receiver.getsockname())
    for data in sent:
        if receiver.recv(1 << 20) != data:
            raise Wrong(f"a datagram of {len(data)} bytes")
    return sum(SIZES)


def granted(owner, user, memory):
    """Let the user access the owner's memory, and tell it by a datagram, which carries the cookie;
    return this. RDS_GET_MR_FOR_DEST will not do: RDS registers through a connection's queue pair
    and returns EOPNOTSUPP to who names none (rds_ib_reg_frmr())."""
    cookie = ctypes.c_uint64()
    request = struct.pack("=QQQQ", memory.address, REMOTE, ctypes.addressof(cookie),
                          RDS_RDMA_READWRITE)
    owner.sendmsg([b"yours"], [(SOL_RDS, RDS_CMSG_RDMA_MAP, request)], 0, user.getsockname())
    data, control, _, _ = user.recvmsg(64, 256)
    cookies = [struct.unpack("=Q", body)[0] for _, kind, body in control
               if kind == RDS_CMSG_RDMA_DEST]
    if data != b"yours" or cookies != [cookie.value]:
        raise Wrong("the datagram with the cookie")
    return cookie.value


def revoked(owner, cookie):
    owner.setsockopt(SOL_RDS, RDS_FREE_MR, struct.pack("=QQ", cookie, RDS_RDMA_INVALIDATE))


def operate(user, owner, memory, cookie, flags):
    """Do one RDMA operation between the user's memory and the owner's, with a datagram behind
    it; wait until both have ended."""
    piece = ctypes.create_string_buffer(struct.pack("=QQ", memory.address, REMOTE), 16)
    request = struct.pack("=QQQQQQQ", cookie, 0, REMOTE, ctypes.addressof(piece), 1,
                          flags | RDS_RDMA_NOTIFY_ME, 7)
    user.sendmsg([b"done"], [(SOL_RDS, RDS_CMSG_RDMA_ARGS, request)], 0, owner.getsockname())
    if owner.recv(64) != b"done":
        raise Wrong("the datagram behind an RDMA operation")
    _, control, _, _ = user.recvmsg(0, 256)
    statuses = [struct.unpack_from("=Qi", body) for _, kind, body in control
                if kind == RDS_CMSG_RDMA_STATUS]
    if statuses != [(7, 0)]:
        raise Wrong(f"the status of an RDMA operation: {statuses}")


def rdma(user, owner):
    """Write to the owner's memory, read it back elsewhere; return the bytes compared."""
    mine, theirs, back = Memory(), Memory(), Memory()
    mine.set(os.urandom(REMOTE))
    cookie = granted(owner, user, theirs)
    operate(user, owner, mine, cookie, RDS_RDMA_READWRITE)
    if theirs.get() != mine.get():
        raise Wrong("an RDMA WRITE")
    operate(user, owner, back, cookie, RDS_RDMA_FENCE)
    if back.get() != mine.get():
        raise Wrong("an RDMA READ")
    revoked(owner, cookie)
    return 2 * REMOTE


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("addresses", nargs=2)
    ap.add_argument("--rounds", type=int, default=3)
    args = ap.parse_args()
    one, other = map(opened, args.addresses)
    total = 0
    for _ in range(args.rounds):
        for sender, receiver in (one, other), (other, one):
            total += datagrams(sender, receiver) + rdma(sender, receiver)
    print(total)


if __name__ == "__main__":
    try:
        main()
    except Wrong as wrong:
        sys.exit(f"rds: {wrong}: other bytes than were sent")
