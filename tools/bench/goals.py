# SPDX-License-Identifier: GPL-2.0
"""goals - target figures of the bench, compared with the measured ones.

A table: description, bound, and a function that computes the figure from a record.
"""
from dataclasses import dataclass
from typing import Callable

from figures import PACKET, quotient
from places import NARROW_MIBPS, NIC_PAIRS, NICS


@dataclass(frozen=True)
class Goal:
    """A figure and its bound: at least (">=") or at most ("<=")."""
    what: str
    side: str
    bound: float
    value: Callable         # called with the record and the instructions

    def met(self, value):
        return value >= self.bound if self.side == ">=" else value <= self.bound


def against(contender, other, work, key="MiBps", other_work=None):
    return lambda record, _: record.ratio(contender, other, work, key, other_work)


def within(contender, work, other_work, key="MiBps"):
    """Return a function for the ratio of two works of one contender."""
    return against(contender, contender, work, key, other_work)


def insns(contender, other):
    def value(_, found):
        mine, theirs = found.get(contender, {}), found.get(other, {})
        return quotient(mine.get("packet"), theirs.get("packet"))
    return value


def of_the_floor(record, _):
    """Return sealed bandwidth as a fraction of the floor module's seal, CRC and copy."""
    floor = record.floor("sealed_4096")
    speed = record.median("srnic-aead", "write_64k", "MiBps")
    return quotient(speed, PACKET / floor * 1e9 / (1 << 20)) if floor else None


def added_by(contender, work, row, times):
    """Return a function for the added time a packet, or a message one way, in multiples of
    a row of the floor module."""
    def value(record, _):
        if not work.endswith("_lat"):
            clear, sealed = (record.packet_ns(name, work) for name in ("srnic", contender))
        else:
            clear, sealed = (record.median(name, work, "median") for name in ("srnic", contender))
            clear, sealed = clear and clear * 1000, sealed and sealed * 1000
        own = record.floor(row)
        if None in (clear, sealed, own):
            return None
        return (sealed - clear) / (times * own)
    return value


def own(contender, work, key, whole=1):
    """Return a function for a figure alone, or as a fraction of `whole`."""
    return lambda record, _: quotient(record.median(contender, work, key), whole)


def nic_goals():
    for place in (*NICS, *NIC_PAIRS):
        for verb in ("write", "send", "read"):
            work, label = f"{place}_{verb}", f"{place}: {verb} 64 KiB, srnic"
            yield Goal(f"{label} / rxe", ">=", 2, against("srnic", "rxe", work))
            # TCP and the floor have no verbs
            yield Goal(f"{label} / TCP", ">=", 1, against("srnic", "tcp", work, other_work=f"{place}_write"))
            yield Goal(f"{label} / floor", ">=", 0.8, against("srnic", "floor", work, other_work=f"{place}_write"))
            yield Goal(f"{label}: % sent again", "<=", 0.1, own("srnic", work, "again"))
        yield Goal(f"{place}: 64 B write latency, srnic / rxe", "<=", 0.5,
                   against("srnic", "rxe", f"{place}_lat", "median"))
        yield Goal(f"{place}: 64 B write latency, srnic / TCP", "<=", 1,
                   against("srnic", "tcp", f"{place}_lat", "median"))
        yield Goal(f"{place}: datagrams dropped before the wire", "<=", 0, own("srnic", f"{place}_ud", "held"))


def bottleneck_goals():
    for place, label, least in (("narrow", "300 KiB", 0.9), ("narrow-30", "30 packets", 0.8)):
        for verb in ("write", "send", "read"):
            yield Goal(f"bottleneck with {label}: {verb} 64 KiB, srnic / the rate", ">=", least,
                       own("srnic", f"{place}_{verb}", "MiBps", NARROW_MIBPS))
            if place == "narrow":
                yield Goal(f"bottleneck with {label}: {verb} 64 KiB, % sent again", "<=", 1,
                           own("srnic", f"{place}_{verb}", "again"))
    yield Goal("bottleneck: Jain index of 4 connections", ">=", 0.95, own("srnic", "narrow_four", "jain"))
    yield Goal("bottleneck, beside TCP: the lesser's share", ">=", 1 / 3, own("srnic", "narrow_beside", "least"))


def delay_goals():
    for delay in (1, 10):
        for loss in (0.1, 1):
            work, label = f"delay_{delay}_loss_{loss}", f"{delay} ms each way, {loss} % loss: write 64 KiB, srnic"
            yield Goal(f"{label} / rxe", ">=", 3, against("srnic", "rxe", work))
            yield Goal(f"{label} / TCP", ">=", 1, against("srnic", "tcp", work))


