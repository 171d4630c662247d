#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Be the router of a link: advertise a prefix, of which the other nodes form addresses (SLAAC).

    router.py NETDEV PREFIX

The prefix has 64 bits. Answers each solicitation, and advertises once at the start, until it is
killed.
"""

import socket
import struct
import sys
from ipaddress import IPv6Network
from pathlib import Path

SOLICITATION, ADVERTISEMENT = 133, 134
SOURCE_LINK_ADDRESS, PREFIX_INFORMATION = 1, 3
ON_LINK, AUTONOMOUS = 0x80, 0x40
LIFETIME = 3600
ALL_NODES, ALL_ROUTERS = "ff02::1", "ff02::2"
ICMP6_FILTER = 1


def advertisement(netdev, prefix):
    """Return a router advertisement (RFC 4861, 4.2); the kernel adds the checksum."""
    address = bytes.fromhex(Path(f"/sys/class/net/{netdev}/address").read_text().replace(":", ""))
    link = bytes(2) + address if len(address) == 20 else address    # RFC 4391, 9.3
    return (struct.pack(">BBHBBHII", ADVERTISEMENT, 0, 0, 64, 0, LIFETIME, 0, 0)
            + struct.pack(">BB", SOURCE_LINK_ADDRESS, (2 + len(link)) // 8) + link
            + struct.pack(">BBBBIII", PREFIX_INFORMATION, 4, 64, ON_LINK | AUTONOMOUS,
                          LIFETIME, LIFETIME, 0) + prefix.network_address.packed)


def only_solicitations():
    """Return the filter of a socket, in which a bit blocks a type (RFC 3542, 3.2)."""
    words = [0xffffffff] * 8
    words[SOLICITATION >> 5] &= ~(1 << (SOLICITATION & 31))
    return struct.pack("8I", *words)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    netdev, prefix = sys.argv[1], IPv6Network(sys.argv[2])
    index = socket.if_nametoindex(netdev)
    data = advertisement(netdev, prefix)
    sock = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
    sock.setsockopt(socket.IPPROTO_ICMPV6, ICMP6_FILTER, only_solicitations())
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP,
                    socket.inet_pton(socket.AF_INET6, ALL_ROUTERS) + struct.pack("I", index))
    # Nodes ignore advertisements that may have crossed a router
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
    while True:
        sock.sendto(data, (ALL_NODES, 0, 0, index))
        sock.recv(2048)


if __name__ == "__main__":
    main()
