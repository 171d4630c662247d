#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Send a datagram to an IPv4 group, or wait for one.

    multicast.py receive GROUP OWN-ADDRESS
    multicast.py send GROUP OWN-ADDRESS

The sender repeats itself until it is answered: a group that was just joined may miss the first
datagrams.
"""

import socket
import struct
import sys

PORT = 5001

verb, group, own = sys.argv[1:]
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if verb == "receive":
    sock.bind(("", PORT))
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                    socket.inet_aton(group) + socket.inet_aton(own))
    data, sender = sock.recvfrom(2048)
    sock.sendto(data, sender)
else:
    sock.bind((own, 0))
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(own))
    sock.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, struct.pack("b", 1))
    sock.settimeout(1)
    while True:
        sock.sendto(b"to all of you", (group, PORT))
        try:
            data, sender = sock.recvfrom(2048)
        except TimeoutError:
            continue
        assert data == b"to all of you", data
        print("answered by", sender)
        break
