#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Open all sealed packets of a capture with the independent codec.

usage: capture.py [--secrets FILE] [--datagrams | --ipoib | --xrc] [--group KEY] KEY PCAP SUITE:MODE...

  KEY          a file with the key that the rules name, as srnic key gen writes it
  PCAP         all traffic of UDP ports 4791 and 4792 (InfiniBand ports) between the ends, one
               packet a frame (tcpdump -w, on an Ethernet netdev without offloads)
  SUITE:MODE   a seal that must occur, on one connection or several
  --secrets FILE  the secrets of the connections, as srnic-secrets writes them; without them no
               connection can be opened
  --group KEY  a file with the key that the rules for multicast groups name, if it differs
  --datagrams  each seal must occur with every opcode of UD, instead of RC
  --xrc        each seal must occur with every opcode of XRC, instead of RC
  --ipoib      each seal must occur with the only opcode that ib_ipoib and the connection manager
               send, UD SEND ONLY; prints also how many datagrams went to each group

The capture does not say which connection has which suite: the handshake verifies under exactly
one, and so does each datagram. Prints a line per SUITE:MODE. Exits with 1 if a packet is
refused or has a wrong ICRC, if a nonce occurs twice, or if a seal does not occur with every
opcode of RC but FLUSH.
"""

import argparse
import pathlib
import struct
import sys
from collections import defaultdict
from ipaddress import IPv6Address

from sth import (OPCODES, RC_OPCODES, SUITES, UD_OPCODES, XRC_OPCODES, Connection, End, Flow,
                 Listener, Receiver, Refused, Seal, has_datagrams, icrc, k_group, k_pair, parse_handshake, read_secrets)
from sth.datagram import Datagram
from sth.packet import (BTH_LEN, CONFIRM, CONFIRM_ACK, HANDSHAKE, HELLO, HELLO_ACK, PORTS,
                        ROCE)
from sth.seal import extend

KINDS = {port: kind for kind, port in PORTS.items()}
ETHER_LEN, UDP_LEN, ICRC_LEN = 14, 8, 4
UNPOSTED = {"FLUSH"}     # programs on rdma-core 44 have no way to post it


def frames(path):
    """Yield the Ethernet frames of a pcap file."""
    data = path.read_bytes()
    order = {0xa1b2c3d4: "<", 0xa1b23c4d: "<", 0xd4c3b2a1: ">", 0x4d3cb2a1: ">"}[
        struct.unpack_from("<I", data)[0]]
    at = 24
    while at + 16 <= len(data):
        caught, length = struct.unpack_from(order + "II", data, at + 8)
        at += 16
        if caught == length and at + caught <= len(data):
            yield data[at:at + caught]
        at += caught


def mapped(address):
    return address if len(address) == 16 else bytes(10) + b"\xff\xff" + address


def carried(frame):
    """Return (source GID, destination GID, BTH to pad, kind of port) of a frame, or None."""
    kind, = struct.unpack_from(">H", frame, 12)
    ip = frame[ETHER_LEN:]
    if kind == 0x0800 and ip[9] == 17:
        ip_len, total = (ip[0] & 15) * 4, struct.unpack_from(">H", ip, 2)[0]
        ends = ip[12:16], ip[16:20]
    elif kind == 0x86dd and ip[6] == 17:
        ip_len, total = 40, 40 + struct.unpack_from(">H", ip, 4)[0]
        ends = ip[8:24], ip[24:40]
    else:
        return None
    udp = ip[ip_len:ip_len + UDP_LEN]
    kind = KINDS.get(struct.unpack_from(">H", udp, 2)[0])
    if kind is None:
        return None
    body = ip[ip_len + UDP_LEN:total - ICRC_LEN]
    if icrc(ip[:ip_len], udp, body) != ip[total - ICRC_LEN:total]:
        raise Refused("ICRC")
    return *map(mapped, ends), body, kind


def roce(frame):
    """Return (source GID, destination GID, BTH to pad) of a frame of RoCEv2, or None."""
    found = carried(frame)
    return found[:3] if found and found[3] == ROCE else None


def qpn_of(body):
    return int.from_bytes(body[5:8], "big")


def is_group(gid):
    """Test for a multicast GID of IPv6 or of mapped IPv4."""
    return gid[0] == 0xff or gid[:12] == mapped(bytes(4))[:12] and gid[12] >> 4 == 14


class Opener:
    """Follows handshakes and opens packets sealed under the resulting keys; opens datagrams,
    which need no handshake."""

    def __init__(self, key, seals, group_key=None, secrets=None):
        self.key, self.seals = key, seals
        self.group_key = group_key or key
        self.secrets = secrets or {}    # shares of A and B: Shared
        self.numbers = set()    # of datagrams: (sender, salt, counter)
        self.hellos = {}        # n_q: requester's GID, responder, HELLO
        self.requesters = {}    # n_q: requester, share of the responder
        self.receivers = {}     # (GID and QPN of the opening end, response): Receiver
        self.opened = defaultdict(lambda: defaultdict(int))
        self.groups = defaultdict(int)  # number of datagrams by group
        self.refused = []

    def connection(self, x, y, hello):
        """Return the connection under which a HELLO from x to y verifies."""
        for suite, mode in self.seals:
            conn = Connection(x, y, SUITES[suite], mode, self.key)
            try:
                parse_handshake(conn, x, hello)
                return conn
            except Refused:
                pass
        raise Refused("no suite and mode fits the handshake")

    def handshake(self, sgid, dgid, body, kind):
        nq, share = body[BTH_LEN + 8:BTH_LEN + 24], body[BTH_LEN + 40:BTH_LEN + 72]
        if body[0] == HELLO:
            self.hellos[nq] = sgid, End(dgid, qpn_of(body), kind), body
        elif body[0] == HELLO_ACK:
            self.requesters[nq] = End(dgid, qpn_of(body), kind), share
        elif nq not in self.hellos or nq not in self.requesters:
            raise Refused("a handshake without its beginning")
        elif body[0] in (CONFIRM, CONFIRM_ACK):
            (x, _), (_, y, hello) = self.requesters[nq], self.hellos[nq]
            conn = self.connection(x, y, hello)
            frame = parse_handshake(conn, x if body[0] == CONFIRM else y, body)
            if body[0] == CONFIRM_ACK:
                self.confirmed(conn, x, parse_handshake(conn, x, hello), frame)

    def confirmed(self, conn, x, hello, ack):
        """Derive the keys of x's flow. `hello`, `ack`: the frames that begin and end it"""
        y = conn.other(x)
        shares = (ack.share, hello.share) if conn.is_b(x) else (hello.share, ack.share)
        if shares not in self.secrets:
            raise Refused("no secret is known for these shares")
        flow = Flow(conn, x, ack.start, ack.nq, ack.nr, self.secrets[shares])
        self.receivers[y.bytes, False] = Receiver(flow, False)
        self.receivers[x.bytes, True] = Receiver(flow, True)

    def datagram(self, sgid, dgid, body, kind):
        """Open a datagram. A sender uses each counter once, for all destinations."""
        k_ud = k_group(self.group_key) if is_group(dgid) else k_pair(self.key, sgid, dgid)
        reasons = set()
        for suite, mode in self.seals:
            if not has_datagrams(SUITES[suite]):
                continue
            try:
                Listener().open(Seal(SUITES[suite], mode, k_ud), body, sgid, dgid, kind)
            except Refused as why:
                reasons.add(str(why))
                continue
            packet = Datagram.parse(body, mode)
            self.count(End(sgid, packet.sqpn, kind), packet)
            self.opened[suite, mode][UD_OPCODES[body[0]].name] += 1
            self.groups[dgid] += is_group(dgid)
            return
        # in the wrong form (section 2), other bytes are taken for the counter
        telling = reasons if reasons == {"counter"} else reasons - {"counter", "tag"}
        raise Refused(*(telling or ["no suite and mode opens it"]))

    def count(self, sender, packet):
        number = sender.bytes, packet.salt, packet.counter
        if number in self.numbers:
            raise Refused("counter")
        self.numbers.add(number)

    def packet(self, sgid, dgid, body, kind):
        opcode = OPCODES.get(body[0])
        if not opcode:
            raise Refused(f"opcode 0x{body[0]:02x}")
        end = End(dgid, qpn_of(body), kind)
        receiver = self.receivers.get((end.bytes, opcode.response))
        if not receiver:
            raise Refused(f"{opcode.name} before the handshake")
        header, _ = receiver.open(body, sgid, dgid)
        flow = receiver.flow
        if not opcode.response:
            flow.expected = max(flow.expected, extend(flow.expected, flow.start, header.psn))
        self.opened[flow.conn.suite.name, flow.conn.mode][opcode.name] += 1

    def frame(self, number, data):
        try:
            found = carried(data)
            if found and found[2][0] in UD_OPCODES:
                self.datagram(*found)
            elif found and not HANDSHAKE.get(found[2][0]):
                self.packet(*found)
            elif found:
                self.handshake(*found)
        except Refused as why:
            self.refused.append(f"packet {number}: {why}")


