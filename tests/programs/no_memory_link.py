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
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/redteam"))
from netlink import attr                                                     # noqa: E402

NAME = "poor0"
ALLOCATIONS = 40
LEAST = 7           # refused links, although the kernel does without some allocations
NETLINK_RDMA, NLDEV, NEWLINK = 20, 5, 3
REQUEST_ACK = 0x5
DEV_NAME, NDEV_NAME, LINK_TYPE = 2, 51, 65
LACK = (errno.ENOMEM, errno.ENOBUFS)


class Link:
    """Adds links; the kernel carries a request out before send() returns."""

    def __init__(self, kind, netdev):
        body = b"".join(attr(number, text.encode() + b"\0") for number, text in
                        ((DEV_NAME, NAME), (NDEV_NAME, netdev), (LINK_TYPE, kind)))
        self.request = struct.pack("IHHII", 16 + len(body), NLDEV << 10 | NEWLINK, REQUEST_ACK,
                                   1, 0) + body
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

    def answer(self):
        while True:
            data = self.sock.recv(1 << 16)
            kind = struct.unpack_from("H", data, 4)[0]
            if kind == 2:       # NLMSG_ERROR, whose errno may be 0
                return -struct.unpack_from("i", data, 16)[0]


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
        subprocess.run(["rdma", "link", "delete", NAME], check=True)
    print(f"{kind}: no link without the allocations {refused}")
    if len(refused) < LEAST:
        sys.exit("hardly an allocation failed: is fault injection at work?")


if __name__ == "__main__":
    main()
