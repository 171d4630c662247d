#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""evaluation - turn secm.py's JSON and signing.c's into secm.md, with plots.

Example:
    evaluation.py build/bench/secm-raw.json --signing build/bench/secm-signing.json --out build/bench
"""
import argparse
import json
import sys
from pathlib import Path
from statistics import median

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOOLS))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from figures import quotient            # noqa: E402
from secm import WAYS                   # noqa: E402
from tables import number, table        # noqa: E402

STYLES = {"serial": ("#808080", "o", "-"), "threads": ("#b07800", "s", "-"),
          "pipeline": ("#2f7fe0", "D", "-"), "cmtime": ("#4f9a3a", "x", "--")}
PLOTS = (("ms", "ms until all are up"), ("cpu_ms", "ms of the client's CPU time"),
         ("kib", "KiB of the client's memory (PSS)"))
DELAY = 1       # ms, where the paper's figures are taken


class Results:
    """Medians of secm.py's figures, by themselves those with a delay."""

    def __init__(self, raw, delay=DELAY):
        self.raw = raw["results"]
        self.delay = delay

    def __iter__(self):
        return iter(self.raw)

    def delays(self, device):
        return [int(delay) for delay in self.raw[device]]

    def counts(self, device):
        found = self.raw[device].get(str(self.delay), {})
        return sorted({int(count) for runs in found.values() for count in runs})

    def get(self, device, way, count, key="ms"):
        """Return a median, or None."""
        runs = self.raw.get(device, {}).get(str(self.delay), {}).get(way, {}).get(str(count))
        if not runs or isinstance(runs, str) or key not in runs[0]:
            return None
        return median(run[key] for run in runs)

    def failures(self):
        for device, delays in self.raw.items():
            for delay, ways in delays.items():
                for way, counts in ways.items():
                    for count, runs in counts.items():
                        if isinstance(runs, str):
                            yield f"{device}, {delay} ms, {count} by {way}: {runs}"


def growth(results, device, way, key):
    """Return the KiB that a connection adds, from 64 connections to the most."""
    counts = [n for n in results.counts(device) if n >= 64]
    if len(counts) < 2:
        return None
    least, most = (results.get(device, way, n, key) for n in (counts[0], counts[-1]))
    return None if least is None or most is None else (most - least) / (counts[-1] - counts[0])


def at_most(value, bound):
    """Whether a goal is met; None: there is no figure."""
    return None if value is None else value <= bound


def at_least(value, bound):
    return None if value is None else value >= bound


def ahead(results, device):
    """Return those that are ahead of the pipeline, among threads and cmtime with 64 and more."""
    late = []
    for count in results.counts(device):
        mine = results.get(device, "pipeline", count)
        for way in ("threads", "cmtime"):
            other = results.get(device, way, count)
            if count >= 64 and mine is not None and other is not None and mine > other:
                late.append(f"{way} at {count}")
    return late


def evaluation(results, device):
    """Yield the rows E1 to E5 of a device: what, the paper's figure, ours, whether it is met."""
    get = results.get
    one = quotient(get(device, "pipeline", 16), get(device, "pipeline", 1))
    yield "E1", "time of 16 connections / of one", "1.42", number(one), at_most(one, 1.42)
    ten = quotient(get(device, "serial", 1024), get(device, "pipeline", 1024))
    yield "E2", "serial / pipeline, 1024 connections", "about 10", number(ten), at_least(ten, 10)
    us = quotient(get(device, "pipeline", 1024), 1.024)
    yield "E2", "µs a connection, 1024 connections", "about 200", number(us), None
    others = ahead(results, device)
    yield ("E2", "ahead of threads and cmtime", "everywhere",
           f"not of {', '.join(others)}" if others else "everywhere", not others)
    cpu = quotient(get(device, "pipeline", 4096, "cpu_ms"), get(device, "threads", 4096, "cpu_ms"))
    yield "E4", "CPU time, pipeline / threads, 4096 connections", "1/3", number(cpu), at_most(cpu, 1 / 3)
    mine, serial, threads = (growth(results, device, way, "kib") for way in ("pipeline", "serial", "threads"))
    yield ("E5", "KiB that a connection adds: pipeline, serial, threads", "least", ", ".join(map(number, (mine, serial, threads))),
           None if None in (mine, serial, threads) else mine < min(serial, threads))


