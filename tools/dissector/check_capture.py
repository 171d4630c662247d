#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Check that the dissector names, verifies and opens all packets of a capture.

usage: check_capture.py [--datagrams] KEY PCAP SEALED SUITE:MODE...

  KEY          a key file, as srnic key gen writes it, or several with semicolons between
  PCAP         all traffic of UDP port 4791 between the ends; may contain super-packets
  SEALED       number of packets that both ends have sealed
  SUITE:MODE   seals that must occur before and after the end of the first epoch
  --datagrams  the seals are those of datagrams

Prints the number of packets per seal and epoch; datagrams have no epoch. Exits with 1 if a
packet is missing or wrong, if there was no super-packet, or if not all opcodes of RC occurred;
for datagrams, if not all opcodes of UD occurred.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

DISSECTOR = Path(__file__).resolve().parent / "srnic.lua"
FIELDS = ["opcode", "sth.suite", "sth.mode", "sth.epoch", "sth.tag.status"]
GOOD = "1"
RC, UD = 23, 2      # number of opcodes
DATAGRAMS = {"0x64", "0x65"}
NO_EPOCH = "-"
TROUBLES = ["sth.tag.bad", "sth.missing", "sth.unexpected", "sth.replayed", "sth.short", "icrc.bad",
            "cut", "no_handshake", "no_key", "handshake.wrong"]


def dissected(pcap, key):
    """Yield (values of FIELDS, values of TROUBLES) of each frame that the dissector knows."""
    names = [f"srnic.{name}" for name in FIELDS + TROUBLES]
    done = subprocess.run(
        ["tshark", "-n", "-r", pcap, "-X", f"lua_script:{DISSECTOR}", "-o", f"srnic.keys:{key}",
         "-Y", "srnic", "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=;",
         *(word for name in names for word in ("-e", name))],
        stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        cells = line.split("\t")
        yield [cell.split(";") for cell in cells[:len(FIELDS)]], cells[len(FIELDS):]


def lacking(found, opcodes, supers, seals, datagrams):
    """Yield what the capture should contain and does not."""
    for seal in seals:
        yield from (f"{seal} is not seen in epoch {epoch}"
                    for epoch in (NO_EPOCH if datagrams else "01") if not found[seal, epoch])
    kind = DATAGRAMS & opcodes if datagrams else opcodes - DATAGRAMS
    if len(kind) != (UD if datagrams else RC):
        yield f"{len(kind)} opcodes"
    if not datagrams and not supers:
        yield "no super-packet"


def main():
    words = [word for word in sys.argv[1:] if word != "--datagrams"]
    if len(words) < 4:
        sys.exit(__doc__)
    key, pcap, sealed, *seals = words
    found, opcodes, supers, wrong = Counter(), set(), 0, []
    for values, troubles in dissected(pcap, key):
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
    if found.total() != int(sealed):
        wrong.append(f"{found.total()} packets are right, {sealed} were sealed")
    wrong += lacking(found, opcodes, supers, seals, len(words) < len(sys.argv) - 1)
    for what in wrong[:20]:
        print(what, file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
