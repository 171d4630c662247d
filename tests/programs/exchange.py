#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Send random bytes to the other end by TCP, and as many back. Each end compares hashes.

    exchange.py serve
    exchange.py connect ADDRESS BYTES
"""

import hashlib
import os
import socket
import sys

PORT = 5002


def send(sock, count):
    """Send so many bytes and their hash."""
    data = os.urandom(count)
    sock.sendall(data)
    sock.sendall(hashlib.sha256(data).digest())


def receive_all(sock, count):
    data = bytearray()
    while len(data) < count:
        some = sock.recv(min(count - len(data), 1 << 20))
        assert some, f"the connection ended after {len(data)} bytes of {count}"
        data += some
    return bytes(data)


def receive(sock, count):
    data = receive_all(sock, count)
    assert hashlib.sha256(data).digest() == receive_all(sock, 32), f"{count} bytes: wrong hash"


if sys.argv[1] == "serve":
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        server.bind(("::", PORT))
        server.listen()
        peer, _ = server.accept()
    with peer:
        size = int.from_bytes(receive_all(peer, 4), "big")
        receive(peer, size)
        send(peer, size)
else:
    size = int(sys.argv[3])
    with socket.create_connection((sys.argv[2], PORT)) as peer:
        peer.sendall(size.to_bytes(4, "big"))
        send(peer, size)
        receive(peer, size)
