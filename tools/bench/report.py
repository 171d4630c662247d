#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""report - turn run.py's JSON into report.md, report.json and plots.

Example:
    report.py build/bench/raw.json --icount build/bench/icount.json --out build/bench
"""
import argparse
import json
import sys
from pathlib import Path
from statistics import median

sys.dont_write_bytecode = True
from contenders import CONTENDERS               # noqa: E402
from figures import Record, instructions        # noqa: E402
from goals import judge                         # noqa: E402
from tables import (BASE, beside, failures, floor_table, goals_table, group_table,   # noqa: E402
                    instructions_table, notes, wire_table)
from work import FIGURES, GROUPS                # noqa: E402


def setting(record):
    raw = record.raw
    used = [name for name in CONTENDERS if name in record.results]
    return [f"Measured {raw['date']} by `make bench` on Linux {raw['kernel']}, {raw['cpus']} × {raw['machine']}; "
            f"one boot, contenders alternating, both ends on one veth pair in one namespace, where the table "
            f"names no other wire. MTU {raw['mtu']}, rps_cpus {raw['rps']} for all. Median (min–max) **ratio to {BASE}**.", "",
            *(f"- {name}: {CONTENDERS[name].what}" for name in used)]


def markdown(record, found, plots):
    parts = [(None, setting(record)), ("Goals", goals_table(judge(record, found)))]
    for group, title in GROUPS.items():
        lines = floor_table(record) if group == "floor" else group_table(record, group)
        parts.append((title, notes(record, group) + lines if lines else []))
        if group == "headline":
            parts.append(("Beside the others", beside(record)))
            parts.append(("Bytes across the pair for one of payload, 64 KiB writes", wire_table(record)))
    parts += [("Instructions, both ends and the tool's polling (icount)", instructions_table(found)),
              ("Curves", [f"![{name}]({name})" for name in plots]),
              ("Runs without a figure", failures(record))]
    out = ["# Bench"]
    for title, lines in parts:
        if lines:
            out += ["", *([f"## {title}", ""] if title else []), *lines]
    return "\n".join(out) + "\n"


def summary(record, found):
    """Return the report as JSON, for programs."""
    medians = {contender: {work: {key: spread_of(record.series(contender, work, key))
                                  for key, _ in FIGURES[record.work[work]["kind"]]}
                           for work in works}
               for contender, works in record.results.items()}
    goals = [{"what": goal.what, "side": goal.side, "bound": goal.bound, "value": value,
              "reached": goal.met(value)} for goal, value in judge(record, found)]
    return {"goals": goals, "figures": medians, "instructions": found, "record": record.raw}


def spread_of(values):
    return {"median": median(values), "min": min(values), "max": max(values)} if values else None


def read(raw, icount):
    """Return the record and the instructions; either may be missing."""
    counted = Record(json.loads(icount.read_text())) if icount.is_file() else None
    if raw.is_file():
        record = Record(json.loads(raw.read_text()))
    elif counted:
        record = Record({**counted.raw, "results": {}, "work": {}, "floor": []})
    else:
        sys.exit(f"report: there is neither {raw} nor {icount}: run make bench")
    return record, instructions(counted) if counted else {}


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("raw")
    ap.add_argument("--icount", help="JSON of a run under icount")
    ap.add_argument("--out", required=True, help="folder for report.md, report.json and the plots")
    args = ap.parse_args()
    record, found = read(Path(args.raw), Path(args.icount or ""))
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    from plots import draw      # here, because the rest works without matplotlib
    text = markdown(record, found, draw(record, out))
    (out / "report.json").write_text(json.dumps(summary(record, found), indent=1) + "\n")
    (out / "report.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
