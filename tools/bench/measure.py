# SPDX-License-Identifier: GPL-2.0
"""measure - one run of one piece of work, whatever tool it takes."""
import json
import sys

from connect import connect_rate
from contenders import HERE
from neighbours import beside_garbage, beside_reads
from perftest import gid_index, perftest
from programs import TOOLS, last_line, run
from tcp import iperf


def measure(contender, work, iterations):
    """One run; returns its figures, or raises Failed."""
    if work.kind == "connect":
        return connect_rate(contender)
    if work.kind == "garbage":
        return beside_garbage(contender, work)
    if work.kind == "neighbour":
        return beside_reads(contender)
    if work.kind in ("qp_memory", "mr_memory"):
        return memory(contender, work)
    if not contender.devices:
        return iperf(work, iterations)
    return perftest(contender, work, iterations)


def memory(contender, work):
    """Kernel bytes a QP or an MR, as the script of that name finds them."""
    dev = contender.devices[0]
    args = [sys.executable, str(TOOLS / f"{work.kind}.py"), "--device", dev]
    if work.kind == "qp_memory":
        args += ["--gid-index", str(gid_index(dev)), "--gid", f"::ffff:{HERE}", "--count", "500",
                 "--rounds", "2"]
    else:
        args += ["--size", str(work.size)]
    return json.loads(last_line(run(args, 120)))
