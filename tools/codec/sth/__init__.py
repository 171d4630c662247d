# SPDX-License-Identifier: GPL-2.0
"""An independent implementation of the Secure Transport Header.

Written from Documentation/protocol.md, not from the kernel's C, so that each can be checked
against the other. Needs python3-cryptography; python3-scapy only to cross-check the ICRC.
"""

from .datagram import Listener, Seal, Speaker, Window, deth, has_datagrams, k_group, k_pair
from .keys import Connection, End, Shared, kdf, kdf_pair_paper, ratchet
from .memory import RIGHTS, Region, access_key, block_key, k_access, k_memory, root_key
from .packet import OPCODES, RC_OPCODES, UD_OPCODES, XRC_OPCODES, Header, Packet, icrc
from .seal import Flow, Frame, Receiver, Refused, Sender, handshake_frame, parse_handshake
from .secrets import read_secrets
from .suites import MODES, SUITES, Suite

__all__ = [
    "Connection", "End", "Flow", "Frame", "Header", "Listener", "MODES", "OPCODES", "Packet",
    "RC_OPCODES", "RIGHTS", "Receiver", "Refused", "Region", "SUITES", "Seal", "Sender", "Shared", "Speaker", "Suite",
    "UD_OPCODES", "Window", "XRC_OPCODES", "access_key", "block_key", "deth", "handshake_frame",
    "has_datagrams", "icrc", "k_access", "k_group", "k_memory", "k_pair", "kdf",
    "kdf_pair_paper", "parse_handshake", "ratchet", "read_secrets",
    "root_key",
]
