#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""native_report - turn native.py's JSON into NAME.md and NAME.json.

Example:
    native_report.py build/bench/native-raw.json --out build/bench --name native
"""
import argparse
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from figures import PACKET, Record, quotient        # noqa: E402
from goals import Goal, against                     # noqa: E402
from native import NATIVE                           # noqa: E402
from places import NICS                             # noqa: E402
from tables import (BASE, cell, failures, floor_notes, floor_table, goals_table,    # noqa: E402
                    table)
from work import FIGURES                            # noqa: E402


def of_its_aead(record, _):
    """Return sealed bandwidth as a fraction of what the AEAD alone allows at both ends."""
    pair = record.floor("chacha_pair_4096")
    speed = record.median("srnic-chacha", "write_64k", "MiBps")
    return quotient(speed, PACKET / pair * 1e9 / (1 << 20)) if pair else None


def shared_goals(times_rxe):
    for verb in ("write", "read", "send"):
        work = f"{verb}_64k"
        yield Goal(f"{verb} 64 KiB, srnic / rxe", ">=", times_rxe, against("srnic", "rxe", work))
        yield Goal(f"{verb} 64 KiB, srnic / siw", ">=", 1, against("srnic", "siw", work))
    for verb in ("write", "send"):
        yield Goal(f"64 B {verb} latency, srnic / rxe", "<=", 0.5,
                   against("srnic", "rxe", f"{verb}_lat", "median"))


def nic_goals():
    yield from shared_goals(2)
    # TCP has no verbs
    for verb in ("write", "read", "send"):
        yield Goal(f"{verb} 64 KiB, srnic / TCP", ">=", 1,
                   against("srnic", "tcp", f"{verb}_64k", other_work="write_64k"))
    for verb in ("write", "send"):
        work = f"{verb}_lat"
        yield Goal(f"64 B {verb} latency, srnic / siw", "<=", 1, against("srnic", "siw", work, "median"))
        yield Goal(f"64 B {verb} latency, srnic / TCP", "<=", 1,
                   against("srnic", "tcp", work, "median", other_work="send_lat"))


def native_goals():
    yield from shared_goals(3)
    yield Goal("write 64 KiB sealed by chacha20-poly1305 / the primitive alone, at both ends",
               ">=", 0.9, of_its_aead)


def judged(record):
    goals = nic_goals() if record.raw["place"] in NICS else native_goals()
    values = ((goal, goal.value(record, {})) for goal in goals)
    return [(goal, value) for goal, value in values if value is not None]


def setting(record):
    raw = record.raw
    used = [name for name in NATIVE if name in record.results]
    nic = raw["place"] in NICS
    wire = f"two emulated NICs on one wire ({raw['place']})" if nic else "one veth pair"
    return [f"Measured {raw['date']} by `make bench B={'nic-kernel' if nic else 'native'}` on Linux "
            f"{raw['kernel']}, {raw['cpus']} × {raw['machine']}; a kernel consumer (tools/bench/kbench), "
            f"one boot, contenders alternating, both ends in one namespace on {wire}. MTU {raw['mtu']}, "
            f"{raw['depth']} messages under way, posted {raw['batch']} at once, runs of "
            f"{raw['ms']} ms. Median (min–max) **ratio to {BASE}**.", "",
            *(f"- {name}: {NATIVE[name].what}" for name in used)]


def figures_table(record):
    who = [name for name in NATIVE if name in record.results]
    rows = [[name, unit, *(cell(record, contender, name, key) for contender in who)]
            for name, work in record.work.items() for key, unit in FIGURES[work["kind"]]]
    return table(["work", "figure", *who], rows)


def markdown(record):
    parts = [(None, setting(record)), ("Goals", goals_table(judged(record))),
             ("Figures", figures_table(record))]
    if record.raw["floor"]:
        parts.append(("The floor", floor_notes(record.raw["floor"][-1]) + floor_table(record)))
    parts.append(("Runs without a figure", failures(record)))
    out = ["# Bench of a kernel consumer" if record.raw["place"] in NICS else
           "# Bench at the processor's own speed"]
    for title, lines in parts:
        if lines:
            out += ["", *([f"## {title}", ""] if title else []), *lines]
    return "\n".join(out) + "\n"


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("raw")
    ap.add_argument("--out", required=True, help="folder for NAME.md and NAME.json")
    ap.add_argument("--name", default="native", help="NAME")
    args = ap.parse_args()
    record = Record(json.loads(Path(args.raw).read_text()))
    out = Path(args.out)
    found = [{"what": goal.what, "side": goal.side, "bound": goal.bound, "value": value,
              "reached": goal.met(value)} for goal, value in judged(record)]
    (out / f"{args.name}.json").write_text(
        json.dumps({"goals": found, "record": record.raw}, indent=1) + "\n")
    text = markdown(record)
    (out / f"{args.name}.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
