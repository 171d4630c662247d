#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""rewrite - a sender that goes on writing in its packets while the receiver reads them.

No privilege is needed for it: what is spliced into a UDP socket are pages, not copies, and
whoever shares the kernel with the receiver may have them mapped. The packet is right as long
as eight of its bytes say one thing; a process changes them to another and back all the time.
A receiver that checks a packet where it lies, and then reads it again to place it, places
what it has not checked.

Example:
  in a rewrite.py --device srnic0 --netns b --from fd77::2 --to fd77::1
"""
import argparse
import mmap
import os
import signal
import socket
import struct
import sys
from ipaddress import IPv6Address
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "verify"))
from datagram_bed import (GRH, ONLY, OUR_QPN, QKEY, ROOM, Device, Packet, Target,  # noqa: E402
                          elsewhere)

UDP_NO_CHECK6_TX = 101
BEFORE_BTH = 40 + 8         # IPv6, UDP
BEFORE_PAYLOAD = 12 + 8     # BTH, DETH
LENGTH = 3072               # of the payload: all in one page, or it would be copied together
AT = LENGTH // 2
RIGHT, WRONG = b"checked.", b"not so!!"
MOST = 20                   # times as many datagrams as are asked for


def datagram(qpn, sgid, dgid):
    """BTH to ICRC of a UD SEND ONLY whose payload has RIGHT in its middle."""
    bth = struct.pack(">BBHIBBH", ONLY, 0x40, 0xffff, qpn, 0, 0, 0)
    deth = struct.pack(">II", QKEY, OUR_QPN)
    payload = bytearray(os.urandom(LENGTH))
    payload[AT:AT + len(RIGHT)] = RIGHT
    return Packet(sgid, dgid, bth + deth + payload).bytes()[BEFORE_BTH:]


class Spliced:
    """Memory whose pages leave as a packet, and stay ours to write to."""

    def __init__(self, content, sock):
        self.length, self.sock = len(content), sock
        self.file = os.memfd_create("packet")
        os.write(self.file, content)
        self.map = mmap.mmap(self.file, self.length)
        self.pipe = os.pipe()

    def keep_changing(self):
        """In a process of its own, until that is killed. Returns its number."""
        child = os.fork()
        if child:
            return child
        at = BEFORE_PAYLOAD + AT
        end = at + len(RIGHT)
        while True:
            self.map[at:end] = WRONG
            self.map[at:end] = RIGHT

    def send(self):
        os.splice(self.file, self.pipe[1], self.length, offset_src=0)
        os.splice(self.pipe[0], self.sock.fileno(), self.length)


def sender(netns, src, dst):
    """A connected UDP socket over there: no address can be given with a splice."""
    with elsewhere(netns):
        sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        sock.bind((src, 0xc000))
    sock.setsockopt(socket.IPPROTO_UDP, UDP_NO_CHECK6_TX, 1)
    sock.connect((dst, 4791))
    return sock


def run(target, spliced, count):
    """Of so many datagrams: how many were taken; and how many of those are not what was checked."""
    taken = wrong = 0
    for _ in range(count):
        spliced.send()
        for wc in target.poll(target.cqs[1], 0):
            text = target.mr.read(wc.byte_len - GRH, wc.wr_id * (GRH + ROOM) + GRH)
            taken += 1
            wrong += text[AT:AT + len(RIGHT)] != RIGHT
            target.expect(wc.wr_id)
    return taken, wrong


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("\n\n")[-1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--device", required=True, help="whose queue pair receives")
    ap.add_argument("--netns", required=True, help="network namespace of the sender")
    ap.add_argument("--from", dest="src", required=True, metavar="ADDRESS", help="the sender's")
    ap.add_argument("--to", dest="dst", required=True, metavar="ADDRESS", help="the device's")
    ap.add_argument("--count", type=int, default=2000, help="datagrams, or more if none was caught (%(default)s)")
    args = ap.parse_args()

    target = Target(Device(args.device))
    src, dst = (IPv6Address(address).packed for address in (args.src, args.dst))
    spliced = Spliced(datagram(target.qpn, src, dst), sender(args.netns, args.src, args.dst))
    child = spliced.keep_changing()
    sent = taken = wrong = 0
    try:
        # on a busy machine the two are seldom at work at once
        while sent < MOST * args.count and not 0 < taken < sent:
            more = run(target, spliced, args.count)
            sent, taken, wrong = sent + args.count, taken + more[0], wrong + more[1]
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    print(f"- {sent} datagrams sent while being changed: {taken} taken, "
          f"{wrong} of those with bytes that nobody has checked")
    if not 0 < taken < sent:
        sys.exit("FAIL: sender and receiver never met at those bytes: that shows nothing")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
