#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""no_memory_link - fail the memory allocations of adding a link, one in each attempt.

    no_memory_link.py TYPE NETDEV

The kernel can fail a task's Nth allocation (fault-injection/fault-injection.rst). The first 40 are
tried, which the driver makes before it registers the device; some of the core's, behind them, leak
when they fail. Each attempt must make a link that can be deleted, or report lack of memory and
leave nothing.
"""

import errno
import os
import socket
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/redteam"))
from netlink import attr, attrs_of                                           # noqa: E402

NAME = "poor0"
ALLOCATIONS = 40
LEAST = 7           # refused links, although the kernel does without some allocations
NETLINK_RDMA, NLDEV, GET, NEWLINK, DELLINK = 20, 5, 1, 3, 4
REQUEST_ACK, REQUEST_DUMP = 0x5, 0x301
MSG_ERROR, MSG_DONE = 2, 3
DEV_INDEX, DEV_NAME, NDEV_NAME, LINK_TYPE = 1, 2, 51, 65
LACK = (errno.ENOMEM, errno.ENOBUFS)


def request(command, flags, *attributes):
    body = b"".join(attr(number, value) for number, value in attributes)
    return struct.pack("IHHII", 16 + len(body), NLDEV << 10 | command, flags, 1, 0) + body


class Link:
    """Adds links and deletes them; the kernel carries a request out before send() returns. Not by
    rdma(8), which would be started sixty times."""

    def __init__(self, kind, netdev):
        self.request = request(NEWLINK, REQUEST_ACK, *(
            (number, text.encode() + b"\0") for number, text in
            ((DEV_NAME, NAME), (NDEV_NAME, netdev), (LINK_TYPE, kind))))
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_RDMA)
        self.sock.settimeout(600)
        self.nth = os.open("/proc/thread-self/fail-nth", os.O_RDWR)

    def add_with_failure(self, number):
        """Fail an allocation; return the errno, or 0."""
        os.pwrite(self.nth, b"%d" % number, 0)
        try:
            self.sock.send(self.request)
            error = 0
        except OSError as failed:
            error = failed.errno
        os.pwrite(self.nth, b"0", 0)
        return error or self.answer()

    def messages(self):
        """Yield type and content of each message, up to the last one of an answer."""
        kind = None
        while kind not in (MSG_ERROR, MSG_DONE):
            data = self.sock.recv(1 << 16)
            while data:
                length, kind = struct.unpack_from("IH", data)
                yield kind, data[16:length]
                data = data[(length + 3) & ~3:]

    def answer(self):
        """Return the errno of a request, which may be 0."""
        return -struct.unpack_from("i", list(self.messages())[-1][1])[0]

    def delete(self):
        self.sock.send(request(GET, REQUEST_DUMP))
        devices = [attrs_of(body) for kind, body in self.messages() if kind != MSG_DONE]
        index, = (device[DEV_INDEX] for device in devices
                  if device.get(DEV_NAME) == NAME.encode() + b"\0")
        self.sock.send(request(DELLINK, REQUEST_ACK, (DEV_INDEX, index)))
        if error := self.answer():
            sys.exit(f"{NAME} cannot be deleted: {os.strerror(error)}")


def exists():
    return os.path.exists(f"/sys/class/infiniband/{NAME}")


def main():
    kind, netdev = sys.argv[1:]
    link, refused = Link(kind, netdev), []
    for number in range(1, ALLOCATIONS + 1):
        error = link.add_with_failure(number)
        if error not in (0, *LACK):
            sys.exit(f"allocation {number}: {os.strerror(error)}")
        if exists() != (not error):
            sys.exit(f"allocation {number}: {os.strerror(error)}, and the link exists: {exists()}")
        if error:
            refused.append(number)
            continue
        link.delete()
        if exists():
            sys.exit(f"allocation {number}: a link outlived its deletion")
    print(f"{kind}: no link without the allocations {refused}")
    if len(refused) < LEAST:
        sys.exit("hardly an allocation failed: is fault injection at work?")


if __name__ == "__main__":
    main()
