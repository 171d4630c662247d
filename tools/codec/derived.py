#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Print all keys that the packets of a capture need, derived by the independent codec.

usage: derived.py KEY PCAP SUITE:MODE...

  arguments as for capture.py

Prints a line per key: its purpose and its bytes. Each byte is XORed with 0xa5, so that the
output does not itself contain the keys that srnic-leftovers searches for. Stops itself at the
end (SIGSTOP), so that srnic-leftovers can overwrite this process's memory before it is freed.
"""
import os
import signal
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
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGSTOP)


if __name__ == "__main__":
    main()
