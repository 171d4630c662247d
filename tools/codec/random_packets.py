#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Random sealed packets for kunit/sth_random_test.c and sth_datagram_test.c, which define the
formats.

All suites, modes and opcodes, on the connections of vectors.py and by the senders of
datagram_vectors.py; headers, lengths, counters and PSNs are random. The same seed gives the
same packets.

Example:
  random_packets.py --count 100000 --out build/kunit/packets
  random_packets.py --datagrams --count 10000 --out build/kunit/datagrams
"""

import argparse
import random
import struct
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from datagram_vectors import key_rows                   # noqa: E402
from sth import OPCODES, SUITES, UD_OPCODES, End, Header, Seal, Sender, Speaker, deth  # noqa: E402
from sth.seal import EMISSIONS                          # noqa: E402
from vectors import connections, payload                # noqa: E402

EPOCHS = 2          # per connection: deriving keys takes the kernel time
LONGEST = 300       # bytes of payload, except for one in LONG packets
LONG, MTU = 50, 4096
EXT_MAX = max(opcode.ext_len for opcode in OPCODES.values())


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
    ext = draw.randbytes(opcode.ext_len)
    header = Header(opcode.value, conn.other(flow.sender(opcode.response)).qpn, 0, ext,
                    se=draw.random() < 0.5, pad=pad, ackreq=draw.random() < 0.5)
    counter = draw.randrange(EMISSIONS) if conn.suite.nonce_family else 0
    sealed = Sender(flow, opcode.response).seal(header, payload(size) + bytes(pad), psn64, counter)
    return struct.pack(">BBBBBHHIQ", index, owner, opcode.response, opcode.hdr_len, pad, size,
                       len(sealed), counter, psn64) + ext.ljust(EXT_MAX, b"\0") + sealed


def datagram(draw, index, row, speaker):
    opcode = draw.choice(list(UD_OPCODES.values()))
    size = size_of(draw, opcode)
    pad = -size % 4
    imm = draw.randbytes(4 if "ImmDt" in opcode.ext else 0)
    psn = draw.randrange(1 << 24)
    ext = deth(draw.randrange(1 << 32), row["sqpn"]) + imm
    header = Header(opcode.value, row["dqpn"], psn, ext, se=draw.random() < 0.5, pad=pad,
                    ackreq=draw.random() < 0.5)
    seal = Seal(SUITES[row["suite"]], row["mode"], row["k_ud"])
    sealed = speaker.seal(seal, header, payload(size) + bytes(pad), row["dgid"])
    return struct.pack(">BBBHHQ", index, opcode.hdr_len, pad, size, len(sealed),
                       speaker.counter - 1) + speaker.salt + ext.ljust(12, b"\0") + sealed


def share(count, index, among):
    """Return the size of one share; all shares together have `count` elements."""
    return count * (index + 1) // among - count * index // among


def datagrams(count, seed):
    """Yield packets by sender, with counters rising by steps inside and beyond the window."""
    draw = random.Random(seed)
    rows = list(key_rows())
    for index, row in enumerate(rows):
        here = share(count, index, len(rows))
        speaker = Speaker(End(row["sgid"], row["sqpn"], row["kind"]), draw.randbytes(8))
        for _ in range(here):
            speaker.counter += draw.randrange(EMISSIONS // here)
            yield datagram(draw, index, row, speaker)


def packets(count, seed):
    """Yield packets by connection and epoch."""
    draw = random.Random(seed)
    conns = list(connections(SUITES))
    for index, (conn, _, _, flows) in enumerate(conns):
        here = share(count, index, len(conns))
        for epoch in range(EPOCHS):
            for _ in range(share(here, epoch, EPOCHS)):
                yield record(draw, index, conn, flows, (epoch << 24) + draw.randrange(1 << 24))


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Example:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--count", type=int, default=2000, help="packets (%(default)s)")
    ap.add_argument("--datagrams", action="store_true", help="instead of connections' packets")
    ap.add_argument("--seed", type=int, default=4791, help="(%(default)s)")
    ap.add_argument("--out", required=True)
    args = ap.parse_args()
    out = Path(args.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("wb") as file:
        for each in (datagrams if args.datagrams else packets)(args.count, args.seed):
            file.write(each)


if __name__ == "__main__":
    main()