def verdict(met):
    return "" if met is None else "met" if met else "**missed**"


def times_table(results, device):
    rows = [[str(count), *(number(results.get(device, way, count)) for way in WAYS),
             *(number(results.get(device, way, count, "cpu_ms")) for way in WAYS[:3]),
             *(number(results.get(device, way, count, "kib")) for way in WAYS[:3])]
            for count in results.counts(device)]
    head = ["connections", *(f"{way}, ms" for way in WAYS), *(f"{way}, CPU ms" for way in WAYS[:3]),
            *(f"{way}, KiB" for way in WAYS[:3])]
    return table(head, rows)


def signing_table(lines):
    rows = [[f"E6, HMAC-{line['algorithm']}, version {line['version']}", "about 5 µs",
             f"{line['sign_us']:.2f}", f"{line['verify_us']:.2f}"] for line in lines]
    return table(["", "paper", "µs to sign", "µs to verify"], rows)


def plot(results, device, key, label, path):
    from matplotlib import pyplot       # tables need none
    from plots import dress, save
    figure, axes = pyplot.subplots(figsize=(7.5, 4.2))
    for way, (colour, marker, line) in STYLES.items():
        points = [(n, value) for n in results.counts(device)
                  if (value := results.get(device, way, n, key)) is not None]
        if points:
            axes.plot(*zip(*points), line, color=colour, marker=marker, markersize=4, linewidth=1.5, label=way)
    dress(axes, f"{device}, {results.delay} ms of delay", "connections", label)
    save(figure, axes, path)
    pyplot.close(figure)


def draw(results, folder, name):
    """Draw the plots of each device; yield their names."""
    from plots import style
    with style():
        for device in results:
            if not results.counts(device):
                continue
            for key, label in PLOTS:
                drawn = f"{name}_{device}_{key}.svg"
                plot(results, device, key, label, folder / drawn)
                yield drawn


def judged(results):
    """Return the lines of E1 to E5 with a delay, of the devices that have figures with it."""
    rows = [[device, *row[:4], verdict(row[4])] for device in results if results.counts(device)
            for row in evaluation(results, device)]
    return [f"## E1 to E5, {results.delay} ms of delay", "",
            *table(["", "", "", "paper", "here", "goal"], rows), ""]


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    ap.add_argument("raw", type=Path)
    ap.add_argument("--signing", type=Path, required=True)
    ap.add_argument("--out", type=Path, required=True, help="folder")
    ap.add_argument("--name", default="secm", help="of the report; default: %(default)s")
    return ap.parse_args()


def main():
    args = arguments()
    raw = json.loads(args.raw.read_text())
    results = Results(raw)
    signing = [json.loads(line) for line in args.signing.read_text().splitlines()]
    clock = f", {raw['clock']}" if raw.get("clock") else ""
    lines = ["# SECM's evaluation", "",
             f"Measured {raw['date']} by `make bench B={args.name}` on Linux {raw['kernel']}, {raw['processors']} "
             f"processor(s), {raw['machine']}{clock}: one boot, client and server on one machine, a wire with a delay "
             "one way, both ways. The device is open before the time begins. The server accepts by librdma_pipeline; "
             "for cmtime it is cmtime. Times are medians; the paper's figures are of two hosts with hardware, with "
             f"{DELAY} ms. E6 is the host's own speed.", ""]
    delays = sorted({delay for device in results for delay in results.delays(device)})
    for delay in filter(None, delays):
        lines += judged(Results(raw, delay))
    lines += ["## E6", "", *signing_table(signing), ""]
    for name in draw(results, args.out, args.name):
        lines += [f"![{name}]({name})", ""]
    for device in results:
        for delay in results.delays(device):
            lines += [f"## {device}, {delay} ms of delay", "", *times_table(Results(raw, delay), device), ""]
    failed = list(results.failures())
    lines += ["## Without a result", "", *(f"- {line}" for line in failed)] if failed else []
    (args.out / f"{args.name}.md").write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
