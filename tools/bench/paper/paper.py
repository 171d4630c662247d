#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""paper - repeat the evaluation of the sRDMA paper (sections 6.3 to 6.6) with srnic.

Runs inside the VM (see `make bench B=paper`), under icount: time counts instructions, so
a ratio shows the added work and does not depend on the machine's load. Writes a JSON file
and a table in Markdown with the paper's figures beside srnic's.

Example:
    paper.py --out build/bench
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
import transfers                                        # noqa: E402
from bed import bed, sealed                             # noqa: E402
from contenders import HERE                             # noqa: E402
from floor import measure_floor                         # noqa: E402
from perftest import gid_index                          # noqa: E402
from tables import number, table                        # noqa: E402

REPO = TOOLS.parents[1]
BUILT = REPO / "build/bench/paper"
LIBRARY = REPO / "build/userspace-provider/libsrnic"
MTU = 4352                      # fits the longest seal in addition to 4 KiB
LOADS = (0, 5, 50, 95, 100)     # percent of puts
WAYS = ("none", "basic", "pd-prot", transfers.UNCACHED, "ext-mem", "pd-prot+ext-mem", "packet",
        "aead")
SEAL = "header:aes-cmac-128"    # for basic and pd-prot
FLOOR_MS = 2
QPS = 200                       # enough to stand out from the kernel's other memory
DEPTHS = (0, 1, 4, 8, 12, 16, 20, 21)

# Throughput of the key-value store relative to the unprotected one (figure 11 and 6.6)
PAPER = {
    "basic": "almost 1",
    "pd-prot": "as basic",
    transfers.UNCACHED: "0.79",
    "ext-mem": "as pd-prot without a cache, at depth 0",
    "aead": "0.927",
}


def run(program, way, *args, seal=None):
    """Run a program and return its output, parsed as JSON."""
    rule = None
    if way == transfers.UNCACHED:
        # the application uses the same seal; a rule decides that its keys are not cached
        way, rule = "pd-prot", (*(seal or SEAL).split(":"),)
    args = ("--way", way, *(("--seal", seal) if seal else ()), *map(str, args))
    with sealed(rule, "uncached"):
        ran = subprocess.run([BUILT / program, *args], text=True, capture_output=True,
                             env={"LD_LIBRARY_PATH": str(LIBRARY)}, check=False)
    if ran.returncode:
        sys.exit(f"paper: {program} {' '.join(map(str, args))} failed: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


def stores(ops):
    found = {}
    for way in WAYS:
        found[way] = {}
        for puts in LOADS:
            print(f"{way}, {puts} % puts", flush=True)
            found[way][puts] = run("herd", way, "--puts", puts, "--ops", ops)["per_second"]
    return found


def trees(reads):
    print("proofs by depth", flush=True)
    base = run("tree", "basic", "--reads", reads)
    return base["ns"], [run("tree", "ext-mem", "--depth", depth, "--reads", reads)
                        for depth in DEPTHS]


def memory():
    """Return the kernel memory of a QP, without rings: in the clear and sealed."""
    found = {}
    for name, rule, words in (("clear", None, ()), ("kept", SEAL, ()), ("derived", SEAL, ("uncached",))):
        print(f"memory, {name}", flush=True)
        with sealed(rule and rule.split(":"), *words):
            ran = subprocess.run(
                [TOOLS / "qp_memory.py", "--device", "srnic0", "--gid-index", str(gid_index("srnic0")),
                 "--gid", f"::ffff:{HERE}", "--count", str(QPS), *(["--pairs"] if rule else [])],
                text=True, capture_output=True, check=False)
        if ran.returncode:
            sys.exit(f"paper: qp_memory failed: {ran.stderr.strip()}")
        found[name] = json.loads(ran.stdout)["bytes"]
    return found


def store_table(found):
    rows = []
    for way, each in found.items():
        cells = [number(each[puts] / found["none"][puts])
                 for puts in LOADS]
        rows.append([way, *cells, PAPER.get(way, "")])
    return table(["way", *(f"{puts} % puts" for puts in LOADS), "the paper"], rows)


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
        f"Measured {record['date']} by `make bench B=paper` on Linux {record['kernel']}, under icount: "
        "a nanosecond is an instruction, of both ends together, one processor.", "",
        *transfers.markdown(record),
        "## Key-value store (6.6)", "",
        f"Gets and puts of 2 KiB values, 96 outstanding, requests by WRITE and answers by SEND; against "
        f"no protection ({number(record['herd']['none'][0])} gets, {number(record['herd']['none'][100])} "
        "puts a second). basic: headers under aes-cmac-128. ext-mem: at depth 0. pd-prot: keys are derived "
        "when a connection is made, the paper's case with a cache; uncached: when a packet comes.", "",
        *store_table(record["herd"]), "",
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
    ap.add_argument("--ops", type=int, default=3000, help="operations of each store (%(default)s)")
    ap.add_argument("--reads", type=int, default=300, help="READs at each depth (%(default)s)")
    args = ap.parse_args()
    record = {"date": time.strftime("%Y-%m-%d"), "kernel": platform.release()}
    with bed("srnic", mtu=MTU):
        record["floor"] = measure_floor(FLOOR_MS)
        record["memory"] = memory()
        record.update(transfers.measure(run))
        record["herd"] = stores(args.ops)
        record["tree_base"], record["tree"] = trees(args.reads)
    out = Path(args.out)
    (out / "paper.json").write_text(json.dumps(record, indent=1) + "\n")
    (out / "paper.md").write_text(markdown(record))
    print(markdown(record))


if __name__ == "__main__":
    main()
