#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""run - measures contenders in one boot, alternating, and writes one JSON file.

Runs inside the VM (see `make bench`). Every contender gets the same veth pair, the
same MTU and the same rps_cpus; repetitions alternate between contenders, so that drift of
the machine hits all of them alike.

Examples:
  run.py --out build/bench/raw.json
  run.py --out /tmp/x.json --reps 1 --work write_bw,write_lat --contenders rxe,srnic
"""
import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

MTU = 4200
PEER = "10.77.0.2"


def sh(cmd):
    ran = subprocess.run(cmd, text=True, capture_output=True)
    if ran.returncode:
        sys.exit(f"bench: {' '.join(cmd)} failed: {ran.stderr.strip()}")
    return ran.stdout


class Contender:
    """A way to carry RDMA across the veth pair: how to bring it up, and its two devices."""

    def __init__(self, name, up, devices, sealed=None):
        self.name = name
        self.up = up
        self.devices = devices
        self.sealed = sealed


CONTENDERS = {c.name: c for c in (
    Contender("rxe", ["--type", "rxe"], ("rxe0", "rxe1")),
    Contender("srnic", ["--type", "srnic"], ("srnic0", "srnic1")),
    Contender("srnic-header", ["--type", "srnic", "--policy", "require:header:aes-cmac-128"],
              ("srnic0", "srnic1")),
    Contender("srnic-packet", ["--type", "srnic", "--policy", "require:packet:aes-cmac-128"],
              ("srnic0", "srnic1")),
    Contender("srnic-aead", ["--type", "srnic", "--policy", "require:aead:aes-gcm-128"],
              ("srnic0", "srnic1")),
)}


def bandwidth(tool, size, iters, extra=()):
    return {"kind": "bw", "tool": tool, "size": size, "iters": iters, "extra": list(extra)}


def latency(tool, size, iters):
    return {"kind": "lat", "tool": tool, "size": size, "iters": iters, "extra": []}


WORK = {
    "write_bw": bandwidth("ib_write_bw", 65536, 1500),
    "send_bw": bandwidth("ib_send_bw", 65536, 1500),
    "read_bw": bandwidth("ib_read_bw", 65536, 1500),
    "write_bw_1m": bandwidth("ib_write_bw", 1 << 20, 100),
    "write_lat": latency("ib_write_lat", 64, 4000),
    "send_lat": latency("ib_send_lat", 64, 4000),
    "send_rate": bandwidth("ib_send_bw", 64, 20000),
    "send_rate_list": bandwidth("ib_send_bw", 64, 20000, ["-l", "32"]),
    # every payload byte is one 4 KiB packet's: for time and instructions a packet
    "write_4k": bandwidth("ib_write_bw", 4096, 8000),
}


def gid_index(dev):
    """The IPv4-mapped RoCEv2 GID of `dev`."""
    base = Path(f"/sys/class/infiniband/{dev}/ports/1")
    for path in sorted((base / "gids").iterdir(), key=lambda p: int(p.name)):
        try:
            gid = path.read_text()
            kind = (base / "gid_attrs/types" / path.name).read_text()
        except OSError:
            continue        # an empty row of the table
        if gid.startswith("0000:0000:0000:0000:0000:ffff:") and "v2" in kind:
            return int(path.name)
    sys.exit(f"bench: {dev} has no IPv4 GID: is its netdev up?")


def tool_args(work, dev):
    args = [work["tool"], "-d", dev, "-x", str(gid_index(dev)), "-s", str(work["size"]),
            "-n", str(work["iters"]), "-F"] + work["extra"]
    return args


def start(args):
    return subprocess.Popen(args, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def measure(work, devices, timeout=300):
    """One run of a perftest pair; returns the figures, or raises RuntimeError."""
    server = start(tool_args(work, devices[1]))
    time.sleep(0.7)
    client = start(tool_args(work, devices[0]) + [PEER])
    try:
        out, _ = client.communicate(timeout=timeout)
        server.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        client.kill()
        server.kill()
        raise RuntimeError(f"{work['tool']}: no result in {timeout} s")
    if client.returncode:
        raise RuntimeError(f"{work['tool']} failed: {out.strip().splitlines()[-1:]}")
    return parse(work, out)


def parse(work, out):
    rows = [r.split() for r in out.splitlines() if re.match(rf"\s*{work['size']}\s+\d+\s", r)]
    if not rows:
        raise RuntimeError(f"{work['tool']}: no figures in its output")
    row = [float(x) for x in rows[-1]]
    if work["kind"] == "bw":
        return {"MBps": row[3], "Mpps": row[4]}
    return {"min": row[2], "median": row[4], "p99": row[7]}


def counters(dev):
    base = Path(f"/sys/class/infiniband/{dev}/ports/1/hw_counters")
    values = {}
    for path in base.iterdir() if base.is_dir() else ():
        try:
            values[path.name] = int(path.read_text())
        except (OSError, ValueError):
            pass
    return values


def one_round(name, work_names, results, note):
    contender = CONTENDERS[name]
    sh(["testbed", "up", "--flat", "--mtu", str(MTU)] + contender.up)
    try:
        for work_name in work_names:
            note(f"{name} {work_name}")
            try:
                figures = measure(WORK[work_name], contender.devices)
            except RuntimeError as err:
                figures = {"error": str(err)}
            results.setdefault(name, {}).setdefault(work_name, []).append(figures)
        results[name]["counters"] = counters(contender.devices[0])
    finally:
        sh(["testbed", "down"])


def primitives():
    """ns an operation of the kernel's own primitives (floor/srnic_floor.c)."""
    sh(["modprobe", "srnic_floor"])
    try:
        return json.loads(Path("/sys/kernel/debug/srnic_floor/results").read_text())
    finally:
        sh(["rmmod", "srnic_floor"])


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Examples:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", required=True)
    ap.add_argument("--reps", type=int, default=5)
    ap.add_argument("--work", default=",".join(WORK))
    ap.add_argument("--contenders", default="rxe,srnic,srnic-aead")
    ap.add_argument("--scale", type=float, default=1.0, help="factor on all iteration counts")
    args = ap.parse_args()
    for work in WORK.values():
        work["iters"] = max(100, int(work["iters"] * args.scale))

    names = args.contenders.split(",")
    work_names = args.work.split(",")
    total = args.reps * len(names) * len(work_names)
    done = 0
    begin = time.monotonic()

    def note(what):
        nonlocal done
        done += 1
        print(f"[{done}/{total}] {time.monotonic() - begin:5.0f} s  {what}", flush=True)

    results = {}
    floor = []
    for _ in range(args.reps):
        floor.append(primitives())
        for name in names:
            one_round(name, work_names, results, note)
    record = {"kernel": platform.release(), "cpus": os.cpu_count(), "mtu": MTU,
              "date": time.strftime("%Y-%m-%d"), "work": {n: WORK[n] for n in work_names},
              "floor_ns": floor, "results": results}
    Path(args.out).parent.mkdir(parents=True, exist_ok=True)
    Path(args.out).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
