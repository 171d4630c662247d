#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Ask a node's subnet administration for paths, as ib_ipoib and the RDMA CM do, by ib_umad.

    sa_paths.py DEVICE COUNT GID=LID...

Asks COUNT times for the path to each of these ports in turn, with up to WINDOW requests on their
way, and prints how many were answered in a second. Fails unless each request has one answer, and
that has the LID (RFC 4391, section 9.1.2).
"""

import fcntl
import os
import struct
import sys
import time
from ipaddress import IPv6Address
from pathlib import Path

WINDOW = 32
TIMEOUT_MS = 60000

# include/uapi/rdma/ib_user_mad.h
REGISTER_AGENT2 = 0xc0281b04
REGISTRATION = struct.Struct("=IIBBHIQQIB3x")
USER_MAD = struct.Struct("=IIIII4s4s2sBBBBBB16s4sH6x")

# IBA 13.4.3, 15.2.1.1, 15.2.5.16
MAD = struct.Struct(">BBBBHHQHHI12xQHHQ")
PATH = struct.Struct(">Q16s16sHH")
SA_CLASS, SA_VERSION, GET, GET_RESP, PATH_RECORD = 3, 2, 1, 0x81, 0x35
DGID, SGID = 1 << 2, 1 << 3
MAD_BYTES = 256
GSI, GSI_QKEY = 1, 0x80010000


def gid_of(name):
    return IPv6Address(Path(f"/sys/class/infiniband/{name}/ports/1/gids/0").read_text().strip()).packed


def manager_lid_of(name):
    return int(Path(f"/sys/class/infiniband/{name}/ports/1/sm_lid").read_text(), 16)


def file_of(name):
    for entry in Path("/sys/class/infiniband_mad").glob("umad*"):
        if (entry / "ibdev").read_text().strip() == name:
            return f"/dev/infiniband/{entry.name}"
    sys.exit(f"FAIL: {name} has no file of ib_umad")


class Asker:
    """An agent that sends path queries to the subnet administration of its own node."""

    def __init__(self, name):
        self.file = os.open(file_of(name), os.O_RDWR)
        wanted = bytearray(REGISTRATION.pack(0, GSI, SA_CLASS, SA_VERSION, 0, 0, 0, 0, 0, 0))
        fcntl.ioctl(self.file, REGISTER_AGENT2, wanted)
        self.agent = REGISTRATION.unpack(wanted)[0]
        self.gid, self.manager = gid_of(name), manager_lid_of(name)

    def ask(self, number, gid):
        way = USER_MAD.pack(self.agent, 0, TIMEOUT_MS, 0, 0, struct.pack(">I", GSI),
                            struct.pack(">I", GSI_QKEY), struct.pack(">H", self.manager),
                            0, 0, 0, 0, 0, 0, bytes(16), bytes(4), 0)
        mad = MAD.pack(1, SA_CLASS, SA_VERSION, GET, 0, 0, number, PATH_RECORD, 0, 0, 0, 0, 0, DGID | SGID)
        mad += PATH.pack(0, gid, self.gid, 0, 0)
        os.write(self.file, way + mad.ljust(MAD_BYTES, b"\0"))

    def answer(self):
        """Return the request's number, and the destination's LID."""
        got = os.read(self.file, USER_MAD.size + MAD_BYTES)
        failed = USER_MAD.unpack_from(got)[1]
        _, _, _, method, status, _, number, *_ = MAD.unpack_from(got, USER_MAD.size)
        if failed or method != GET_RESP or status:
            sys.exit(f"FAIL: errno {failed}, method {method:#x}, status {status:#x}")
        # The kernel puts the agent's number into the upper half
        return number & 0xffffffff, PATH.unpack_from(got, USER_MAD.size + MAD.size)[3]


def main():
    name, count = sys.argv[1], int(sys.argv[2])
    ports = [(IPv6Address(gid).packed, int(lid, 16)) for gid, lid in (word.split("=") for word in sys.argv[3:])]
    asker, waiting, asked = Asker(name), set(), 0
    start = time.monotonic()
    while asked < count or waiting:
        while asked < count and len(waiting) < WINDOW:
            asker.ask(asked, ports[asked % len(ports)][0])
            waiting.add(asked)
            asked += 1
        number, lid = asker.answer()
        waiting.remove(number)
        if lid != ports[number % len(ports)][1]:
            sys.exit(f"FAIL: the path of request {number} has the LID {lid:#x}")
    print(f"{name}: {count} paths, {count / (time.monotonic() - start):.0f} a second")


main()
