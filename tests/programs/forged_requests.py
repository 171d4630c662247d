#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Send connection requests in the name of a client of librdma_pipeline, without its key.

Listens on the wire for a request of the connection manager to the given service with
authentication (SECM, 4.2), and then sends it again many times, as kinds of it: unchanged but
for what identifies it to the CM, for another QP or PSN, with the authentication stripped,
truncated, changed in a bit, or of another key. Prints how many of each kind it sent, and how
many were rejected and accepted.

Example, from end a to end b of the test bed:
  forged_requests.py --at a:va --seen b:vb --port 7471 --count 100
"""
import argparse
import ctypes
import json
import os
import random
import select
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)),
                                "../../tools/redteam"))
from cm import DATA_AT, REP, REQ, attribute  # noqa: E402
from wire import Shot, Wire  # noqa: E402

REJ = 0x12
# Offsets in the request (IBA 12.6.5)
COMM_ID_AT, SERVICE_AT, CA_GUID_AT, QPN_AT, PSN_AT, PRIVATE_AT = 0, 8, 16, 32, 44, 140
TID_AT = 8                  # of the MAD
CMA_LEN, USER_LEN = 36, 56  # of RDMA-CM's header, of the rest of the private data
RDMA_PS_TCP = 0x0106
CLONE_NEWNET = 0x40000000
MAGIC = b"SECM"
UNANSWERED = 32             # requests at once: the CM has few buffers


def open_at(place):
    """Open a raw socket at NAMESPACE:NETDEV; no namespace is the present one."""
    netns, _, netdev = place.rpartition(":")
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/ns/net", "rb") as own:
        if netns:
            with open(f"/run/netns/{netns}", "rb") as there:
                if libc.setns(there.fileno(), CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), f"cannot enter {netns}")
        sock = Wire.open(netdev)
        if libc.setns(own.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "cannot return")
    return sock


def shots(sock, limit):
    """Yield the RoCEv2 packets that arrive within a time."""
    end = time.monotonic() + limit
    while (left := end - time.monotonic()) > 0:
        if select.select([sock], [], [], left)[0]:
            shot = Shot.of(sock.recv(65535))
            if shot:
                yield shot


def user_data(mad):
    at = DATA_AT + PRIVATE_AT + CMA_LEN
    return mad[at:at + USER_LEN]


def find_request(sock, port, limit):
    """Return the first authenticated request to the port."""
    service = struct.pack("!Q", RDMA_PS_TCP << 16 | port)
    at = DATA_AT + SERVICE_AT
    for shot in shots(sock, limit):
        if attribute(shot) == REQ and shot.payload[at:at + 8] == service and \
                user_data(shot.payload).startswith(MAGIC):
            return shot
    sys.exit("no request was seen")


def put(mad, at, data):
    return mad[:at] + data + mad[at + len(data):]


def renamed(mad):
    """Return the request as a new one: the CM drops repetitions of what it has seen."""
    mad = put(mad, TID_AT, os.urandom(8))
    mad = put(mad, DATA_AT + COMM_ID_AT, os.urandom(4))
    return put(mad, DATA_AT + CA_GUID_AT, os.urandom(8))


def with_user_data(mad, change):
    data = bytearray(user_data(mad))
    change(data)
    return put(mad, DATA_AT + PRIVATE_AT + CMA_LEN, bytes(data))


def flip(data):
    data[random.randrange(24, 56)] ^= 1 << random.randrange(8)


def truncate(data):
    at = random.randrange(24, 56)
    if any(data[at:]):
        data[at:] = bytes(len(data) - at)
    else:
        flip(data)      # the MAC ends in zeros


def strip(data):
    data[:] = bytes(len(data))


def rekey(data):
    data[8:12] = os.urandom(4)


def forge(data):
    data[12:56] = os.urandom(44)


def downgrade(data):
    data[4] = 1


KINDS = {
    "replayed": lambda mad: mad,
    "other_qp": lambda mad: put(mad, DATA_AT + QPN_AT, os.urandom(3)),
    "other_psn": lambda mad: put(mad, DATA_AT + PSN_AT, os.urandom(3)),
    "stripped": lambda mad: with_user_data(mad, strip),
    "truncated": lambda mad: with_user_data(mad, truncate),
    "flipped": lambda mad: with_user_data(mad, flip),
    "rekeyed": lambda mad: with_user_data(mad, rekey),
    "forged": lambda mad: with_user_data(mad, forge),
    "downgraded": lambda mad: with_user_data(mad, downgrade),
}


class Attack:
    """Requests under way, and the answers to them."""

    def __init__(self, sock, request):
        self.sock = sock
        self.request = request
        self.waiting = {}           # communication id -> kind
        self.sent = dict.fromkeys(KINDS, 0)
        self.rejected = self.accepted = 0

    def send(self, kind):
        mad = renamed(KINDS[kind](self.request.payload))
        self.waiting[mad[DATA_AT:DATA_AT + 4]] = kind
        self.sock.send(self.request.but(payload=mad).frame())
        self.sent[kind] += 1

    def hear(self, limit):
        for shot in shots(self.sock, limit):
            # The answer names the requester's id second
            answer = attribute(shot)
            if answer in (REJ, REP) and \
                    self.waiting.pop(shot.payload[DATA_AT + 4:DATA_AT + 8], None):
                self.rejected += answer == REJ
                self.accepted += answer == REP
            if len(self.waiting) < UNANSWERED:
                return


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at", required=True, metavar="NETNS:DEV",
                        help="the client's netdev, through which the attacker sends")
    parser.add_argument("--seen", required=True, metavar="NETNS:DEV", help="the server's netdev")
    parser.add_argument("--port", required=True, type=int)
    parser.add_argument("--count", type=int, default=100, help="requests of each kind (100)")
    parser.add_argument("--limit", type=float, default=120, metavar="SECONDS",
                        help="to wait for a request, and for answers (120)")
    options = parser.parse_args()
    seen, sock = open_at(options.seen), open_at(options.at)
    print("listening", file=sys.stderr, flush=True)
    attack = Attack(sock, find_request(seen, options.port, options.limit))
    seen.close()
    for number in range(options.count):
        for kind in KINDS:
            attack.send(kind)
            if len(attack.waiting) >= UNANSWERED:
                attack.hear(options.limit)
    end = time.monotonic() + options.limit
    while attack.waiting and time.monotonic() < end:
        attack.hear(1)
    print(json.dumps({"sent": sum(attack.sent.values()), "kinds": attack.sent,
                      "rejected": attack.rejected, "accepted": attack.accepted,
                      "unanswered": len(attack.waiting)}))


if __name__ == "__main__":
    main()
