#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Check that the dissector names, verifies and opens all packets of a capture.

usage: check_capture.py [--datagrams | --ipoib] [--secrets FILE] KEY PCAP SEALED SUITE:MODE...

  KEY          a key file, as srnic key gen writes it, or several with semicolons between
  PCAP         all traffic of UDP ports 4791 and 4792 between the ends; may contain super-packets
  SEALED       number of packets that both ends have sealed
  SUITE:MODE   seals that must occur before and after the end of the first epoch
  --datagrams  the seals are those of datagrams
  --ipoib      likewise; ib_ipoib and the connection manager send UD SEND ONLY alone
  --secrets FILE  the secrets of the connections, as srnic-secrets writes them; without them no
               connection can be opened

Prints the number of packets per seal and epoch; datagrams have no epoch. Exits with 1 if a
packet is missing or wrong, if there was no super-packet, or if not all opcodes of RC occurred;
for datagrams, if not all opcodes of UD occurred.
"""

import argparse
import subprocess
import sys
from collections import Counter
from pathlib import Path

DISSECTOR = Path(__file__).resolve().parent / "srnic.lua"
FIELDS = ["opcode", "sth.suite", "sth.mode", "sth.epoch", "sth.tag.status"]
GOOD = "1"
RC, UD = 24, 2      # number of opcodes, without FLUSH, which rdma-core 44 cannot post
DATAGRAMS = {"0x64", "0x65"}
NO_EPOCH = "-"
TROUBLES = ["sth.tag.bad", "sth.missing", "sth.unexpected", "sth.replayed", "sth.short", "icrc.bad",
            "cut", "no_handshake", "no_key", "no_secret", "handshake.wrong", "handshake.version_1"]


def dissected(pcap, key, secrets):
    """Yield (values of FIELDS, values of TROUBLES) of each frame that the dissector knows."""
    names = [f"srnic.{name}" for name in FIELDS + TROUBLES]
    done = subprocess.run(
        ["tshark", "-n", "-r", pcap, "-X", f"lua_script:{DISSECTOR}", "-o", f"srnic.keys:{key}",
         "-o", f"srnic.secrets:{secrets}", "-Y", "srnic", "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=;",
         *(word for name in names for word in ("-e", name))],
        stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        cells = line.split("\t")
        yield [cell.split(";") for cell in cells[:len(FIELDS)]], cells[len(FIELDS):]


def lacking(found, opcodes, supers, seals, datagrams):
    """Yield what the capture should contain and does not. `datagrams`: number of their opcodes, 0:
    the seals are those of connections"""
    for seal in seals:
        yield from (f"{seal} is not seen in epoch {epoch}"
                    for epoch in (NO_EPOCH if datagrams else "01") if not found[seal, epoch])
    kind = DATAGRAMS & opcodes if datagrams else opcodes - DATAGRAMS
    if len(kind) < (datagrams or RC):
        yield f"{len(kind)} opcodes"
    if not datagrams and not supers:
        yield "no super-packet"


def main():
    usage, more = __doc__.split("usage: ")[1].split("\n", 1)
    parser = argparse.ArgumentParser(usage=usage, description=__doc__.split("\n")[0], epilog=more,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datagrams", action="store_const", const=UD, default=0)
    parser.add_argument("--ipoib", action="store_const", const=1, dest="datagrams")
    parser.add_argument("--secrets", default="")
    parser.add_argument("key")
    parser.add_argument("pcap")
    parser.add_argument("sealed", type=int)
    parser.add_argument("seals", nargs="+")
    args = parser.parse_args()
    found, opcodes, supers, wrong = Counter(), set(), 0, []
    for values, troubles in dissected(args.pcap, args.key, args.secrets):
        wrong += [trouble for trouble in troubles if trouble]
        if int(values[0][0], 0) >= 0xc0:
            continue
        supers += len(values[0]) > 1
        opcodes.update(values[0])
        if values[0][0] in DATAGRAMS:
            values[FIELDS.index("sth.epoch")] = [NO_EPOCH] * len(values[0])
        for _, suite, mode, epoch, status in zip(*values, strict=True):
            found[f"{suite}:{mode}", epoch] += status == GOOD
    for (seal, epoch), count in sorted(found.items()):
        print(f"{seal} epoch {epoch}: {count} packets")
    if found.total() != args.sealed:
        wrong.append(f"{found.total()} packets are right, {args.sealed} were sealed")
    wrong += lacking(found, opcodes, supers, args.seals, args.datagrams)
    for what in wrong[:20]:
        print(what, file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
