# SPDX-License-Identifier: GPL-2.0
"""perftest - one run of an ib_* tool: its arguments, and its results."""
import re
from pathlib import Path

from contenders import PEER
from programs import Failed, await_listener, background, call_far, run

PORT = 18515

# Below this size the message rate (six decimals) is more precise than the bandwidth (two)
FINE = 8192


def gid_index(dev):
    """Return the index of the IPv4-mapped RoCEv2 GID of `dev`."""
    base = Path(f"/sys/class/infiniband/{dev}/ports/1")
    for path in sorted((base / "gids").iterdir(), key=lambda p: int(p.name)):
        try:
            gid = path.read_text()
            kind = (base / "gid_attrs/types" / path.name).read_text()
        except OSError:
            continue        # an empty row of the table
        if gid.startswith("0000:0000:0000:0000:0000:ffff:") and "v2" in kind:
            return int(path.name)
    raise Failed(f"{dev} has no IPv4 GID: is its netdev up?")


def perftest_args(contender, work, length, end, port=PORT):
    """Return the arguments; `length` are those that set the length of the run."""
    dev = contender.devices[end]
    args = [work.tool, "-F", "-d", dev, *length]
    if port != PORT:
        args += ["-p", str(port)]
    if "-R" not in contender.options:       # otherwise rdma_cm finds the path
        args += ["-x", str(call_far(gid_index, dev) if end else gid_index(dev))]
    if work.verb != "atomic":               # atomics have one size only
        args += ["-s", str(work.size)]
    if work.qps > 1 and work.kind != "shared":
        args += ["-q", str(work.qps)]
    return args + [*work.options, *contender.options]


def pinned(work, end):
    """Bind the program to its end's core where each end has one (places.py)."""
    return ["taskset", "-c", str(end)] if work.place == "two-cores" else []


class NoClock(Failed):
    """perftest could not determine the frequency of its clock, and prints 0 for each rate."""


# Times that a run without a clock is repeated
REPEATS = 3


def perftest(contender, work, iterations, under=(), limit=None):
    """Run both ends; the client under another program, if one is given."""
    for _ in range(REPEATS):
        try:
            return perftest_once(contender, work, iterations, under, limit)
        except NoClock as error:
            failed = error
    raise failed


def perftest_once(contender, work, iterations, under, limit):
    length = ["-n", str(iterations)]
    server = pinned(work, 1) + perftest_args(contender, work, length, 1)
    client = pinned(work, 0) + perftest_args(contender, work, length, 0) + [PEER]
    # A thousand QPs take long, and loss may stop a run for good
    limit = limit or (180 if work.qps > 100 else 30 if work.loss else 60)
    with background(server) as process:
        await_listener(process, PORT)
        return parse_perftest(work, run([*under, *client], limit))


def row_of(work, out):
    """Return the last line of perftest's table: size, messages, rates or times."""
    rows = [line.split() for line in out.splitlines() if re.match(rf"\s*{work.size}\s+\d+\s", line)]
    if not rows:
        raise Failed(f"{work.tool}: no figures in its output")
    return [float(word) for word in rows[-1]]


def messages_of(work, out):
    """Return the number of messages that were measured."""
    return row_of(work, out)[1]


def parse_perftest(work, out):
    """Return the figures in perftest's table."""
    row = row_of(work, out)
    if not row[4]:
        raise NoClock(f"{work.tool}: it found no clock, {REPEATS} times")
    if work.kind == "latency":
        return {"min": row[2], "median": row[4], "p99": row[7]}
    speed, rate = row[3], row[4] * 1e6
    if work.size < FINE:
        speed = rate * work.size / (1 << 20)
    return {"MiBps": speed, "kmps": rate / 1000}
