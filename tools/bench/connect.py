# SPDX-License-Identifier: GPL-2.0
"""connect - connections set up by rdma_cm per second, measured by cmtime."""
import re

from contenders import HERE, PEER
from programs import Failed, await_cm_listener, background, run

CONNECTIONS = 200


def connect_rate(contender, under=(), limit=60):
    """Return rdma_cm connections per second, from creating the id to being connected. The client
    runs under another program, if one is given."""
    count = str(CONNECTIONS)
    # ib_core asks for an unknown neighbour, and looks at the answer two seconds later
    run(["ping", "-q", "-c", "1", "-I", HERE, PEER], limit)
    with background(["cmtime", "-b", PEER, "-c", count]) as server:
        await_cm_listener(server)
        client = ["cmtime", "-b", HERE, "-s", PEER, "-c", count]
        return parse_cmtime(run([*under, *client], limit), CONNECTIONS)


def parse_cmtime(out, count):
    """Sum up the first column: each step's time for all connections, in ms."""
    steps = dict(re.findall(r"^(\w[\w ]*?)\s*:\s+([\d.]+)", out, re.M))
    needed = ("create id", "resolve addr", "resolve route", "create qp", "connect")
    if not all(step in steps for step in needed):
        raise Failed("cmtime: no figures in its output")
    return {"per_second": count / sum(float(steps[step]) for step in needed) * 1000,
            "connections": count}
