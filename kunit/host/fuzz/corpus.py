#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Unpack the corpora of the fuzz targets, and pack them again.

    corpus.py unpack FOLDER TARGET...   replace FOLDER/TARGET by the inputs in the archive
    corpus.py pack FOLDER TARGET...     replace the archive by the inputs in FOLDER/TARGET

corpus/TARGET.tar.gz has the inputs of a target, one member for each. Both commands print the
number of inputs of each target, and fail if it has none.

Example: remove an input by hand.

    corpus.py unpack build/corpus wire_parse
    rm build/corpus/wire_parse/NAME
    corpus.py pack build/corpus wire_parse
"""

import argparse
import gzip
import io
import shutil
import sys
import tarfile
import zlib
from pathlib import Path

ARCHIVES = Path(__file__).resolve().parent / "corpus"


class Broken(Exception):
    """An archive or a folder that cannot be used; says which and why."""


def archive_of(target):
    return ARCHIVES / f"{target}.tar.gz"


def read(target):
    """Return the inputs in a target's archive, by name."""
    found = {}
    try:
        with tarfile.open(archive_of(target), "r:gz") as archive:
            for member in archive:
                if not member.isfile() or "/" in member.name or member.name in found:
                    raise Broken(f"{archive_of(target)}: '{member.name}' is not one plain file")
                found[member.name] = archive.extractfile(member).read()
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise Broken(f"{archive_of(target)}: cannot be read: {error}") from error
    if not found:
        raise Broken(f"{archive_of(target)}: has no inputs")
    return found


def unpack(folder, target):
    """Replace FOLDER/TARGET by the inputs in the archive; return their number."""
    inputs = read(target)
    place = folder / target
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for name, data in inputs.items():
        (place / name).write_bytes(data)
    return len(inputs)


def packed(inputs):
    """Return an archive that depends on names and contents only."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(inputs):
            member = tarfile.TarInfo(name)      # mtime, owner and group are 0
            member.size = len(inputs[name])
            archive.addfile(member, io.BytesIO(inputs[name]))
    return gzip.compress(raw.getvalue(), compresslevel=9, mtime=0)


def pack(folder, target):
    """Replace the archive by the inputs in FOLDER/TARGET; return their number."""
    try:
        inputs = {path.name: path.read_bytes() for path in (folder / target).iterdir()}
    except OSError as error:
        raise Broken(f"{folder / target}: cannot be read: {error}") from error
    if not inputs:
        raise Broken(f"{folder / target}: has no inputs")
    # Other versions of zlib compress otherwise: an unchanged corpus is not written again
    if not archive_of(target).exists() or read(target) != inputs:
        archive_of(target).write_bytes(packed(inputs))
    if read(target) != inputs:
        raise Broken(f"{archive_of(target)}: differs from {folder / target} after packing")
    return len(inputs)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("unpack", "pack"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("targets", nargs="+", metavar="target")
    options = parser.parse_args()
    command = {"unpack": unpack, "pack": pack}[options.command]
    try:
        for target in options.targets:
            print(f"{target}: {command(options.folder, target)} inputs")
    except Broken as error:
        print(f"corpus.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
