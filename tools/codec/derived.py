#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Print all keys that the packets of a capture need, derived by the independent codec.

usage: derived.py SECRETS KEY PCAP SUITE:MODE...

  arguments as for capture.py; SECRETS is its option --secrets

Prints a line per key, up to K_F of later epochs: its purpose and its bytes. Each byte is XORed with 0xa5, so that the
output does not itself contain the keys that srnic-leftovers searches for. Stops itself at the
end (SIGSTOP), so that srnic-leftovers can overwrite this process's memory before it is freed.
"""
import os
import signal
import sys
from pathlib import Path

from sth import datagram, keys, read_secrets

from capture import Opener, frames


def masked(key):
    return bytes(byte ^ 0xa5 for byte in key).hex()


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    found = {}
    kdf = keys.kdf

    def noted(key, label, context, length):
        derived = kdf(key, label, context, length)
        if label == "STH2 shared":
            found.update({masked(derived[:32]): "K_X_A", masked(derived[32:]): "K_X_B"})
        else:
            found[masked(derived)] = label.split(" ", 1)[1].replace(" ", "_")
        return derived

    keys.kdf = datagram.kdf = noted
    secrets = read_secrets(Path(sys.argv[1]).read_text())
    for shared in secrets.values():
        found[masked(shared.z)] = "Z"
    key = bytes.fromhex(Path(sys.argv[2]).read_text())
    found[masked(key)] = "K_PD"
    opener = Opener(key, [tuple(word.split(":")) for word in sys.argv[4:]], secrets=secrets)
    for number, data in enumerate(frames(Path(sys.argv[3])), 1):
        opener.frame(number, data)
    if opener.refused:
        sys.exit("\n".join(opener.refused))
    for receiver in opener.receivers.values():
        flow = receiver.flow
        # an end has derived the sub-keys of at most two epochs, and K_F of the one behind them
        keys.ratchet(flow.k_flow, 2 + (flow.expected >> 24))
    for text, label in found.items():
        print(label, text)
    sys.stdout.flush()
    os.kill(os.getpid(), signal.SIGSTOP)


if __name__ == "__main__":
    main()
