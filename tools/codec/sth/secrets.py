# SPDX-License-Identifier: GPL-2.0
"""Secrets of connections in a file, as tools/secrets writes it.

A line for each connection: Z, and the shares of A, B and Z itself in hexadecimal. With the key
that the policy names, a secret opens one connection; the key alone opens none.
"""

from .keys import Shared


def read_secrets(text):
    """Return a dictionary: shares of A and B -> Shared."""
    found = {}
    for line in text.splitlines():
        kind, *words = line.split()
        if kind == "Z" and len(words) == 3:
            a, b, z = map(bytes.fromhex, words)
            found[a, b] = Shared(a, b, z)
    return found