def bandwidth_goals():
    for verb, least in (("write", 5), ("send", 5), ("read", 4)):
        for size, label in (("64k", "64 KiB"), ("1m", "1 MiB")):
            work = f"{verb}_{size}"
            yield Goal(f"{verb} {label}, srnic / rxe", ">=", least, against("srnic", "rxe", work))
            yield Goal(f"{verb} {label}, srnic / siw", ">=", 1, against("srnic", "siw", work))
    yield Goal("write 64 KiB, srnic / TCP (the goal beyond)", ">=", 1, against("srnic", "tcp", "write_64k"))


def sealed_goals():
    for size, label in (("64k", "64 KiB"), ("1m", "1 MiB")):
        yield Goal(f"write {label}, aead / rxe under ESP", ">=", 3,
                   against("srnic-aead", "rxe-esp", f"write_{size}"))
        yield Goal(f"write {label}, aead / TCP under ESP", ">=", 1,
                   against("srnic-aead", "tcp-esp", f"write_{size}"))
    yield Goal("write 64 KiB, aead / floor with seal, CRC and copy", ">=", 0.8, of_the_floor)
    for verb in ("write", "send"):
        yield Goal(f"64 B {verb} latency, aead / rxe under ESP", "<=", 0.25,
                   against("srnic-aead", "rxe-esp", f"{verb}_lat", "median"))
    yield Goal("4 KiB packet, time added by aead / the kernel's AEAD", "<=", 1.1,
               added_by("srnic-aead", "write_64k", "aead_pair_4096", 1))
    yield Goal("the same, where each has a sealed acknowledgment of its own", "<=", 1.1,
               added_by("srnic-aead", "write_4k", "aead_pair_4096", 1))
    yield Goal("64 B write latency, header mode / clear", "<=", 1.09,
               against("srnic-header", "srnic", "write_lat", "median"))
    yield Goal("2 KiB write, two cores, sub-keys derived / kept", ">=", 0.79,
               against("srnic-uncached", "srnic-header", "two-cores_2k"))
    yield Goal("or: what header mode adds / two MACs of 128 bytes", "<=", 1.1,
               added_by("srnic-header", "write_lat", "cmac_128", 2))


def latency_goals():
    for verb in ("write", "send"):
        work = f"{verb}_lat"
        yield Goal(f"64 B {verb} latency, median, srnic / rxe", "<=", 0.3,
                   against("srnic", "rxe", work, "median"))
        yield Goal(f"64 B {verb} latency, median, srnic / siw", "<=", 1,
                   against("srnic", "siw", work, "median"))
        yield Goal(f"64 B {verb} latency, p99, srnic / siw", "<=", 1, against("srnic", "siw", work, "p99"))
    yield Goal("64 B message rate, lists of 32, srnic / rxe", ">=", 6,
               against("srnic", "rxe", "send_rate_list", "kmps"))


def scale_goals():
    yield Goal("instructions a 4 KiB packet, srnic / rxe", "<=", 0.2, insns("srnic", "rxe"))
    yield Goal("instructions a 4 KiB packet, srnic / floor", "<=", 2, insns("srnic", "floor"))
    yield Goal("1024 queue pairs / one", ">=", 0.9, within("srnic", "qps_1024", "qps_1"))
    yield Goal("two cores / one, 4 queue pairs", ">=", 1.6, within("srnic", "two-cores", "one-core"))
    yield Goal("bandwidth left under 1 % loss", ">=", 0.5, within("srnic", "loss_1", "loss_0"))


def left_beside(contender, kind):
    return lambda record, _: record.median(contender, f"garbage_{kind}", "left")


def neighbour_goals():
    """Yield goals for floods: on two processors a flood may take half of the throughput; on
    one, hardly more than any packet takes."""
    for kind in ("malformed", "qp", "icrc", "old"):
        yield Goal(f"write left beside a flood: {kind}", ">=", 0.5, left_beside("srnic", kind))
        yield Goal(f"the same on one core, {kind} / a closed port", ">=", 0.75,
                   within("srnic", f"garbage_one-core_{kind}", "garbage_one-core_closed-1k", "left"))
    for kind in ("icrc", "seal"):
        yield Goal(f"sealed write left beside a flood: {kind}", ">=", 0.5,
                   left_beside("srnic-packet", f"sealed_{kind}"))
        yield Goal(f"the same on one core, {kind} / a closed port", ">=", 0.75,
                   within("srnic-packet", f"garbage_one-core_sealed_{kind}",
                          "garbage_one-core_sealed_closed-1k", "left"))
    yield Goal("64 B round trip, beside READs / beside nothing", "<=", 1.2,
               lambda record, _: record.median("srnic", "beside_reads", "times"))


GOALS = (*bandwidth_goals(), *latency_goals(), *sealed_goals(), *scale_goals(),
         *neighbour_goals(), *nic_goals(), *bottleneck_goals(), *delay_goals())


def judge(record, found):
    """Return (goal, value) of those that were measured."""
    values = ((goal, goal.value(record, found)) for goal in GOALS)
    return [(goal, value) for goal, value in values if value is not None]
