# SPDX-License-Identifier: GPL-2.0
"""Remember the input that checkers have passed: they take minutes, and most input stays the same.

The cache has an empty file for each such input.
"""

import hashlib
import os
from pathlib import Path

from . import REPO

CACHE = Path(os.environ.get("SRNIC_CACHE") or
             Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "srnic")


def stamp(*read):
    """Return the file that exists if a checker has passed these parts, byte for byte."""
    digest = hashlib.sha256()
    for part in read:
        part = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(part).to_bytes(8, "big") + part)
    return CACHE / "clean" / digest.hexdigest()


def remember(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def asked_once(checker, *read):
    """Return whether the checker, a function, passes; do not call it again for the same input."""
    known = stamp(*read)
    if known.exists():
        return True
    fine = checker()
    if fine:
        remember(known)
    return fine


def content_of(files):
    """Return names and bytes, as parts of an input."""
    return [part for path in files for part in (path.relative_to(REPO), path.read_bytes())]
