#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""All keys that a capture's packets need, by the independent codec, for who looks for them.

usage: derived.py KEY PCAP SUITE:MODE...

  as capture.py has them

Prints a line for each: what it is for, and its bytes, each exclusive-or'ed with 0xa5, so that
they do not stand wherever that line goes (srnic-leftovers).
"""
import sys
from pathlib import Path

from sth import datagram, keys

from capture import Opener, frames


def masked(key):
    return bytes(byte ^ 0xa5 for byte in key).hex()


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    found = {}
    kdf = keys.kdf

    def noted(key, label, context, length):
        derived = kdf(key, label, context, length)
        found[masked(derived)] = label.removeprefix("STH1 ").replace(" ", "_")
        return derived

    keys.kdf = datagram.kdf = noted
    key = bytes.fromhex(Path(sys.argv[1]).read_text())
    found[masked(key)] = "K_PD"
    opener = Opener(key, [tuple(word.split(":")) for word in sys.argv[3:]])
    for number, data in enumerate(frames(Path(sys.argv[2])), 1):
        opener.frame(number, data)
    if opener.refused:
        sys.exit("\n".join(opener.refused))
    for text, label in found.items():
        print(label, text)


if __name__ == "__main__":
    main()
