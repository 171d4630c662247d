#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What the dissector makes of a capture: is all in it named, verified and opened?

usage: check_capture.py KEY PCAP SEALED SUITE:MODE...

  KEY         a key file, as srnic key gen writes it
  PCAP        all traffic of UDP port 4791 between the ends; super-packets may be whole
  SEALED      how many packets both ends have sealed
  SUITE:MODE  what must have been used, across the end of the first epoch

Prints how many packets of each there are, by epoch; of datagrams, which have none, so many
are in epoch -. Exits with 1 if a packet is missing, or
something is wrong with one, or there was no super-packet, or not every opcode of RC.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

DISSECTOR = Path(__file__).resolve().parent / "srnic.lua"
FIELDS = ["opcode", "sth.suite", "sth.mode", "sth.epoch", "sth.tag.status"]
GOOD = "1"
OPCODES = 23
DATAGRAMS = {"0x64", "0x65"}
TROUBLES = ["sth.tag.bad", "sth.missing", "sth.unexpected", "sth.replayed", "sth.short", "icrc.bad",
            "cut", "no_handshake", "no_key", "handshake.wrong"]


def dissected(pcap, key):
    """(values of FIELDS, values of TROUBLES) of every frame that the dissector knows."""
    names = [f"srnic.{name}" for name in FIELDS + TROUBLES]
    done = subprocess.run(
        ["tshark", "-n", "-r", pcap, "-X", f"lua_script:{DISSECTOR}", "-o", f"srnic.keys:{key}",
         "-Y", "srnic", "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=;",
         *(word for name in names for word in ("-e", name))],
        stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        cells = line.split("\t")
        yield [cell.split(";") for cell in cells[:len(FIELDS)]], cells[len(FIELDS):]


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    key, pcap, sealed, *seals = sys.argv[1:]
    found, opcodes, supers, wrong = Counter(), set(), 0, []
    for values, troubles in dissected(pcap, key):
        wrong += [trouble for trouble in troubles if trouble]
        if int(values[0][0], 0) >= 0xc0:
            continue
        supers += len(values[0]) > 1
        opcodes.update(set(values[0]) - DATAGRAMS)
        if values[0][0] in DATAGRAMS:
            values[FIELDS.index("sth.epoch")] = ["-"] * len(values[0])
        for _, suite, mode, epoch, status in zip(*values, strict=True):
            found[f"{suite}:{mode}", epoch] += status == GOOD
    for (seal, epoch), count in sorted(found.items()):
        print(f"{seal} epoch {epoch}: {count} packets")
    if found.total() != int(sealed):
        wrong.append(f"{found.total()} packets are right, {sealed} were sealed")
    wrong += [f"{seal} is not seen in epoch {epoch}" for seal in seals for epoch in "01"
              if not found[seal, epoch]]
    if len(opcodes) != OPCODES:
        wrong.append(f"{len(opcodes)} opcodes")
    if not supers:
        wrong.append("no super-packet")
    for what in wrong[:20]:
        print(what, file=sys.stderr)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
