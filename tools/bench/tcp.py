# SPDX-License-Identifier: GPL-2.0
"""tcp - one run of iperf3."""
import json

from contenders import PEER
from programs import Failed, await_listener, background, run

PORT = 5201
MIB = 1 << 20


def iperf(work, iterations):
    with background(["iperf3", "-s", "-1", "-p", str(PORT)]) as server:
        await_listener(server, PORT)
        return parse_iperf(run(["iperf3", "-c", PEER, "-p", str(PORT), "-J",
                                "-l", str(work.size), "-k", str(iterations)], 30))


def parse_iperf(out):
    """What arrived, in the unit that perftest calls MB/sec."""
    try:
        got = json.loads(out)["end"]["sum_received"]
        return {"MiBps": got["bits_per_second"] / 8 / MIB}
    except (ValueError, KeyError) as error:
        raise Failed("iperf3: no figures in its output") from error
