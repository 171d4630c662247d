#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""secm - repeat the evaluation of SECM (section 5): connections set up one after the other, by a
thread for each, by librdma_pipeline, and by rdma-core's cmtime.

Runs inside the VM (see `make bench B=secm`), in one boot, on a wire with a delay. Writes a JSON
file, after each delay of each device, for evaluation.py.

Example:
    secm.py --out build/bench/secm-raw.json --devices rxe,srnic --delays 1 --counts 1,16
"""
import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
TOOLS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TOOLS))
from bed import bed, lose, sealed                                           # noqa: E402
from connect import parse_cmtime                                            # noqa: E402
from contenders import HERE, PEER                                           # noqa: E402
from programs import Failed, await_cm_listener, background, last_line, run  # noqa: E402
from progress import Progress                                               # noqa: E402
from run import machine                                                     # noqa: E402

# The bed, and mode and suite of the seal
DEVICES = {"rxe": ("rxe", ()), "srnic": ("srnic", ()), "srnic-aead": ("srnic", ("aead", "aes-gcm-128")),
           "siw": ("siw", ())}
# siw has no space for more than some 60 connections, and its kernel reports trouble
DEFAULT = ("rxe", "srnic", "srnic-aead")
CONNECTING = "/usr/lib/srnic/pipeline-connecting"
PORT = "7471"
WAYS = ("serial", "threads", "pipeline", "cmtime")
COUNTS = (1, 16, 64, 256, 1024, 4096)
DELAYS = (0, 1, 5)          # ms, one way, both ways
SERIAL_MS = 60000           # a longer run one after the other is left out
FEW = 16                    # so many connections, or fewer, are set up several times
LIMIT = 900


def by_cmtime(count):
    with background(["cmtime", "-b", PEER, "-c", str(count)]) as server:
        await_cm_listener(server)
        out = run(["cmtime", "-b", HERE, "-s", PEER, "-c", str(count)], LIMIT)
    rate = parse_cmtime(out, count)["per_second"]
    return {"ms": count / rate * 1000, "per_second": rate}


def set_up(way, count):
    if way == "cmtime":
        return by_cmtime(count)
    with background([CONNECTING, "serve", PORT, str(count)]) as server:
        await_cm_listener(server)
        return json.loads(last_line(run([CONNECTING, way, PEER, PORT, str(count)], LIMIT)))


def too_long(way, delay, count):
    """Whether this takes too long because of its round trips alone."""
    return way == "serial" and count * 2 * delay > SERIAL_MS


def repeated(way, count, often):
    """Return the results of several runs, or why there is none."""
    try:
        return [set_up(way, count) for _ in range(often if count <= FEW else 1)]
    except Failed as failed:
        print(f"    {failed}", flush=True)
        return str(failed)


def measure(device, delay, args, progress):
    lose(0, delay)
    found = {}
    for count in args.counts:
        for way in args.ways:
            line = f"{device}, {delay} ms, {count} by {way}"
            progress.step(line)
            if not too_long(way, delay, count):
                found.setdefault(way, {})[count] = repeated(way, count, args.reps)
    return found


def numbers(text):
    return [int(word) for word in text.split(",")]


def words(text):
    return text.split(",")


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    ap.add_argument("--out", required=True, type=Path)
    ap.add_argument("--devices", type=words, default=DEFAULT, help="some of: " + ", ".join(DEVICES))
    ap.add_argument("--ways", type=words, default=WAYS, help="some of: " + ", ".join(WAYS))
    ap.add_argument("--counts", type=numbers, default=COUNTS, help="connections: 1,16,64")
    ap.add_argument("--delays", type=numbers, default=DELAYS, help="ms: 0,1,5")
    ap.add_argument("--clock", default="", help="words about the machine's clock, for the report")
    ap.add_argument("--reps", type=int, default=5, help="runs of up to 16 connections")
    return ap.parse_args()


def main():
    args = arguments()
    progress = Progress(len(args.devices) * len(args.delays) * len(args.counts) * len(args.ways))
    raw = {"date": time.strftime("%Y-%m-%d"), "kernel": platform.release(), "processors": os.cpu_count(),
           "machine": machine(), "clock": args.clock, "results": {}}
    for device in args.devices:
        kind, seal = DEVICES[device]
        with bed(kind, "lossy"), sealed(seal):
            for delay in args.delays:
                found = measure(device, delay, args, progress)
                raw["results"].setdefault(device, {})[delay] = found
                args.out.write_text(json.dumps(raw, indent=1) + "\n")


if __name__ == "__main__":
    main()
