# SPDX-License-Identifier: GPL-2.0
"""tables - the report's tables, as lines of Markdown; empty where nothing was measured."""
import json
from pathlib import Path
from statistics import median

from contenders import CONTENDERS
from figures import quotient
from work import FIGURES

BASE = "rxe"
DASH = "–"

# Pairs to compare besides rxe: srnic and the alternative for a user
PAIRS = (("srnic", "siw"), ("srnic", "tcp"), ("srnic-aead", "rxe-esp"), ("srnic-aead", "tcp-esp"))


def number(value):
    """Format with three significant digits, without exponent."""
    if value is None:
        return DASH
    return f"{value:,.0f}".replace(",", " ") if abs(value) >= 1000 else f"{value:.3g}"


def spread(values):
    """Format as median (min–max)."""
    if not values:
        return DASH
    text = number(median(values))
    return text if len(values) == 1 else f"{text} ({number(min(values))}–{number(max(values))})"


def times(ratio):
    return DASH if ratio is None else f"×{number(ratio)}"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def cell(record, contender, work, key):
    """Return a contender's figure and its ratio to rxe's."""
    text = spread(record.series(contender, work, key))
    ratio = record.ratio(contender, BASE, work, key)
    return text if ratio is None or contender == BASE else f"{text} **{times(ratio)}**"


def group_table(record, group):
    """Return a row for each figure of the group, a column for each contender with results."""
    works = [name for name, work in record.work.items() if work["group"] == group]
    who = [name for name in CONTENDERS
           if any(record.results.get(name, {}).get(work) for work in works)]
    rows = []
    for name in works:
        for key, unit in FIGURES[record.work[name]["kind"]]:
            rows.append([name, unit, *(cell(record, contender, name, key) for contender in who)])
    return table(["work", "figure", *who], rows) if rows else []


def beside(record, group="headline"):
    """Return ratios to contenders other than rxe."""
    rows = []
    for name, work in record.work.items():
        for key, unit in FIGURES[work["kind"]] if work["group"] == group else ():
            ratios = [record.ratio(mine, other, name, key) for mine, other in PAIRS]
            if any(ratios):
                rows.append([name, unit, *(f"**{times(r)}**" if r else DASH for r in ratios)])
    return table(["work", "figure", *(f"{mine} / {other}" for mine, other in PAIRS)], rows) if rows else []


def wire_table(record, work="write_64k"):
    """Show that all payload crossed the pair, and the overhead of each contender."""
    who = [name for name in CONTENDERS if record.series(name, work, "wire")]
    return table(who, [[spread(record.series(name, work, "wire")) for name in who]]) if who else []


def goals_table(judged):
    rows = [[goal.what, f"{'at least' if goal.side == '>=' else 'at most'} {number(goal.bound)}", number(value),
             "yes" if goal.met(value) else "no"] for goal, value in judged]
    return table(["what", "goal", "measured", "reached"], rows) if rows else []


def floor_table(record):
    rows = [[name, number(record.floor(name)), number(bandwidth_of(name, record.floor(name)))]
            for name in record.raw["floor"][0]["ns"]] if record.raw["floor"] else []
    return table(["primitive, bytes", "ns", "MiB/s"], rows) if rows else []


def bandwidth_of(row, ns):
    return int(row.rsplit("_", 1)[1]) / ns * 1e9 / (1 << 20)


NOTES = {
    "cores": "One core: the other is offline. Two: one for each end.",
    "nics": "Two NICs that QEMU emulates, on one wire; the name says driver and MTU. Latency: perftest's median; "
            "TCP's is qperf's mean. Datagrams come as fast as they are sent: the wire's end may drop them.",
    "nic-pair": "Two VMs, each with a kernel, one processor and one NIC, virtio_net; a socket joins the NICs. The name "
                "says the MTU. One processor each: with two, QEMU would emulate four on the host's two. Losses are "
                "counted at both ends. The floor's receiver reports once a quarter of the window.",
    "bottleneck": "tbf at both ends of a veth pair. four: connections of 4 processes. beside: one connection and "
                  "one flow of TCP.",
    "delay": "The name says ms of delay, one way, both ways, and percent.",
    "neighbours": "A flood's kind says what is wrong with its packets; closed-1k goes to a port that "
                  "nobody listens on.",
    "setup": "cmtime: from creating the id to being connected, 200 connections side by side.",
}


def notes(record, group):
    """Return the remarks that precede the group's table."""
    if group == "floor":
        return floor_notes(record.raw["floor"][-1])
    return [NOTES[group], ""] if group in NOTES else []


def floor_notes(last):
    """Return the CRC and the crypto drivers that the floor module used."""
    drivers = ", ".join(f"{alg} by `{driver}`" for alg, driver in last["drivers"].items())
    crcs = ", ".join(f"{crc} for {size} bytes" for size, crc in last["crc"].items())
    return [f"packet: copy and CRC, CRC and copy. sealed: the same with the kernel's AEAD at both ends, "
            f"which alone is aead_pair. CRC: {crcs}. Drivers: {drivers}.", ""]


def instructions_table(found):
    rows = []
    for name, each in found.items():
        ratios = [times(quotient(each[key], found.get(BASE, {}).get(key))) for key in ("packet", "message")]
        rows.append([name, *(f"{number(each[key])} **{ratio}**" if each[key] else DASH
                             for key, ratio in zip(("packet", "message"), ratios))])
    return table(["", "4 KiB packet", "64 B message, lists of 32"], rows) if rows else []


def failures(record):
    rows = [[contender, work, str(count), why] for contender, work, why, count in record.errors()]
    return table(["contender", "work", "runs", "why"], rows) if rows else []


def leave(name, figures, text):
    """Write figures into a JSON file, and a report beside it, which is printed, too."""
    out = Path(name)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(figures, indent=1) + "\n")
    out.with_suffix(".md").write_text(text)
    print(text)
