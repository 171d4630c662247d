#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""native - measure a kernel consumer on each contender in one boot, alternating.

Meant for user-mode Linux, where code runs at the processor's own speed (`make bench
B=native`), but runs in any guest, and at any place of places.py (`make bench B=nic-kernel`):
no program polls there, which would take a core from QEMU's thread for the NIC. Every contender
gets the same wire, MTU, depth and lists of work requests; TCP runs between two sockets of the
kernel.

Examples:
    native.py --out build/bench/native-raw.json
    native.py --out build/bench/native-raw.json --reps 1 --contenders rxe,srnic --work write_64k
"""
import argparse
import json
import os
import platform
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

sys.dont_write_bytecode = True
from bed import bed, protected                      # noqa: E402
from contenders import CONTENDERS, SRNIC, Contender     # noqa: E402
from floor import measure_floor                     # noqa: E402
from kbench import kbench                           # noqa: E402
from options import add_choice                       # noqa: E402
from places import PLACES                           # noqa: E402
from programs import Failed                         # noqa: E402
from progress import Progress                       # noqa: E402

KIB, MIB = 1 << 10, 1 << 20

NATIVE = {c.name: c for c in (
    CONTENDERS["rxe"], CONTENDERS["siw"], CONTENDERS["srnic"], CONTENDERS["srnic-header"],
    Contender("srnic-chacha", "srnic", SRNIC, policy=("aead", "chacha20-poly1305"),
              what="headers authenticated, payload encrypted by chacha20-poly1305"),
    Contender("tcp", "rxe", what="two sockets of the kernel's, no program"),
)}


@dataclass(frozen=True)
class Work:
    """Parameters of srnic_kbench. `tcp` is the equivalent for TCP, if there is one."""
    name: str
    kind: str
    verb: str
    size: int
    tcp: str = ""


WORK = {work.name: work for work in (
    Work("write_64k", "bandwidth", "write", 64 * KIB, "tcp"),
    Work("read_64k", "bandwidth", "read", 64 * KIB),
    Work("send_64k", "bandwidth", "send", 64 * KIB),
    Work("write_1m", "bandwidth", "write", MIB, "tcp"),
    Work("write_4k", "bandwidth", "write", 4 * KIB, "tcp"),
    Work("send_64", "rate", "send", 64),
    Work("write_lat", "latency", "write_lat", 64),
    Work("send_lat", "latency", "send_lat", 64, "tcp_lat"),
)}


def verb_of(work, contender):
    """Return the work's verb for the contender, or None if it has none."""
    return work.verb if contender.devices else work.tcp or None


class Bench:
    """The results so far, and the file that they are written to."""

    def __init__(self, args, todo):
        self.args = args
        self.progress = Progress(args.reps * len(todo))
        self.record = {
            "date": time.strftime("%Y-%m-%d"), "kernel": platform.release(),
            "machine": args.machine, "cpus": os.cpu_count(), "place": args.place,
            "mtu": PLACES[args.place].mtu, "ms": args.ms,
            "depth": args.depth, "batch": args.batch,
            "work": {work.name: asdict(work) for work in args.work}, "results": {}, "floor": []}

    def save(self):
        path = Path(self.args.out)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.record, indent=1) + "\n")

    def one(self, contender, work):
        self.progress.step(f"{contender.name} {work.name}")
        try:
            found = kbench(verb_of(work, contender), work.size, ms=self.args.ms,
                           depth=self.args.depth, batch=self.args.batch)
        except Failed as error:
            print(f"    {error}", flush=True)
            found = {"error": str(error)}
        mine = self.record["results"].setdefault(contender.name, {})
        mine.setdefault(work.name, []).append(found)

    def turn(self, todo):
        """Measure every contender once."""
        self.record["floor"].append(measure_floor(20))
        for kind in dict.fromkeys(contender.bed for contender, _ in todo):
            with bed(kind, self.args.place):
                for contender in dict.fromkeys(c for c, _ in todo if c.bed == kind):
                    with protected(contender):
                        for work in (work for c, work in todo if c is contender):
                            self.one(contender, work)
            self.save()


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Examples:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", required=True)
    ap.add_argument("--reps", type=int, default=5, help="rounds through all contenders")
    ap.add_argument("--ms", type=int, default=400, help="how long a run is to last")
    ap.add_argument("--depth", type=int, default=64, help="messages that a stream has under way")
    ap.add_argument("--batch", type=int, default=16, help="work requests that are posted at once")
    add_choice(ap, "--work", WORK)
    add_choice(ap, "--contenders", NATIVE)
    ap.add_argument("--place", default="plain", choices=[name for name, place in PLACES.items() if not place.pair],
                    help="the wire; the consumer has both of its ends")
    ap.add_argument("--machine", default=platform.machine(), help="what the processor is called")
    args = ap.parse_args()
    args.work = [WORK[name] for name in args.work]
    args.contenders = [NATIVE[name] for name in args.contenders]
    return args


def main():
    args = arguments()
    todo = [(contender, work) for contender in args.contenders for work in args.work
            if verb_of(work, contender)]
    bench = Bench(args, todo)
    for _ in range(args.reps):
        bench.turn(todo)


if __name__ == "__main__":
    main()
