#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""malform - packets on someone else's connection, each malformed in one way.

Follows a connection like srnic-forge, waits until the wire is silent and sends, for
each kind of malformation, one group of packets with the right addresses, QP and PSN.
Finally prints one JSON object: kind -> number of packets sent.

Example:
  in a srnic-malform --dev va --from 10.77.0.1 --to 10.77.0.2
"""
import argparse
import ipaddress
import json
import os
import socket
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import forge  # noqa: E402  (beside this file)

RC_WRITE_FIRST = 0x06
RC_WRITE_ONLY = 0x0A
RC_SEND_ONLY = 0x04
RC_ACK = 0x11
RC = set(range(0x00, 0x15)) | {0x16, 0x17}
A19 = {0x1C, 0x1D}      # FLUSH and ATOMIC WRITE, of RC alone
UC = set(range(0x20, 0x2C))
UD = {0x64, 0x65}
CNP = {0x81}
XRC = {0xA0 | opcode for opcode in RC}
HANDSHAKE = {0xC0, 0xC1, 0xC2, 0xC3}
DEFINED = RC | A19 | UC | UD | CNP | XRC | HANDSHAKE


def bth(victim, opcode, flags=0x40, psn=None, sth=0, qpn=None, pkey=0xFFFF):
    psn = victim.psn if psn is None else psn
    return struct.pack("!BBHIBBH", opcode, flags, pkey, victim.qpn if qpn is None else qpn,
                       0x80 | sth << 4, psn >> 16, psn & 0xFFFF)


def frame(victim, body, good_icrc=True, udp_len=None, cut=0):
    """Add Ethernet, IP and UDP around `body` (BTH on), and a right or a wrong ICRC."""
    length = 8 + len(body) + 4
    udp = victim.frame[34:36] + struct.pack("!HHH", forge.ROCE_PORT,
                                            length if udp_len is None else udp_len, 0)
    ip = bytearray(victim.frame[14:34])
    ip[0] = 0x45
    ip[2:4] = struct.pack("!H", 20 + length - cut)
    ip[4:8] = b"\0\0\x40\0"
    ip[10:12] = b"\0\0"
    ip[10:12] = struct.pack("!H", forge.ip_checksum(ip))
    crc = forge.icrc(ip, udp, body)
    if not good_icrc:
        crc = bytes(b ^ 0x5A for b in crc)
    packet = bytes(ip) + udp + body + crc
    return victim.frame[:14] + packet[:len(packet) - cut]


def reth(length, key=0xDEADBEEF):
    return struct.pack("!QII", 0x1000, key, length)


def truncated(victim):
    """Yield all lengths from an empty UDP payload to one byte less than the headers need."""
    whole = bth(victim, RC_WRITE_ONLY) + reth(0)
    for n in range(len(whole)):
        yield frame(victim, whole[:n])


def bad_udp_length(victim):
    whole = bth(victim, RC_SEND_ONLY) + b"x" * 32
    for udp_len in (0, 7, 8, 12, 8 + len(whole) + 5, 0xFFFF):
        yield frame(victim, whole, udp_len=udp_len)


def unknown_opcode(victim):
    for opcode in set(range(256)) - DEFINED:
        yield frame(victim, bth(victim, opcode) + b"x" * 32)


def wrong_icrc(victim):
    for size in (0, 4, 256, 1024):
        yield frame(victim, bth(victim, RC_SEND_ONLY) + b"x" * size, good_icrc=False)


def wrong_sth(victim):
    for code in range(8):
        yield frame(victim, bth(victim, RC_SEND_ONLY, sth=code) +
                    os.urandom(forge.STH_LEN[code]) + b"x" * 32)


def sth_cut_short(victim):
    for code in range(1, 8):
        yield frame(victim, bth(victim, RC_SEND_ONLY, sth=code) +
                    os.urandom(forge.STH_LEN[code] - 1))


def bad_version(victim):
    for version in range(1, 16):
        yield frame(victim, bth(victim, RC_SEND_ONLY, flags=0x40 | version) + b"x" * 32)


def bad_pad(victim):
    # pad without payload; pad in a packet without payload field
    for pad in (1, 2, 3):
        yield frame(victim, bth(victim, RC_SEND_ONLY, flags=0x40 | pad << 4))
        yield frame(victim, bth(victim, RC_ACK, flags=0x40 | pad << 4) + b"\0\0\0\0" + b"\0" * pad)


def unknown_qp(victim):
    for qpn in (0, 2, 3, 0xFFFFFE):
        yield frame(victim, bth(victim, RC_SEND_ONLY, qpn=qpn) + b"x" * 32)


def other_transport(victim):
    xrceth = b"\0" * 4
    for opcode, ext in ((0x24, b""), (0x2A, reth(0)), (0x64, b"\0" * 8),
                        (0xA4, xrceth), (0xAC, xrceth + reth(0)), (0xB1, b"\0" * 4)):
        yield frame(victim, bth(victim, opcode) + ext)


KINDS = (truncated, bad_udp_length, unknown_opcode, wrong_icrc, wrong_sth, sth_cut_short,
         bad_version, bad_pad, unknown_qp, other_transport)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Example:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--dev", required=True, help="netdev to watch and to send from")
    ap.add_argument("--from", dest="src", required=True, help="IPv4 address to pose as")
    ap.add_argument("--to", dest="dst", required=True, help="IPv4 address of the victim")
    ap.add_argument("--as", dest="sender", help="IPv4 address to send from, of somebody else")
    ap.add_argument("--only", help="kinds, separated by commas: " +
                    ", ".join(k.__name__ for k in KINDS))
    ap.add_argument("--not", dest="skip", default="", help="kinds to leave out")
    args = ap.parse_args()
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(forge.ETH_P_ALL))
    sock.bind((args.dev, 0))
    victim = forge.follow(sock, ipaddress.IPv4Address(args.src).packed,
                          ipaddress.IPv4Address(args.dst).packed, 0.5, 20, 1024)
    if victim.qpn is None:
        sys.exit(f"malform: no RC request from {args.src} to {args.dst} seen on {args.dev}")
    if args.sender:
        sender = ipaddress.IPv4Address(args.sender).packed
        victim.frame = victim.frame[:26] + sender + victim.frame[30:]
    sent = {}
    for kind in KINDS:
        name = kind.__name__
        if (args.only and name not in args.only.split(",")) or name in args.skip.split(","):
            continue
        for packet in kind(victim):
            sock.send(packet)
            sent[name] = sent.get(name, 0) + 1
    print(json.dumps(sent))


if __name__ == "__main__":
    main()
