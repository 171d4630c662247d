#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""datagram_peer - hold sealed datagrams to the specification, by a peer that is not ours.

Makes UD QPs on a device of this namespace, and plays their peer from a raw socket in
another one, with the independent codec: it opens all that the device sends and seals what
the device is to take, under every suite and mode that have datagrams, between two hosts and
in groups, over IPv4 and IPv6. What is wrong must be refused, for the reason that it should
be. Sets rules for this namespace; keys "k" and "g" must be there.

Example:
  in a tools/verify/datagram_peer.py --device srnic0 --netns b --dev vb --mac $MAC \\
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
from sth.datagram import WINDOW, Datagram

IN_A_ROW = 8        # datagrams that come before a salt is known
FLOOD = 3000        # datagrams under as many salts, of which so many may wait at once: 512
SALT = 20           # where it is: behind BTH and DETH
SENT, REFUSED = e.IBV_WC_SUCCESS, e.IBV_WC_LOC_QP_OP_ERR


def strangers_are_let_in(talk):
    """The first datagrams of a salt all arrive, though nobody knew its key when they came."""
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


# What another bit changes, and where it is; in the counter one that is far from all others
BITS = {"SE": (1, 0x80), "PSN": (11, 1), "Q_Key": (15, 1), "sender": (19, 1), "salt": (20, 1),
        "counter": (34, 0x40), "tag": (51, 1)}


def wrong_ones(talk, others):
    """(BTH to pad, source, counter that tells of it): none is to be taken."""
    peer, body = talk.place.peer.gid, talk.body(b"to be changed")
    for at, mask in BITS.values():
        yield changed(body, at, mask), peer, "sth_auth_failed"
    if talk.seal.mode != "header":
        yield changed(body, -4), peer, "sth_auth_failed"                # its payload
        yield talk.body(b"abc\1", pad=1), peer, "sth_auth_failed"
    yield body, changed(peer, -1), "sth_auth_failed"
    for seal in others:
        yield talk.body(b"of another", seal=seal), peer, "sth_auth_failed"
    for counter in (1 << 26, 1 << 32):
        yield talk.body(b"spent", counter=counter), peer, "sth_auth_failed"
    clear = talk.header()
    yield clear.bytes() + b"text", peer, "sth_missing"
    clear.code = 2                                                      # a connection's
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
    """Datagrams under salts that nobody has; now and then the sender speaks, who is known."""
    body, said = talk.body(b"in nobody's name"), 0
    for n in range(FLOOD):
        talk.put(body[:SALT] + os.urandom(8) + body[SALT + 8:])
        if n % (FLOOD // 16) == 0:
            talk.say(b"in the midst of it")
            said += 1
    return said


def a_flood_of_new_salts_drives_nobody_out(talk, newcomer):
    """Each is refused; who is known is heard meanwhile, and who is new when it is over."""
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
    """A limit that is stated (protocol.md, section 13); it shows that the others look."""
    talk.put(changed(talk.body(b"text"), -1))
    got = talk.target.received(1)
    return None if [row[1] for row in got] == [b"texu"] else f"came {got}"


def the_window_is_so_wide(talk):
    """srnic keeps 1984 counters of a salt, the greatest among them."""
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
    """(place, text, opcode) of what was sent, twice to each place."""
    for n, place in enumerate(PLACES * 2):
        turn = n + n // len(PLACES)
        text, imm = bytes([n]) * (0, 1, 5, 2048)[turn % 4], turn % 2
        status = target.send(place, text, IMM if imm else None)
        if status != SENT:
            raise Refused(f"send to {place.name}: status {status}")
        yield place, text, (ONLY, ONLY_IMM)[imm]


def opened(seal, place, text, opcode, found):
    """The parts of a datagram that is to be that; or Refused."""
    sgid, dgid, body = found
    header, got = Listener().open(seal, body, sgid, dgid)
    imm = IMM.to_bytes(4, "big") if opcode == ONLY_IMM else b""
    if (sgid, dgid, header.opcode, header.dqpn, header.ext[8:], got) != (
            place.device.gid, place.out.gid, opcode, place.out.qpn, imm,
            text + bytes(header.pad)):
        raise Refused(f"datagram to {place.name}, which is another: {body.hex()}")
    return Datagram.parse(body)


def what_it_sends_opens(peer, target, rules, salts):
    """One salt, which no other queue pair has had, and one count for all destinations."""
    try:
        sent = list(send_everywhere(target))
        found = peer.taken(target.qpn, len(sent))
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
    """All that is looked at, and what was wrong."""

    def __init__(self, device, peer, rules):
        self.device, self.peer, self.rules = device, peer, rules
        self.failed, self.salts = 0, set()

    def say(self, what, wrong):
        self.failed += wrong is not None
        print(f"{'FAIL' if wrong else 'ok  '} {what}{': ' + wrong if wrong else ''}", flush=True)

    def others(self, place):
        """Seals that the rule does not ask for: another suite, mode, key."""
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
        """What comes to the target there."""
        talk = Talk(self.peer, place, target, self.rules.seal(place))
        name = f"{self.rules.suite.name} {self.rules.mode}, {place.name}: "
        self.say(name + "strangers are let in", strangers_are_let_in(talk))
        self.say(name + "the longest is let in", the_longest_is_let_in(talk))
        self.say(name + "what is wrong is refused",
                 what_is_wrong_is_refused(talk, self.others(place)))
        if self.rules.mode == "header":
            self.say(name + "payloads are open", header_mode_leaves_payloads_open(talk))

    def seal(self, suite, mode):
        """All places under one rule."""
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
        """Where datagrams go in the clear, and none comes sealed."""
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
        """Where none may go in the clear, and none can be sealed."""
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
        """Rules, and suites, that have no seal for datagrams."""
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
