#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""profile - samples one benchmark with perf and writes what it saw as text.

Runs inside the VM (see `make profile`). Leaves in the folder given: samples.txt (perf
script's output, kernel call chains), run.json (what was measured meanwhile).

Example:
  profile.py --work write_4k --contender srnic --out build/profile
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
from run import CONTENDERS, MTU, PEER, WORK, parse, sh, start, tool_args  # noqa: E402

# Samples a second of guest time. Under icount a guest second is 10^9 instructions.
FREQUENCY = 4000
DATA = "/tmp/perf.data"


def record(work, contender):
    """Run the work; returns its figures and how long perf watched, in guest seconds."""
    server = start(tool_args(work, contender.devices[1]))
    time.sleep(0.7)
    perf = subprocess.Popen(
        ["perf", "record", "-q", "-a", "-e", "cpu-clock", "-F", str(FREQUENCY), "-g", "-o", DATA, "--",
         *tool_args(work, contender.devices[0]), PEER],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    out, _ = perf.communicate(timeout=1200)
    server.communicate(timeout=60)
    if perf.returncode:
        sys.exit(f"profile: {work['tool']} failed: {out.strip().splitlines()[-1:]}")
    return parse(work, out)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Example:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--work", default="write_4k", choices=WORK)
    ap.add_argument("--contender", default="srnic", choices=CONTENDERS)
    ap.add_argument("--scale", type=float, default=10, help="factor on the number of iterations")
    ap.add_argument("--out", required=True)
    args = ap.parse_args()
    contender = CONTENDERS[args.contender]
    work = {**WORK[args.work], "iters": int(WORK[args.work]["iters"] * args.scale)}
    sh(["sysctl", "-qw", "kernel.perf_event_paranoid=-1", "kernel.kptr_restrict=0",
        f"kernel.perf_event_max_sample_rate={FREQUENCY}"])
    sh(["testbed", "up", "--flat", "--mtu", str(MTU)] + contender.up)
    try:
        print(f"profile: {args.contender} {args.work}", flush=True)
        figures = record(work, contender)
    finally:
        sh(["testbed", "down"])
    out = Path(args.out)
    with (out / "samples.txt").open("w") as file:
        print("profile: reading the samples", flush=True)
        subprocess.run(["perf", "script", "-i", DATA, "-F", "comm,time,period,ip,sym,dso"], stdout=file, check=True)
    (out / "run.json").write_text(json.dumps(
        {"kernel": platform.release(), "cpus": os.cpu_count(), "date": time.strftime("%Y-%m-%d"),
         "name": args.work, "contender": args.contender, "work": work, "figures": figures,
         "mtu": MTU}, indent=1) + "\n")


if __name__ == "__main__":
    main()
