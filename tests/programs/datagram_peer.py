#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""datagram_peer - test sealed datagrams against the specification, with an independent peer.

Creates UD QPs on a device of this namespace, and acts as their peer through a raw socket in
another one, with tools/codec: it opens everything that the device sends, and seals what the
device must accept, under every suite and mode for datagrams, between two hosts and in
groups, over IPv4 and IPv6. The device must drop wrong datagrams for the right reason. Sets
rules for this namespace; keys "k" and "g" must exist.

Example:
    in a tests/programs/datagram_peer.py --device srnic0 --netns b --dev vb --mac $MAC \\
        --key k.key --group-key g.key
"""
import argparse
import os
import sys
import time
from pathlib import Path

import pyverbs.enums as e

from datagram_bed import (IMM, LIMIT, ONLY, ONLY_IMM, PLACES, QUIET, SUITES, Device, Header, Peer,
                          Rules, Talk, Target, changed)
from sth import Listener, Refused, has_datagrams
from sth.datagram import STH_LEN, WINDOW, Datagram

IN_A_ROW = 8        # datagrams sent before the device knows the salt
FLOOD = 3000        # datagrams, each under a new salt; at most 512 of them may wait for a key
SALT = 20           # offset of the salt, after BTH and DETH
SENT, REFUSED = e.IBV_WC_SUCCESS, e.IBV_WC_LOC_QP_OP_ERR


def strangers_are_let_in(talk):
    """The first datagrams of a salt all arrive, although their key is derived only then."""
    texts = [bytes([n]) * (37 * n) for n in range(IN_A_ROW)]
    for n, text in enumerate(texts):
        talk.say(text, opcode=(ONLY, ONLY_IMM)[n % 2])
    expected = sorted(((talk.place.peer.qpn, text, (None, IMM)[n % 2])
                       for n, text in enumerate(texts)), key=repr)
    got = sorted(talk.target.received(IN_A_ROW), key=repr)
    return None if got == expected else f"came {len(got)}: {got}"


def the_longest_is_let_in(talk):
    text = bytes(range(256)) * 8
    talk.say(text)
    got = talk.target.received(1)
    return None if [row[1] for row in got] == [text] else f"came {len(got)}"


# A flipped bit, by name: its offset and mask, in modes other than opaque. In the counter, one
# that gives a distant value.
BITS = {"SE": (1, 0x80), "PSN": (11, 1), "Q_Key": (15, 1), "sender": (19, 1), "salt": (20, 1),
        "counter": (34, 0x40), "tag": (51, 1)}


def offset_in(mode, at):
    """Return where the byte of BITS is in that mode: in opaque mode, the STH precedes the DETH."""
    if mode != "opaque" or at < 12:
        return at
    return at + STH_LEN if at < SALT else at - (SALT - 12)


def wrong_ones(talk, others):
    """Yield (BTH to pad, source, counter of the reason) of datagrams that must be dropped."""
    peer, body = talk.place.peer.gid, talk.body(b"to be changed")
    for at, mask in BITS.values():
        yield changed(body, offset_in(talk.seal.mode, at), mask), peer, "sth_auth_failed"
    if talk.seal.mode != "header":
        yield changed(body, -4), peer, "sth_auth_failed"                # in the payload
        yield talk.body(b"abc\1", pad=1), peer, "sth_auth_failed"
    yield body, changed(peer, -1), "sth_auth_failed"
    for seal in others:
        yield talk.body(b"of another", seal=seal), peer, "sth_auth_failed"
    for counter in (1 << 26, 1 << 32):
        yield talk.body(b"spent", counter=counter), peer, "sth_auth_failed"
    clear = talk.header()
    yield clear.bytes() + b"text", peer, "sth_missing"
    clear.code = 2                                                      # the code of a connection
    yield clear.bytes() + bytes(16) + b"text", peer, "sth_unexpected"


def what_is_wrong_is_refused(talk, others):
    good = talk.body(b"once")
    talk.put(good)
    got = talk.target.received(1)
    before, reasons = talk.target.device.counters(), ["sth_replayed"]
    talk.put(good)
    for body, sgid, reason in wrong_ones(talk, others):
        talk.put(body, sgid)
        reasons.append(reason)
    why = talk.target.device.refused(before, *reasons)
    talk.say(b"and after all that")
    got += talk.target.received(1) + talk.target.received(1, QUIET)
    if [text for _, text, _ in got] != [b"once", b"and after all that"]:
        return f"came {got}"
    return why


def forged_salts(talk):
    """Send datagrams under random salts, and some genuine ones of a known sender in
    between. Return the number of genuine ones."""
    body, said = talk.body(b"in nobody's name"), 0
    for n in range(FLOOD):
        talk.put(body[:SALT] + os.urandom(8) + body[SALT + 8:])
        if n % (FLOOD // 16) == 0:
            talk.say(b"in the midst of it")
            said += 1
    return said


def a_flood_of_new_salts_drives_nobody_out(talk, newcomer):
    """Every forged datagram is dropped. The known sender is heard during the flood, a new
    one after it."""
    talk.say(b"known")
    if len(talk.target.received(1)) != 1:
        return "the first did not come"
    device, before = talk.target.device, talk.target.device.counters()
    said = forged_salts(talk)
    got = len(talk.target.received(said))
    end = time.monotonic() + LIMIT
    while (more := device.counters() - before).total() < FLOOD and time.monotonic() < end:
        time.sleep(QUIET)
    newcomer.say(b"new")
    got_new = [text for _, text, _ in talk.target.received(1)]
    if set(more) - {"sth_auth_failed", "sth_crowded"} or more.total() != FLOOD:
        return f"of {FLOOD} were counted {dict(more)}"
    if got != said or got_new != [b"new"]:
        return f"came {got} of {said} that a known sender said, and {got_new} of a new one"
    return None


def header_mode_leaves_payloads_open(talk):
    """A stated limit (protocol.md, section 13). It also shows that the other modes check
    the payload."""
    talk.put(changed(talk.body(b"text"), -1))
    got = talk.target.received(1)
    return None if [row[1] for row in got] == [b"texu"] else f"came {got}"


def the_window_is_so_wide(talk):
    """srnic remembers 1984 counters of a salt, including the greatest."""
    talk.say(b"first", counter=5000)
    if len(talk.target.received(1)) != 1:
        return "the first did not come"
    before = talk.target.device.counters()
    talk.say(b"too old", counter=5000 - WINDOW)
    why = talk.target.device.refused(before, "sth_replayed")
    talk.say(b"old", counter=5000 - WINDOW + 1)
    got = [text for _, text, _ in talk.target.received(1)]
    return why or (None if got == [b"old"] else f"came {got}")


def send_everywhere(target):
    """Send twice to each place; yield (place, text, opcode)."""
    for n, place in enumerate(PLACES * 2):
        turn = n + n // len(PLACES)
        text, imm = bytes([n]) * (0, 1, 5, 2048)[turn % 4], turn % 2
        status = target.send(place, text, IMM if imm else None)
        if status != SENT:
            raise Refused(f"send to {place.name}: status {status}")
        yield place, text, (ONLY, ONLY_IMM)[imm]


def opened(seal, place, text, opcode, found):
    """Open a datagram and compare it with the expected one; return its parts or raise
    Refused."""
    sgid, dgid, body = found
    header, got = Listener().open(seal, body, sgid, dgid)
    imm = IMM.to_bytes(4, "big") if opcode == ONLY_IMM else b""
    if (sgid, dgid, header.opcode, header.dqpn, header.ext[8:], got) != (
            place.device.gid, place.out.gid, opcode, place.out.qpn, imm,
            text + bytes(header.pad)):
        raise Refused(f"datagram to {place.name}, which is another: {body.hex()}")
    return Datagram.parse(body, seal.mode)


def what_it_sends_opens(peer, target, rules, salts):
    """A QP uses one salt that no other QP has used, and one counter for all destinations."""
    try:
        sent = list(send_everywhere(target))
        # in opaque mode the QPN is a secret
        found = peer.taken(None if rules.mode == "opaque" else target.qpn, len(sent))
        if len(found) != len(sent):
            return f"{len(found)} of {len(sent)} came"
        packets = [opened(rules.seal(row[0]), *row, datagram)
                   for row, datagram in zip(sent, found, strict=True)]
    except Refused as why:
        return f"refused: {why}"
    mine, numbers = {packet.salt for packet in packets}, [packet.counter for packet in packets]
    if len(mine) != 1 or mine & salts or numbers != list(range(len(sent))):
        return f"salts {mine}, of which {mine & salts} are not new; numbers {numbers}"
    salts |= mine
    return None


class Trial:
    """All tests, and the number of failures."""

    def __init__(self, device, peer, rules):
        self.device, self.peer, self.rules = device, peer, rules
        self.failed, self.salts = 0, set()

    def say(self, what, wrong):
        self.failed += wrong is not None
        print(f"{'FAIL' if wrong else 'ok  '} {what}{': ' + wrong if wrong else ''}", flush=True)

    def others(self, place):
        """Yield seals that the rule does not allow: another suite, mode or key."""
        suite, mode = self.rules.suite, self.rules.mode
        for other in ("aes-cmac-256", "aes-gcm-256"):
            if other != suite.name:
                way = SUITES[other].modes[0]
                yield self.rules.seal(place, SUITES[other], way)
        for way in suite.modes:
            if way != mode:
                yield self.rules.seal(place, suite, way)
        yield self.rules.seal(place, key=bytes(32))

    def at(self, target, place):
        """Test reception at one place."""
        talk = Talk(self.peer, place, target, self.rules.seal(place))
        name = f"{self.rules.suite.name} {self.rules.mode}, {place.name}: "
        self.say(name + "strangers are let in", strangers_are_let_in(talk))
        self.say(name + "the longest is let in", the_longest_is_let_in(talk))
        self.say(name + "what is wrong is refused",
                 what_is_wrong_is_refused(talk, self.others(place)))
        if self.rules.mode == "header":
            self.say(name + "payloads are open", header_mode_leaves_payloads_open(talk))

    def seal(self, suite, mode):
        """Test all places under one rule."""
        self.rules.set("require", suite, mode)
        target = Target(self.device)
        for place in PLACES:
            if place.group:
                target.join(place)
            self.at(target, place)
        talk = Talk(self.peer, PLACES[0], target, self.rules.seal(PLACES[0]))
        self.say(f"{suite} {mode}: the window is so wide", the_window_is_so_wide(talk))
        self.say(f"{suite} {mode}: what it sends opens",
                 what_it_sends_opens(self.peer, target, self.rules, self.salts))
        target.close()

    def flood(self):
        self.rules.set("require", "aes-gcm-128", "aead")
        target, place = Target(self.device), PLACES[0]
        known, new = (Talk(self.peer, place, target, self.rules.seal(place)) for _ in range(2))
        self.say("a flood of new salts drives nobody out",
                 a_flood_of_new_salts_drives_nobody_out(known, new))
        target.close()

    def clear(self, target, plain, rule, *seal):
        """Test rules under which datagrams are sent in the clear, and sealed ones are
        dropped."""
        self.rules.set(rule, *seal)
        status = target.send(plain.place, b"text")
        codes = [Header.parse(body, 0).code for _, _, body in self.peer.taken(target.qpn, 1)]
        self.say(f"{rule}: goes in the clear",
                 None if (status, codes) == (SENT, [0]) else f"status {status}, codes {codes}")
        plain.put(plain.header().bytes() + b"text")
        got = target.received(1)
        self.say(f"{rule}: is taken in the clear",
                 None if [row[1] for row in got] == [b"text"] else f"came {got}")
        before = self.device.counters()
        plain.say(b"sealed")
        self.say(f"{rule}: no seal is taken", self.device.refused(before, "sth_unexpected"))

    def silent(self, target, plain, *seal):
        """Test a rule that forbids clear datagrams, with a suite that cannot seal them."""
        self.rules.set("require", *seal)
        before = self.device.counters()
        plain.put(plain.header().bytes() + b"text")
        self.say("no form, but required: nothing is taken in the clear",
                 self.device.refused(before, "sth_missing"))
        status = target.send(plain.place, b"text")
        found = self.peer.taken(target.qpn, 1, QUIET)
        self.say("no form, but required: nothing goes",
                 None if (status, found) == (REFUSED, []) else f"status {status}, {found}")

    def without(self):
        """Test rules and suites that do not seal datagrams."""
        no_form = "hmac-sha256", "packet"
        target = Target(self.device)
        plain = Talk(self.peer, PLACES[0], target, self.rules.seal(PLACES[0]))
        self.clear(target, plain, "off")
        self.clear(target, plain, "prefer", *no_form)
        self.silent(target, plain, *no_form)
        target.close()


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0],
                                 epilog=__doc__.split("Example:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--device", required=True, help="RDMA device under test")
    ap.add_argument("--netns", required=True, help="where the peer is")
    ap.add_argument("--dev", required=True, help="the peer's netdev")
    ap.add_argument("--mac", required=True, help="the device's hardware address")
    ap.add_argument("--key", required=True, type=Path, help="file with the key k, hexadecimal")
    ap.add_argument("--group-key", required=True, type=Path, help="and with g")
    ap.add_argument("seals", nargs="*", metavar="SUITE:MODE", help="these alone (default: all)")
    args = ap.parse_args()

    keys = {name: bytes.fromhex(path.read_text())
            for name, path in (("k", args.key), ("g", args.group_key))}
    trial = Trial(Device(args.device), Peer(args.netns, args.dev, args.mac), Rules(keys))
    seals = [word.split(":") for word in args.seals] or \
        [(suite.name, mode) for suite in SUITES.values() if has_datagrams(suite)
         for mode in suite.modes]
    for suite, mode in seals:
        trial.seal(suite, mode)
    trial.flood()
    trial.without()
    sys.exit(1 if trial.failed else 0)


if __name__ == "__main__":
    main()