def main():
    usage, more = __doc__.split("usage: ")[1].split("\n", 1)
    parser = argparse.ArgumentParser(usage=usage, description=__doc__.split("\n")[0], epilog=more,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--datagrams", action="store_true")
    parser.add_argument("--ipoib", action="store_true")
    parser.add_argument("--xrc", action="store_true")
    parser.add_argument("--group", type=pathlib.Path)
    parser.add_argument("--secrets", type=pathlib.Path)
    parser.add_argument("key", type=pathlib.Path)
    parser.add_argument("pcap", type=pathlib.Path)
    parser.add_argument("seals", nargs="+")
    args = parser.parse_args()
    key, group_key = (path and bytes.fromhex(path.read_text()) for path in (args.key, args.group))
    seals = [tuple(word.split(":")) for word in args.seals]
    wanted = UD_OPCODES if args.datagrams or args.ipoib else \
        XRC_OPCODES if args.xrc else RC_OPCODES
    wanted = [o for o in wanted.values() if not args.ipoib or o.name == "UD_SEND_ONLY"]
    secrets = read_secrets(args.secrets.read_text()) if args.secrets else {}
    opener = Opener(key, seals, group_key, secrets)
    for number, data in enumerate(frames(args.pcap), 1):
        opener.frame(number, data)
    missing = 0
    for suite, mode in seals:
        opcodes = opener.opened[suite, mode]
        never = [o.name for o in wanted if o.name not in opcodes and o.name not in UNPOSTED]
        missing += bool(never)
        print(f"{suite} {mode}: {sum(opcodes.values())} packets of {len(opcodes)} opcodes"
              + (f"; never {', '.join(never)}" if never else ""))
    for group, number in sorted(opener.groups.items()):
        if number and args.ipoib:
            print(f"{IPv6Address(group)}: {number} datagrams")
    for why in opener.refused[:20]:
        print(why, file=sys.stderr)
    print(f"{len(opener.refused)} refused, {missing} without all opcodes")
    sys.exit(bool(opener.refused or missing))


if __name__ == "__main__":
    main()
