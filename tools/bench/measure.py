# SPDX-License-Identifier: GPL-2.0
"""measure - run one piece of work once, with whatever tool it needs."""
import json
import sys

from connect import connect_rate
from contenders import HERE
from floor import wire_floor
from losses import counted
from neighbours import beside_garbage, beside_reads
from perftest import gid_index, perftest
from places import PLACES
from programs import TOOLS, last_line, run
from tcp import iperf, qperf
from timed import beside, datagrams, shared

TIMED = {"shared": shared, "beside": beside, "datagrams": datagrams}


def measure(contender, work, iterations):
    """Run once; return the figures or raise Failed."""
    if work.kind == "connect":
        return connect_rate(contender)
    if work.kind == "garbage":
        return beside_garbage(contender, work)
    if work.kind == "neighbour":
        return beside_reads(contender)
    if work.kind in ("qp_memory", "mr_memory"):
        return memory(contender, work)
    if contender.name == "floor":
        return wire_floor(work)
    if work.kind == "flow" or work.kind in TIMED:
        return with_losses(contender, work, iterations)
    return by_tool(contender, work, iterations)


def by_tool(contender, work, iterations):
    if contender.devices:
        return perftest(contender, work, iterations)
    return qperf(work) if work.kind == "latency" else iperf(work, iterations)


def with_losses(contender, work, iterations):
    losses = {}
    with counted(contender, PLACES[work.place].netdevs, losses):
        if work.kind in TIMED:
            figures = TIMED[work.kind](contender, work)
        else:
            figures = by_tool(contender, work, iterations)
    came = losses.pop("came")
    if work.kind == "datagrams" and came is not None:
        figures["arrived"] = figures["MiBps"] * came
    return {**losses, **figures}


def memory(contender, work):
    """Return kernel bytes a QP or an MR, found by the script of that name."""
    dev = contender.devices[0]
    args = [sys.executable, str(TOOLS / f"{work.kind}.py"), "--device", dev]
    if work.kind == "qp_memory":
        args += ["--gid-index", str(gid_index(dev)), "--gid", f"::ffff:{HERE}", "--count", "500",
                 "--rounds", "2"]
    else:
        args += ["--size", str(work.size)]
    return json.loads(last_line(run(args, 120)))
