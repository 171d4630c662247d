#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""profile - sample one benchmark with perf and write the samples as text.

Runs inside the VM (see `make profile`). Writes to the given folder: samples.txt (output of
perf script, kernel call chains), run.json (the benchmark's own results).

Example:
    profile.py --work write_4k --contender srnic --out build/profile
"""
import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

sys.dont_write_bytecode = True
from bed import bed, protected, sh    # noqa: E402
import ipoib                                            # noqa: E402
from connect import connect_rate                        # noqa: E402
from contenders import CONTENDERS, MTU                  # noqa: E402
from pace import Pace                                   # noqa: E402
from perftest import perftest                           # noqa: E402
from programs import Failed                             # noqa: E402
from work import WORK                                   # noqa: E402

# Guest nanoseconds between samples; under icount these are instructions. A loop that
# repeats exactly may synchronise with one period: use ten at once, primes far apart.
PERIODS = (601297, 614683, 628357, 642359, 656651, 671249, 686177, 701447, 717089, 733009)
DATA = "/tmp/perf.data"
PERF = ("perf", "record", "-q", "-a", *(word for period in PERIODS for word in ("-e", f"cpu-clock/period={period}/")),
        "-g", "-o", DATA, "--")
VERBS = [name for name, contender in CONTENDERS.items() if contender.devices]
WORKS = [name for name, work in WORK.items()
         if work.place == "plain" and (work.verb or work.kind == "connect")]


# TCP over ib0, by a name of `make bench B=ipoib`
IB0 = {f"ib0_{name}": name for name, way in ipoib.WAYS.items() if way.mode}


def record_ib0(name, seconds):
    """Run TCP over ib0 under perf; return what flame.py needs of the work, and its figures."""
    print(f"profile: ib0, {name}", flush=True)
    return {"size": ipoib.WAYS[name].segment}, ipoib.watched(name, seconds, PERF)


def record(contender, work, seconds):
    """Run the work under perf; return its figures."""
    with bed(contender.bed), protected(contender):
        print(f"profile: {contender.name} {work.name}", flush=True)
        if work.kind == "connect":
            return connect_rate(contender, under=PERF, limit=1200)
        iterations = Pace(seconds).iterations(contender, work)
        return perftest(contender, work, iterations, under=PERF, limit=1200)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Example:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--work", default="write_4k", choices=[*WORKS, *IB0])
    ap.add_argument("--contender", default="srnic", choices=VERBS)
    ap.add_argument("--seconds", type=float, default=2, help="how long to watch, roughly (%(default)s)")
    ap.add_argument("--out", required=True)
    args = ap.parse_args()
    sh("sysctl", "-qw", "kernel.perf_event_paranoid=-1", "kernel.kptr_restrict=0")
    try:
        if args.work in IB0:
            work, figures = record_ib0(IB0[args.work], round(args.seconds))
        else:
            work = asdict(WORK[args.work])
            figures = record(CONTENDERS[args.contender], WORK[args.work], args.seconds)
    except Failed as error:
        sys.exit(f"profile: {error}")
    out = Path(args.out)
    with (out / "samples.txt").open("w") as file:
        print("profile: reading the samples", flush=True)
        # In a folder without kcore: with it, perf may take modules for parts of the kernel
        symbols = shutil.copy("/proc/kallsyms", "/tmp")
        subprocess.run(["perf", "script", "-i", DATA, "--kallsyms", symbols, "-F", "comm,time,period,ip,sym,dso"],
                       stdout=file, check=True)
    (out / "run.json").write_text(json.dumps(
        {"kernel": platform.release(), "cpus": os.cpu_count(), "date": time.strftime("%Y-%m-%d"),
         "events": len(PERIODS), "name": args.work, "contender": args.contender, "work": work, "figures": figures,
         "mtu": MTU}, indent=1) + "\n")


if __name__ == "__main__":
    main()
