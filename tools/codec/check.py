#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Open packets that the kernel has sealed with the independent codec.

usage: check.py [FILE]      (a kernel log or KTAP output; default: standard input)

Reads the lines that the KUnit suite srnic-sth-opcode prints:

  sth-conn: ID SUITE MODE PAIR_KEY KEY XGID XQPN YGID YQPN XSCALAR YSCALAR
  sth-flow: ID OWNER START NQ NR                        OWNER: x or y
  sth-frame: ID SENDER FRAME
  sth-packet: ID OWNER RESPONSE EXPECTED PLAIN SEALED   RESPONSE: 0 or 1

All bytes are in hexadecimal, '-' stands for none; PLAIN is payload and pad, in mode opaque behind
the extension headers. Exits with 1 if a packet or frame is refused or differs, or if the input
contains none.
"""

import re
import sys
from collections import Counter

from sth import (SUITES, Connection, End, Flow, Receiver, Refused, Shared, handshake_frame,
                 parse_handshake)

LINE = re.compile(r"sth-(conn|flow|frame|packet): (.*)$")


def unhex(word):
    return b"" if word == "-" else bytes.fromhex(word)


class Checker:
    def __init__(self):
        self.conns = {}
        self.flows = {}
        self.count = Counter()
        self.bad = []

    def conn(self, ident, suite, mode, pair_key, key, *ends):
        x_gid, x_qpn, y_gid, y_qpn, *scalars = ends
        x, y = End(unhex(x_gid), int(x_qpn, 0)), End(unhex(y_gid), int(y_qpn, 0))
        conn = Connection(x, y, SUITES[suite], mode, unhex(key), pair_key == "1")
        shared = Shared.between(conn, x, *map(unhex, scalars))
        self.conns[ident] = conn, {"x": x, "y": y}, shared

    def flow(self, ident, owner, start, nq, nr):
        conn, ends, shared = self.conns[ident]
        self.flows[ident, owner] = Flow(conn, ends[owner], int(start, 0), unhex(nq), unhex(nr),
                                        shared)

    def frame(self, ident, sender, data):
        conn, ends, shared = self.conns[ident]
        frame = parse_handshake(conn, ends[sender], unhex(data))
        if handshake_frame(conn, ends[sender], frame) != unhex(data):
            raise Refused("frame differs")
        if frame.share != shared.share(conn, ends[sender]):
            raise Refused("share differs")

    def packet(self, ident, owner, response, expected, plain, sealed):
        flow = self.flows[ident, owner]
        flow.expected = int(expected, 0)
        header, text = Receiver(flow, response == "1").open(unhex(sealed))
        if (header.ext if flow.conn.mode == "opaque" else b"") + text != unhex(plain):
            raise Refused("payload differs")

    def line(self, number, text):
        match = LINE.search(text)
        if not match:
            return
        kind, words = match[1], match[2].split()
        try:
            getattr(self, kind)(*words)
            self.count[kind] += 1
        except (Refused, KeyError, TypeError, ValueError) as why:
            self.bad.append(f"line {number}: sth-{kind}: {why!r}")


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    checker = Checker()
    with open(sys.argv[1], errors="replace") if sys.argv[1:] else sys.stdin as log:
        for number, text in enumerate(log, 1):
            checker.line(number, text.rstrip())
    for why in checker.bad:
        print(why, file=sys.stderr)
    print(f"{checker.count['packet']} packets and {checker.count['frame']} handshake frames "
          f"of the kernel opened, {len(checker.bad)} refused")
    sys.exit(bool(checker.bad) or not checker.count["packet"])


if __name__ == "__main__":
    main()
