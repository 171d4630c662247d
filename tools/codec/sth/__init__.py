# SPDX-License-Identifier: GPL-2.0
"""The Secure Transport Header, a second time.

Written from Documentation/protocol.md, not from the kernel's C, so that the two
can be held against each other. Needs python3-cryptography; python3-scapy only
for a cross-check of the ICRC.
"""

from .keys import Connection, End, kdf, kdf_pair_paper
from .memory import RIGHTS, Region, access_key, block_key, k_access, k_memory, root_key
from .packet import OPCODES, Header, Packet, icrc
from .seal import Flow, Receiver, Refused, Sender, handshake_frame, parse_handshake
from .suites import MODES, SUITES, Suite

__all__ = [
    "Connection", "End", "Flow", "Header", "MODES", "OPCODES", "Packet", "RIGHTS",
    "Receiver", "Refused", "Region", "SUITES", "Sender", "Suite", "access_key",
    "block_key", "handshake_frame", "icrc", "k_access", "k_memory", "kdf",
    "kdf_pair_paper", "parse_handshake", "root_key",
]
