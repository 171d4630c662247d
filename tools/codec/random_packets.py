#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Sealed packets drawn at random, for kunit/sth_random_test.c, which has their format.

Every suite, mode and opcode, on the connections of vectors.py; headers, lengths, counters
and sequence numbers are drawn. The same seed gives the same packets.

Example:
  random_packets.py --count 100000 --out build/kunit/packets
"""

import argparse
import random
import struct
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from sth import OPCODES, SUITES, Header, Sender         # noqa: E402
from sth.packet import EXT_LEN                          # noqa: E402
from vectors import connections, payload                # noqa: E402

EPOCHS = 2          # of a connection: each takes the kernel a while
LONGEST = 300       # bytes of payload, but for one packet in so many
LONG, MTU = 50, 4096


def size_of(draw, opcode):
    if not opcode.payload:
        return 0
    return draw.randrange(MTU + 1) if draw.randrange(LONG) == 0 else draw.randrange(LONGEST + 1)


def record(draw, index, conn, flows, psn64):
    opcode = draw.choice(list(OPCODES.values()))
    size = size_of(draw, opcode)
    pad = -size % 4
    owner = draw.randrange(2)
    flow = flows[owner]
    psn64 = max(psn64, flow.start)
    header = Header(opcode.value, conn.other(flow.sender(opcode.response)).qpn, 0,
                    draw.randbytes(sum(EXT_LEN[e] for e in opcode.ext)),
                    se=draw.random() < 0.5, pad=pad, ackreq=draw.random() < 0.5)
    counter = draw.randrange(1 << 26) if conn.suite.nonce_family else None
    sealed = Sender(flow, opcode.response).seal(header, payload(size) + bytes(pad), psn64, counter)
    return struct.pack(">BBBBBHHIQ", index, owner, opcode.response, opcode.hdr_len, pad, size,
                       len(sealed), counter or 0, psn64) + sealed


def records(count, seed):
    """Connection by connection, epoch by epoch."""
    draw = random.Random(seed)
    conns = list(connections(SUITES))
    for index, (conn, _, _, flows) in enumerate(conns):
        here = count * (index + 1) // len(conns) - count * index // len(conns)
        for epoch in range(EPOCHS):
            for _ in range(here * (epoch + 1) // EPOCHS - here * epoch // EPOCHS):
                yield record(draw, index, conn, flows, (epoch << 24) + draw.randrange(1 << 24))


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Example:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--count", type=int, default=2000, help="packets (%(default)s)")
    ap.add_argument("--seed", type=int, default=4791, help="(%(default)s)")
    ap.add_argument("--out", required=True)
    args = ap.parse_args()
    out = Path(args.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("wb") as file:
        for each in records(args.count, args.seed):
            file.write(each)


if __name__ == "__main__":
    main()
