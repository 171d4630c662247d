# SPDX-License-Identifier: GPL-2.0
"""Attributes of netlink messages, valid ones and others."""

import struct


def attr(kind, payload, length=None):
    length = 4 + len(payload) if length is None else length
    return struct.pack("HH", length & 0xffff, kind & 0xffff) + payload + \
        bytes(-len(payload) % 4)


def attrs_of(data):
    """Parse attributes: number -> value, of repeated ones the last."""
    found = {}
    while len(data) >= 4:
        length, kind = struct.unpack_from("HH", data)
        found[kind & 0x3fff] = data[4:length]
        data = data[(length + 3) & ~3:]
    return found
