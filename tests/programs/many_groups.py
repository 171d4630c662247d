#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Join many IPv4 groups, and stay a member until killed.

    many_groups.py NUMBER OWN-ADDRESS
"""

import signal
import socket
import sys

number, own = int(sys.argv[1]), socket.inet_aton(sys.argv[2])
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for n in range(number):
    group = socket.inet_aton(f"239.9.{n >> 8}.{n & 255}")
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group + own)
signal.pause()
