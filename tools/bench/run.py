#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""run - measure contenders in one boot, alternating, and write one JSON file.

Runs inside the VM (see `make bench`). Every contender gets the same veth pair, the same
MTU and the same rps_cpus. Each round measures all of them, so that a drift of the machine
affects all alike. The file is written after every bed, so that an interrupted run keeps
its results.

Examples:
    run.py --out build/bench/raw.json
    run.py --out /tmp/x.json --reps 1 --work write_4k,loss --contenders rxe,srnic
"""
import argparse
import json
import os
import platform
import re
import resource
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

sys.dont_write_bytecode = True
from bed import bed, crossed, lose, protected  # noqa: E402
from contenders import CONTENDERS, MTU                                  # noqa: E402
from floor import measure_floor                                         # noqa: E402
from measure import measure                                             # noqa: E402
from options import some_of                                              # noqa: E402
from pace import Pace                                                   # noqa: E402
from places import PLACES                                               # noqa: E402
from programs import Failed, Patience                                   # noqa: E402
from progress import Progress                                           # noqa: E402
from work import GROUPS, NIC_GROUPS, OFTEN, select                      # noqa: E402


@dataclass
class Session:
    """The work to measure while one bed is up."""
    round: int
    place: str
    kind: str
    todo: list = field(default_factory=list)    # (contender, work)


def rounds_of(work, reps):
    return reps if work.group in OFTEN else min(work.reps, reps)


def plan(works, contenders, reps):
    """Return all sessions: round by round, and in each round bed by bed."""
    sessions = []
    for turn in range(reps):
        due = [work for work in works if turn < rounds_of(work, reps)]
        for place in PLACES:
            here = [work for work in due if work.place == place]
            for kind in dict.fromkeys(c.bed for c in contenders):
                session = Session(turn, place, kind)
                for contender in (c for c in contenders if c.bed == kind):
                    mine = [work for work in here if (contender.like or contender.name) in work.who]
                    if mine:
                        session.todo.append((contender, mine))
                if session.todo:
                    sessions.append(session)
    return sessions


class Bench:
    """The results so far, and the file that they are written to."""

    def __init__(self, args, sessions):
        self.args = args
        self.pace = Pace(args.seconds)
        self.progress = Progress(sum(len(works) for s in sessions for _, works in s.todo))
        self.record = {
            "date": time.strftime("%Y-%m-%d"), "kernel": platform.release(), "machine": machine(),
            "cpus": os.cpu_count(), "mtu": MTU, "rps": args.rps, "seconds": args.seconds,
            "work": {work.name: asdict(work) for s in sessions for _, works in s.todo for work in works},
            "results": {}, "floor": []}

    def save(self):
        path = Path(self.args.out)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.record, indent=1) + "\n")

    def floor(self):
        if self.args.floor_ms:
            self.record["floor"].append(measure_floor(self.args.floor_ms))

    def session(self, session):
        with bed(session.kind, session.place, self.args.rps):
            for contender, works in session.todo:
                with protected(contender):
                    for work in works:
                        self.one(contender, work)
        self.save()

    def one(self, contender, work):
        self.progress.step(f"{contender.name} {work.name}")
        if work.place == "lossy":
            lose(work.loss, work.delay)
        try:
            figures = self.paced(contender, work)
        except Failed as error:
            print(f"    {error}", flush=True)
            figures = {"error": str(error)}
        mine = self.record["results"].setdefault(contender.name, {})
        mine.setdefault(work.name, []).append(figures)


    def paced(self, contender, work):
        """Run once; repeat if the guess was too short for a useful result."""
        while True:
            iterations = self.pace.iterations(contender, work)
            before = crossed() if work.kind == "bandwidth" else 0
            figures = measure(contender, work, iterations)
            self.pace.learn(contender, work, figures)
            if work.kind == "bandwidth":
                figures["wire"] = (crossed() - before) / (work.size * iterations * work.qps)
            if not self.pace.too_short(contender, work, iterations):
                return figures


def machine():
    """Return the processor's model name."""
    found = re.search(r"^model name\s*: (.*)", Path("/proc/cpuinfo").read_text(), re.M)
    return found[1] if found else platform.machine()


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Examples:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", required=True)
    ap.add_argument("--reps", type=int, default=5, help="rounds of the headline; the rest has 1 or 2")
    ap.add_argument("--work", default=",".join(group for group in GROUPS if group not in NIC_GROUPS),
                    help=f"names and groups; default: all but {', '.join(NIC_GROUPS)}")
    ap.add_argument("--contenders", type=some_of(CONTENDERS),
                    default=[name for name, c in CONTENDERS.items() if not c.like])
    ap.add_argument("--rps", default="0", help="rps_cpus of both ends, or two masks: 1,2")
    ap.add_argument("--seconds", type=float, default=0.4, help="how long a run is to last")
    ap.add_argument("--patience", type=int, default=1, help="factor for the limits of the programs' time")
    ap.add_argument("--floor-ms", type=int, default=50, help="how long each primitive runs; 0: none is measured")
    args = ap.parse_args()
    try:
        args.work = select(args.work.split(","))
    except ValueError as error:
        ap.error(str(error))
    return args


def main():
    args = arguments()
    Patience.factor = args.patience
    contenders = [CONTENDERS[name] for name in args.contenders]
    sessions = plan(args.work, contenders, args.reps)
    resource.setrlimit(resource.RLIMIT_NOFILE, (65536, 65536))
    bench = Bench(args, sessions)
    for session in sessions:
        # measured often, because the machine's speed drifts for the floor as for the
        # contenders
        if session.place == "plain":
            bench.floor()
        bench.session(session)
    if not bench.record["floor"]:
        bench.floor()
    bench.save()


if __name__ == "__main__":
    main()
