#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Send UDP datagrams over IPv4 with a wrong checksum, and then a right one; or wait for it.

    wrong_checksum.py receive
    wrong_checksum.py send OWN-ADDRESS ADDRESS COUNT

The receiver fails if a datagram with a wrong checksum reaches it.
"""

import socket
import struct
import sys

PORT = 5003
GOOD, BAD = b"right", b"wrong"


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def datagram(own, peer, payload, error):
    """An IPv4 packet; the kernel completes its header. The checksum is off by `error`."""
    length = 8 + len(payload)
    ends = socket.inet_aton(own) + socket.inet_aton(peer)
    pseudo = ends + struct.pack("!HH", socket.IPPROTO_UDP, length)
    udp = struct.pack("!HHH", PORT, PORT, length)
    check = checksum(pseudo + udp + b"\0\0" + payload + b"\0" * (len(payload) % 2)) ^ error
    header = struct.pack("!BBHHHBBH", 0x45, 0, 20 + length, 0, 0, 64, socket.IPPROTO_UDP, 0)
    return header + ends + udp + struct.pack("!H", check) + payload


if sys.argv[1] == "receive":
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("", PORT))
        data, sender = sock.recvfrom(2048)
        assert data == GOOD, data
        sock.sendto(data, sender)
else:
    own, peer, count = sys.argv[2], sys.argv[3], int(sys.argv[4])
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW) as raw, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as answers:
        answers.bind((own, PORT))
        answers.settimeout(1)
        for _ in range(count):
            raw.sendto(datagram(own, peer, BAD, 0x5555), (peer, 0))
        # the receiver may not be there yet
        while True:
            raw.sendto(datagram(own, peer, GOOD, 0), (peer, 0))
            try:
                assert answers.recv(2048) == GOOD
                break
            except TimeoutError:
                continue
