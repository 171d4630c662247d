#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""frame_mirror - return each frame of raw_packet.py's protocols to its sender.

    frame_mirror.py DEVICE FILE          create FILE when ready

It is a program of its own, without pyverbs: in a VM that takes seconds to load.
"""
import contextlib
import socket
import struct
import sys

PROTOCOL = 0x88b5       # for local experiments (IEEE 802)
OTHER_PROTOCOL = 0x88b6


def netdev_of(device):
    with open(f"/sys/class/infiniband/{device}/ports/1/gid_attrs/ndevs/0", encoding="ascii") as f:
        return f.read().strip()


def create_file(name):
    with open(name, "w", encoding="ascii"):
        pass


def mirror(device, ready):
    netdev = netdev_of(device)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as wire:
        wire.bind((netdev, 0))
        create_file(ready)
        while True:
            # a frame is lost where the queue is full, and all are when the other end has gone
            with contextlib.suppress(OSError):
                frame, address = wire.recvfrom(65536)
                protocol = struct.unpack("!H", frame[12:14])[0]
                if address[2] == socket.PACKET_HOST and protocol in (PROTOCOL, OTHER_PROTOCOL):
                    wire.send(frame[6:12] + frame[:6] + frame[12:])


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    mirror(*sys.argv[1:])
