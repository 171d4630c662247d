# SPDX-License-Identifier: GPL-2.0
"""tcp - one run of iperf3, or of qperf for latency."""
import json
import re

from contenders import PEER
from programs import Failed, await_listener, background, run

PORT = 5201
QPERF_PORT = 19765
MIB = 1 << 20


def iperf(work, iterations):
    return parse_iperf(iperf_says(["-l", str(work.size), "-k", str(iterations)]))


def iperf_says(arguments):
    with background(["iperf3", "-s", "-1", "-p", str(PORT)]) as server:
        await_listener(server, PORT)
        return run(["iperf3", "-c", PEER, "-p", str(PORT), "-J", *arguments], 30)


def parse_iperf(out):
    """Return the received bytes in perftest's MB/sec; of each stream if there are several."""
    try:
        end = json.loads(out)["end"]
        each = [stream["receiver"]["bits_per_second"] / 8 / MIB for stream in end.get("streams", ())]
        figures = {"MiBps": end["sum_received"]["bits_per_second"] / 8 / MIB}
        return {**figures, "each": each} if len(each) > 1 else figures
    except (ValueError, KeyError) as error:
        raise Failed("iperf3: no figures in its output") from error


def qperf(work):
    with background(["qperf", "-lp", str(QPERF_PORT)]) as server:
        await_listener(server, QPERF_PORT)
        out = run(["qperf", PEER, "-lp", str(QPERF_PORT), "-t", "1", "-m", str(work.size), "-uu", "tcp_lat"], 30)
        server.kill()
    return parse_qperf(out)


def parse_qperf(out):
    """Return half of the mean round trip, in microseconds; qperf reports no median."""
    found = re.search(r"latency\s*=\s*([\d.]+) (ns|us|ms)", out)
    if not found:
        raise Failed("qperf: no figures in its output")
    return {"median": float(found[1]) * {"ns": 1e-3, "us": 1, "ms": 1e3}[found[2]]}
