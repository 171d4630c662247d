#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""queue_rule - accept every packet that a firewall rule queues, super-packets whole.

    queue_rule.py QUEUE

Says "ready" when the kernel has accepted the queue. Runs until it is killed.
"""

import socket
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/redteam"))
from netlink import attr, attrs_of                                           # noqa: E402

NETLINK_NETFILTER, QUEUE = 12, 3
PACKET, VERDICT, CONFIG = (QUEUE << 8 | number for number in range(3))
REQUEST, ACK = 1, 4
CFG_CMD, CFG_PARAMS, CFG_MASK, CFG_FLAGS = 1, 2, 4, 5
BIND, COPY_META, GSO = 1, 1, 1 << 2
PACKET_HDR, VERDICT_HDR = 1, 2
NF_ACCEPT = 1


class Queue:
    def __init__(self, number):
        self.number = number
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER)

    def send(self, kind, flags, *attrs):
        body = struct.pack(">BBH", socket.AF_UNSPEC, 0, self.number) + b"".join(attrs)
        self.sock.send(struct.pack("IHHII", 16 + len(body), kind, REQUEST | flags, 0, 0) + body)

    def bind(self):
        self.send(CONFIG, ACK, attr(CFG_CMD, struct.pack(">BBH", BIND, 0, 0)),
                  attr(CFG_PARAMS, struct.pack(">IB", 0, COPY_META)),
                  attr(CFG_FLAGS, struct.pack(">I", GSO)), attr(CFG_MASK, struct.pack(">I", GSO)))
        error = -struct.unpack_from("i", self.sock.recv(1 << 16), 16)[0]
        if error:
            raise OSError(error, "no queue")

    def accept(self):
        data = self.sock.recv(1 << 16)
        while len(data) >= 20:
            length, kind = struct.unpack_from("IH", data)
            if kind == PACKET:
                self.accept_packet(attrs_of(data[20:length])[PACKET_HDR])
            data = data[(length + 3) & ~3:]

    def accept_packet(self, header):
        number = struct.unpack_from(">I", header)[0]
        self.send(VERDICT, 0, attr(VERDICT_HDR, struct.pack(">II", NF_ACCEPT, number)))


def main():
    queue = Queue(int(sys.argv[1]))
    queue.bind()
    print("ready", flush=True)
    while True:
        queue.accept()


if __name__ == "__main__":
    main()
