#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""paper - repeat the evaluation of the sRDMA paper (section 6) with srnic.

Runs inside the VM (see `make bench B=paper`), under icount: time counts instructions, so
a ratio shows the added work and does not depend on the machine's load. Writes a JSON file
and a table in Markdown with the paper's figures beside srnic's.

Example:
    paper.py --out build/bench --algorithms build/bench/paper/algorithms.json --machine "$(uname -m)"
"""
import argparse
import json
import platform
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOOLS))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import algorithms                                       # noqa: E402
import connections                                      # noqa: E402
import stores                                           # noqa: E402
import transfers                                        # noqa: E402
from bed import bed, sealed                             # noqa: E402
from floor import measure_floor                         # noqa: E402
from tables import number, table                        # noqa: E402

REPO = TOOLS.parents[1]
BUILT = REPO / "build/bench/paper"
LIBRARY = REPO / "build/userspace-provider/libsrnic"
MTU = 4352                      # fits the longest seal in addition to 4 KiB
SEAL = "header:aes-cmac-128"    # for basic and pd-prot
FLOOR_MS = 2
DEPTHS = (0, 1, 4, 8, 12, 16, 20, 21)


def chosen(way, seal):
    """Return the program's arguments for a way, and the rule that it needs, if any."""
    rule = None
    if way.endswith(", uncached"):
        # the application uses the same seal; a rule decides that its keys are not cached
        rule = (seal or SEAL).split(":")
    return ("--way", way.partition(",")[0], *(("--seal", seal) if seal else ())), rule


def run(program, way, *args, seal=None):
    """Run a program and return its output, parsed as JSON."""
    options, rule = chosen(way, seal)
    args = (*options, *map(str, args))
    with sealed(rule, "uncached"):
        ran = subprocess.run([BUILT / program, *args], text=True, capture_output=True,
                             env={"LD_LIBRARY_PATH": str(LIBRARY)}, check=False)
    if ran.returncode:
        sys.exit(f"paper: {program} {' '.join(map(str, args))} failed: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


def memory(way, seal, count):
    """Return the kernel's memory for so many connections."""
    options, rule = chosen(way, seal)
    with sealed(rule, "uncached"):
        return connections.memory_of(connections.starter(
            BUILT / "many", LIBRARY, (*options, "--connections", count)))


def trees(reads):
    print("proofs by depth", flush=True)
    base = run("tree", "basic", "--reads", reads)
    return base["ns"], [run("tree", "ext-mem", "--depth", depth, "--reads", reads)
                        for depth in DEPTHS]


def tree_table(base, found):
    rows = [[str(each["depth"]), number(each["ns"] - base), number(each["again_ns"] - base)]
            for each in found]
    return table(["steps", "another place each time", "the same again"], rows)


def markdown(record):
    base, found = record["tree_base"], record["tree"]
    first, last = found[0], found[-1]
    step = (last["ns"] - first["ns"]) / (last["depth"] - first["depth"])
    return "\n".join([
        "# The paper's evaluation, repeated", "",
        f"Measured {record['date']} by `make bench B=paper` on Linux {record['kernel']}, under icount "
        "(figure 5 excepted): a nanosecond is an instruction, of both ends together, one processor.", "",
        *algorithms.markdown(record["algorithms"], record["machine"]),
        *transfers.markdown(record),
        *stores.markdown(record),
        *connections.markdown(record),
        "## Proofs of memory (4.7)", "",
        f"READs of 8 bytes from a region of 16 MiB, header mode: {number(base)} ns each where nothing has "
        f"to be proved. What a proof adds, at both ends together; a step is {number(step)} ns. 1 MiB of 16 "
        "MiB takes 4 steps.", "",
        *tree_table(base, found), ""])


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Example:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", required=True, help="folder for paper.json and paper.md")
    ap.add_argument("--algorithms", required=True, help="output of the program `algorithms` on the host")
    ap.add_argument("--machine", required=True, help="its processor")
    ap.add_argument("--ops", type=int, default=3000, help="operations of each store (%(default)s)")
    ap.add_argument("--reads", type=int, default=300, help="READs at each depth (%(default)s)")
    args = ap.parse_args()
    record = {"date": time.strftime("%Y-%m-%d"), "kernel": platform.release(), "machine": args.machine,
              "algorithms": json.loads(Path(args.algorithms).read_text())}
    with bed("srnic", mtu=MTU):
        record["floor"] = measure_floor(FLOOR_MS)
        record["memory"] = connections.measure(memory)
        record.update(transfers.measure(run))
        record["herd"] = stores.measure(run, args.ops)
        record["tree_base"], record["tree"] = trees(args.reads)
    out = Path(args.out)
    (out / "paper.json").write_text(json.dumps(record, indent=1) + "\n")
    (out / "paper.md").write_text(markdown(record))
    print(markdown(record))


if __name__ == "__main__":
    main()
