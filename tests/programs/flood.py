#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make TCP connections from many addresses, and keep as many open as the server lets.

    flood.py SERVER PORT FILE ADDRESS...

Connections do, in turn: nothing; send a byte now and then, as the head of a TLS record would
begin; send garbage; send the hello of a client that has no key. Runs until FILE is removed;
writes how many connections were made, and how many the server has closed, into it.
"""

import os
import selectors
import socket
import ssl
import sys
import time
from itertools import count, cycle

OPEN = 400
SLOW_S = 0.2
RECORD = bytes.fromhex("1603010200010001fc0303") + bytes(500)


def hello():
    """Return the first bytes of a TLS client."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    out = ssl.MemoryBIO()
    try:
        context.wrap_bio(ssl.MemoryBIO(), out).do_handshake()
    except ssl.SSLWantReadError:
        pass
    return out.read()


class Flood:
    """Connections that are open; `slow` has the bytes that some have yet to send."""

    def __init__(self, server, addresses):
        self.server = server
        self.addresses = cycle(addresses)
        self.selector = selectors.DefaultSelector()
        self.slow = {}
        self.made = self.closed = 0
        self.first = cycle([b"", None, b"\x80garbage" * 50, hello()])

    def connect(self):
        sock = socket.socket()
        sock.settimeout(1)
        try:
            sock.bind((next(self.addresses), 0))
            sock.connect(self.server)
            first = next(self.first)
            if first is None:
                self.slow[sock] = iter(RECORD)
            else:
                sock.sendall(first)
        except OSError:
            sock.close()
            return
        sock.setblocking(False)
        self.selector.register(sock, selectors.EVENT_READ)
        self.made += 1

    def close(self, sock):
        self.selector.unregister(sock)
        self.slow.pop(sock, None)
        sock.close()
        self.closed += 1

    def listen(self):
        """Close what the server has closed."""
        for key, _ in self.selector.select(0):
            try:
                if key.fileobj.recv(4096):
                    continue
            except OSError:
                pass
            self.close(key.fileobj)

    def drip(self):
        for sock, rest in list(self.slow.items()):
            try:
                sock.send(bytes([next(rest, 0)]))
            except OSError:
                self.close(sock)


def main():
    server, port, path, *addresses = sys.argv[1:]
    flood, dripped = Flood((server, int(port)), addresses), 0
    # open once: to open it for each line would make it anew after its removal
    file = os.open(path, os.O_WRONLY)
    for turn in count():
        if not os.fstat(file).st_nlink:
            return
        for _ in range(16):
            if len(flood.selector.get_map()) < OPEN:
                flood.connect()
        flood.listen()
        if time.monotonic() > dripped + SLOW_S:
            flood.drip()
            dripped = time.monotonic()
        if turn % 8 == 0:
            os.pwrite(file, f"{flood.made:8} {flood.closed:8}\n".encode(), 0)


if __name__ == "__main__":
    main()
