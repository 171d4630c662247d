# SPDX-License-Identifier: GPL-2.0
"""The Secure Transport Header, a second time.

Written from Documentation/protocol.md, not from the kernel's C, so that the two
can be held against each other. Needs python3-cryptography; python3-scapy only
for a cross-check of the ICRC.
"""

from .keys import Connection, End, kdf, kdf_pair_paper
from .packet import OPCODES, Header, Packet, icrc
from .seal import Flow, Receiver, Refused, Sender, handshake_frame, parse_handshake
from .suites import MODES, SUITES, Suite

__all__ = [
    "Connection", "End", "Flow", "Header", "MODES", "OPCODES", "Packet",
    "Receiver", "Refused", "SUITES", "Sender", "Suite", "handshake_frame",
    "icrc", "kdf", "kdf_pair_paper", "parse_handshake",
]
