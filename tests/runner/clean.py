# SPDX-License-Identifier: GPL-2.0
"""What was found clean before: checkers take minutes, and most input has not changed since.

The cache has an empty file for each input that a checker was content with.
"""

import hashlib
import os
from pathlib import Path

from . import REPO

CACHE = Path(os.environ.get("SRNIC_CACHE") or
             Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "srnic")


def stamp(*read):
    """The file that exists if a checker was content with these parts, byte for byte."""
    digest = hashlib.sha256()
    for part in read:
        part = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(part).to_bytes(8, "big") + part)
    return CACHE / "clean" / digest.hexdigest()


def remember(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()


def asked_once(checker, *read):
    """Whether the checker, a function, is content; it is not called again for the same input."""
    known = stamp(*read)
    fine = known.exists() or checker()
    if fine:
        remember(known)
    return fine


def content_of(files):
    """Names and bytes, as parts of an input."""
    return [part for path in files for part in (path.relative_to(REPO), path.read_bytes())]
