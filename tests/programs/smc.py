#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""smc - exchange random bytes by sockets of SMC, both ways at once, and compare them.

`eid` gives this machine an identifier, without which it speaks no SMC-Rv2. `serve` sends back what
it receives on each connection. `call` prints the bytes compared.

Example:
    smc.py eid; smc.py serve 10.77.0.2 --connections 2 & smc.py call 10.77.0.2 --connections 2
"""
import argparse
import os
import socket
import struct
import sys
from threading import Thread

IPPROTO_SMC = 256
PORT = 4010
# Generic netlink
NETLINK_GENERIC = 16
GENL_ID_CTRL = 16
CTRL_CMD_GETFAMILY = 3
CTRL_ATTR_FAMILY_ID = 1
CTRL_ATTR_FAMILY_NAME = 2
SMC_NETLINK_ADD_UEID = 10
SMC_NLA_EID_TABLE_ENTRY = 1
ACK, REQUEST, NLMSG_ERROR = 4, 1, 2
# An EID has 32 characters
EID = b"SRNIC-TEST".ljust(32) + b"\0"
SIZES = 1, 4095, 65536, 3, 200001


def attribute(kind, data):
    return struct.pack("=HH", len(data) + 4, kind) + data + bytes(-len(data) % 4)


def asked(sock, family, command, data):
    """Send a request; return the answer's payload, or the errno that stands in its place."""
    body = struct.pack("=BBH", command, 1, 0) + data
    sock.send(struct.pack("=IHHII", len(body) + 16, family, REQUEST | ACK, 1, 0) + body)
    answer = sock.recv(65536)
    kind = struct.unpack_from("=H", answer, 4)[0]
    return -struct.unpack_from("=i", answer, 16)[0] if kind == NLMSG_ERROR else answer[20:]


def family_of(answer):
    at = 0
    while at < len(answer):
        length, kind = struct.unpack_from("=HH", answer, at)
        if kind == CTRL_ATTR_FAMILY_ID:
            return struct.unpack_from("=H", answer, at + 4)[0]
        at += length + -length % 4
    raise OSError("the kernel does not speak SMC's netlink")


def add_eid():
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC) as sock:
        family = family_of(asked(sock, GENL_ID_CTRL, CTRL_CMD_GETFAMILY,
                                 attribute(CTRL_ATTR_FAMILY_NAME, b"SMC_GEN_NETLINK\0")))
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC) as sock:
        error = asked(sock, family, SMC_NETLINK_ADD_UEID, attribute(SMC_NLA_EID_TABLE_ENTRY, EID))
        if error:
            raise OSError(error, os.strerror(error))


def opened():
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM, IPPROTO_SMC)


def echo(peer):
    with peer:
        while data := peer.recv(1 << 16):
            peer.sendall(data)


def serve(args):
    with opened() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((args.address, PORT))
        listener.listen(args.connections)
        for _ in range(args.connections):
            print("listening", flush=True)
            Thread(target=echo, args=listener.accept()[:1]).start()


def received(sock, size):
    found = bytearray()
    while len(found) < size:
        data = sock.recv(size - len(found))
        if not data:
            break
        found += data
    return bytes(found)


def call(args):
    total = 0
    for _ in range(args.connections):
        with opened() as sock:
            sock.connect((args.address, PORT))
            data = os.urandom(args.bytes)
            pieces = [data[at:at + size] for at, size in cuts(len(data))]
            sender = Thread(target=lambda: [sock.sendall(piece) for piece in pieces])
            sender.start()
            back = received(sock, len(data))
            sender.join()
            if back != data:
                sys.exit("smc: other bytes came back than were sent")
            total += 2 * len(data)
    print(total)


def cuts(length):
    """Yield pieces, of lengths in turns, that make up the whole."""
    at = turn = 0
    while at < length:
        size = SIZES[turn % len(SIZES)]
        yield at, size
        at, turn = at + size, turn + 1


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("command", choices=("eid", "serve", "call"))
    ap.add_argument("address", nargs="?")
    ap.add_argument("--connections", type=int, default=2, help="one after the other")
    ap.add_argument("--bytes", type=int, default=1 << 20)
    args = ap.parse_args()
    {"eid": lambda _: add_eid(), "serve": serve, "call": call}[args.command](args)


if __name__ == "__main__":
    main()
