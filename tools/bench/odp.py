#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""odp - measure a peer's first access to memory that is paged on demand, on rxe and on srnic.

Runs inside the VM (see `make bench B=odp`). All use the same wire, in turns, in one boot. No page has
been touched or prefetched. Where rxe cannot page on demand (before Linux 6.15), srnic is compared with
what a user of rxe does instead: to register the memory, which pins it, and then access it.

Example:
    odp.py --out build/bench/odp.json --rounds 3 --contenders rxe,srnic
"""
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

sys.dont_write_bytecode = True
from contenders import CONTENDERS, MTU                                  # noqa: E402
from options import add_choice, command_line                            # noqa: E402
from programs import Failed, run                                        # noqa: E402
from tables import leave, table                                         # noqa: E402

REPO = Path(__file__).resolve().parents[2]
PROGRAM = REPO / "build/bench/first-touch"      # first_touch.c, built by scripts/bench
NAMES = "rxe", "srnic", "srnic-aead"
GOAL = 3.0              # greatest ratio of srnic's times to rxe's
KINDS = "por"           # pinned before, paged on demand, registered in the sample
SIZES = {4096: "4 KiB", 65536: "64 KiB", 1 << 20: "1 MiB"}
CASES = [(way, size) for way in ("write", "read") for size in SIZES]
LIMIT = 100000          # seconds: a clock that counts instructions leaps when the machine is idle
TRIALS = 3
HEADS = {"p": "pinned", "o": "on demand", "r": "registered"}


def session(name, samples):
    """Return the medians of one contender, on a test bed of its own: {kind: {(way, size): us}}."""
    contender = CONTENDERS[name]
    policy = ["--policy", f"require:{':'.join(contender.policy)}"] if contender.policy else []
    testbed("up", "--type", contender.bed, "--flat", "--mtu", str(MTU), *policy)
    said = run([str(PROGRAM), *contender.devices, KINDS, str(samples)], LIMIT)
    testbed("down")
    return parse(said)


def testbed(*words):
    """Run it, if need be again: when the clock leaps, the kernel may not wait long enough for a cipher's module."""
    for _ in range(TRIALS):
        ran = subprocess.run(["testbed", *words], text=True, capture_output=True, check=False)
        if not ran.returncode:
            break
    else:
        raise Failed(f"testbed {' '.join(words)}: status {ran.returncode}: {ran.stdout}{ran.stderr}")


def parse(said):
    """Return {kind: {(way, size): us}} from the lines of first-touch."""
    found = {}
    for kind, way, size, time_us in re.findall(r"^(\w) (\w+) (\d+) ([\d.]+)$", said, re.M):
        found.setdefault(kind, {})[way, int(size)] = float(time_us)
    return found


def measure(names, args):
    """Return {name: [what session() returned]}."""
    found = {name: [] for name in names}
    for _ in range(args.rounds):
        for name, runs in found.items():
            runs.append(session(name, args.samples))
            print(f"{name}: " + ", ".join(f"{HEADS[kind]} {way} of {SIZES[size]} {us:.0f} us"
                                          for kind, some in runs[-1].items()
                                          for (way, size), us in some.items()), flush=True)
    return found


def middle(runs, kind, case):
    """Return the median of the rounds, or None if the device has no such kind."""
    some = [one[kind][case] for one in runs if kind in one]
    return median(some) if some else None


def alternative(found):
    """Return the kind of rxe's that srnic's paging on demand is compared with, and its name."""
    kind = "o" if middle(found["rxe"], "o", CASES[0]) else "r"
    return kind, HEADS[kind]


def rows(found):
    """Yield the cells of each way and size."""
    for case in CASES:
        cells = [f"{case[0].upper()} of {SIZES[case[1]]}"]
        for runs in found.values():
            times = {kind: middle(runs, kind, case) for kind in KINDS}
            cells += [f"{times[kind]:.0f}" if times[kind] else "none" for kind in KINDS]
        if {"rxe", "srnic"} <= found.keys():
            ratio = (middle(found["srnic"], "o", case) /
                     middle(found["rxe"], alternative(found)[0], case))
            cells += [f"{ratio:.2f}", f"<= {GOAL}: {'met' if ratio <= GOAL else '**missed**'}"]
        yield cells


def price_rows(found):
    """Yield the cells of each way and size: the time of the fault alone."""
    for case in CASES:
        cells = [f"{case[0].upper()} of {SIZES[case[1]]}"]
        for runs in found.values():
            times = [middle(runs, kind, case) for kind in "op"]
            cells.append(f"{times[0] - times[1]:.0f}" if all(times) else "none")
        yield cells


def report(found, args):
    """Return the Markdown of the report."""
    head = ["us, median"] + [f"{name}, {HEADS[kind]}" for name in found for kind in KINDS]
    if {"rxe", "srnic"} <= found.keys():
        head += [f"srnic, on demand / rxe, {alternative(found)[1]}", "goal"]
    return "\n".join([
        "# First touch of memory that is paged on demand", "",
        f"Measured {time.strftime('%Y-%m-%d')} by `make bench B=odp`: Linux {os.uname().release}, one boot, a veth"
        f" pair, an MTU of {MTU}, in turns, {args.rounds} rounds of {args.samples} samples"
        + (f", {args.clock}." if args.clock else "."), "",
        "A peer's WRITE or READ, from posting it to its completion, for which the program sleeps. The owner's memory",
        "has never been touched. *pinned*: it was registered before, which pins it; *on demand*: it was registered",
        "with IBV_ACCESS_ON_DEMAND, nothing is prefetched; *registered*: the time includes a registration that pins",
        "it.", "",
        *table(head, rows(found)), "",
        "The price of the fault alone, *on demand* less *pinned*:", "",
        *table(["us", *found], price_rows(found)), ""])


def arguments():
    ap = command_line(__doc__, 3)
    ap.add_argument("--samples", type=int, default=25, help="of each case in a round")
    add_choice(ap, "--contenders", NAMES)
    ap.add_argument("--clock", default="", help="words about the machine, for the report")
    return ap.parse_args()


def main():
    args = arguments()
    try:
        found = measure(args.contenders, args)
    except Failed as failed:
        sys.exit(f"odp: {failed}")
    raw = {name: [{kind: {f"{way} {size}": us for (way, size), us in some.items()}
                   for kind, some in one.items()} for one in runs] for name, runs in found.items()}
    leave(args.out, {"kernel": os.uname().release, "mtu": MTU, "us": raw}, report(found, args))


if __name__ == "__main__":
    main()
