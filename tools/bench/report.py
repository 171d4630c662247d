#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""report - turns run.py's JSON into a table with ratios to rxe (Markdown and JSON)."""
import argparse
import json
import statistics
from pathlib import Path

UNITS = {"MBps": "MB/s", "Mpps": "M msg/s", "median": "µs", "p99": "µs"}


def series(record, contender, work, key):
    runs = record["results"].get(contender, {}).get(work, [])
    return [r[key] for r in runs if key in r]


def cell(values):
    if not values:
        return "–"
    mid = statistics.median(values)
    return f"{mid:.4g} ({min(values):.4g}–{max(values):.4g})"


def headline(work_name, work):
    """The figures worth a row for a kind of work: (key, better)."""
    if work["kind"] == "lat":
        return [("median", "lower"), ("p99", "lower")]
    if work_name.startswith("send_rate"):
        return [("Mpps", "higher")]
    return [("MBps", "higher")]


def rows(record):
    base = "rxe"
    for work_name, work in record["work"].items():
        for key, better in headline(work_name, work):
            ref = series(record, base, work_name, key)
            for contender in record["results"]:
                values = series(record, contender, work_name, key)
                ratio = None
                if ref and values:
                    ratio = statistics.median(values) / statistics.median(ref)
                yield {"work": work_name, "size": work["size"], "figure": key,
                       "better": better, "contender": contender, "values": values,
                       "ratio_to_rxe": ratio}


def aead_cost(record):
    """ns a 4 KiB packet: what the seal adds, and what the kernel's own AEAD takes."""
    clear = series(record, "srnic", "write_4k", "MBps")
    sealed = series(record, "srnic-aead", "write_4k", "MBps")
    own = [r["aead_pair_4096"] for r in record["floor_ns"]]
    if not (clear and sealed and own):
        return None

    def ns(mbps):
        return 4096 / (mbps * 1048576) * 1e9
    added = ns(statistics.median(sealed)) - ns(statistics.median(clear))
    return {"added_ns": added, "kernel_ns": statistics.median(own),
            "ratio": added / statistics.median(own)}


def markdown(record, table):
    out = [f"# Bench, {record['date']}", "",
           f"Kernel {record['kernel']}, {record['cpus']} CPUs, veth pair in one namespace, MTU "
           f"{record['mtu']}, one boot, contenders alternating. Median (min–max).", "",
           "| work | size | figure | " + " | ".join(record["results"]) + " |",
           "|---|---|---|" + "---|" * len(record["results"])]
    seen = {}
    for row in table:
        seen.setdefault((row["work"], row["size"], row["figure"]), {})[row["contender"]] = row
    for (work, size, figure), cells in seen.items():
        line = []
        for contender in record["results"]:
            row = cells[contender]
            ratio = f" **×{row['ratio_to_rxe']:.2f}**" if row["ratio_to_rxe"] else ""
            line.append(cell(row["values"]) + (ratio if contender != "rxe" else ""))
        out.append(f"| {work} | {size} | {UNITS[figure]} {figure} | " + " | ".join(line) + " |")
    cost = aead_cost(record)
    if cost:
        out += ["", f"Sealed with aes-gcm-128, a 4 KiB packet takes {cost['added_ns']:.0f} ns more, seal and "
                f"open together: {cost['ratio']:.2f} of the {cost['kernel_ns']:.0f} ns that the kernel's own "
                "gcm(aes) takes to encrypt and decrypt 4 KiB in the same boot."]
    insns = record.get("instructions")
    if insns:
        out += ["", "| instructions a 4 KiB packet, both ends and the tool's polling (icount) | |", "|---|---|"]
        out += [f"| {name} | {count:.0f} |" for name, count in insns.items()]
    return "\n".join(out) + "\n"


def instructions(path):
    """Under icount one guest nanosecond is one instruction."""
    record = json.loads(Path(path).read_text())
    found = {}
    for contender in record["results"]:
        values = series(record, contender, "write_bw", "MBps")
        if values:
            found[contender] = 4096 / (statistics.median(values) * 1048576) * 1e9
    return found


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("raw")
    ap.add_argument("--icount", help="JSON of a run under icount")
    ap.add_argument("--out", required=True, help="folder for report.md and report.json")
    args = ap.parse_args()
    record = json.loads(Path(args.raw).read_text())
    if args.icount and Path(args.icount).exists():
        record["instructions"] = instructions(args.icount)
    table = list(rows(record))
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / "report.json").write_text(json.dumps(
        {"record": record, "rows": table, "aead": aead_cost(record)}, indent=1) + "\n")
    text = markdown(record, table)
    (out / "report.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
