# SPDX-License-Identifier: GPL-2.0
"""measure - one run of one piece of work: start the tools, read what they print.

What reads is apart from what starts, and is tested without a VM.
"""
import json
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from contenders import HERE, PEER

PERFTEST_PORT, IPERF_PORT = 18515, 5201
LISTEN = "0A"       # as /proc/net/tcp has it
TOOLS = Path(__file__).resolve().parent
HURRY = TOOLS.parents[1] / "build/bench/hurry.so"       # hurry.c: scripts/bench makes it
CONNECTIONS = 200
MIB = 1 << 20


class Failed(Exception):
    """There is no figure, and why."""


def measure(contender, work, iterations):
    """One run; returns its figures, or raises Failed."""
    if work.kind == "connect":
        return connect_rate(contender)
    if work.kind in ("qp_memory", "mr_memory"):
        return memory(contender, work)
    if not contender.devices:
        return iperf(work, iterations)
    return perftest(contender, work, iterations)


# perftest

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
    raise Failed(f"{dev} has no IPv4 GID: is its netdev up?")


def perftest_args(contender, work, iterations, end):
    dev = contender.devices[end]
    args = [work.tool, "-F", "-d", dev, "-n", str(iterations)]
    if "-R" not in contender.options:       # else rdma_cm finds the way
        args += ["-x", str(gid_index(dev))]
    if work.verb != "atomic":               # they have one size
        args += ["-s", str(work.size)]
    if work.qps > 1:
        args += ["-q", str(work.qps)]
    return args + [*work.options, *contender.options]


def perftest(contender, work, iterations, under=(), limit=None):
    """Both ends; the client under another program, if one is given."""
    server = perftest_args(contender, work, iterations, 1)
    client = perftest_args(contender, work, iterations, 0) + [PEER]
    # A thousand queue pairs take their time, and loss may stop somebody for good
    limit = limit or (180 if work.qps > 100 else 30 if work.loss else 60)
    with background(server) as process:
        await_listener(process, PERFTEST_PORT)
        return parse_perftest(work, run([*under, *client], limit))


def parse_perftest(work, out):
    """The figures in perftest's table."""
    rows = [line.split() for line in out.splitlines() if re.match(rf"\s*{work.size}\s+\d+\s", line)]
    if not rows:
        raise Failed(f"{work.tool}: no figures in its output")
    row = [float(word) for word in rows[-1]]
    if work.kind == "latency":
        return {"min": row[2], "median": row[4], "p99": row[7]}
    return {"MiBps": row[3], "kmps": row[4] * 1000}


# TCP

def iperf(work, iterations):
    with background(["iperf3", "-s", "-1", "-p", str(IPERF_PORT)]) as server:
        await_listener(server, IPERF_PORT)
        return parse_iperf(run(["iperf3", "-c", PEER, "-p", str(IPERF_PORT), "-l", str(work.size),
                                "-k", str(iterations), "-J"], 30))


def parse_iperf(out):
    """What arrived, in the unit that perftest calls MB/sec."""
    try:
        got = json.loads(out)["end"]["sum_received"]
        return {"MiBps": got["bits_per_second"] / 8 / MIB}
    except (ValueError, KeyError) as error:
        raise Failed("iperf3: no figures in its output") from error


# Connections

def connect_rate(contender):
    """rdma_cm connections a second, from creating the id to being connected."""
    count = str(CONNECTIONS)
    with background(["cmtime", "-b", PEER, "-c", count]) as server:
        await_cm_listener(server)
        return parse_cmtime(run(["cmtime", "-b", HERE, "-s", PEER, "-c", count], 60), CONNECTIONS)


def parse_cmtime(out, count):
    """Each step's time for all connections is in the first column, in ms."""
    steps = dict(re.findall(r"^(\w[\w ]*?)\s*:\s+([\d.]+)", out, re.M))
    needed = ("create id", "resolve addr", "resolve route", "create qp", "connect")
    if not all(step in steps for step in needed):
        raise Failed("cmtime: no figures in its output")
    return {"per_second": count / sum(float(steps[step]) for step in needed) * 1000}


# Memory

def memory(contender, work):
    dev = contender.devices[0]
    args = [sys.executable, str(TOOLS / f"{work.kind}.py"), "--device", dev]
    if work.kind == "qp_memory":
        args += ["--gid-index", str(gid_index(dev)), "--gid", f"::ffff:{HERE}", "--count", "500",
                 "--rounds", "2"]
    else:
        args += ["--size", str(work.size)]
    return json.loads(run(args, 120))


# Programs

def environment():
    """For a tool: without its sleeps, if there is what takes them away."""
    return {**os.environ, "LD_PRELOAD": str(HURRY)} if HURRY.exists() else None


def run(cmd, limit):
    """What the program prints; raises Failed if it fails or takes longer than that."""
    try:
        ran = subprocess.run(cmd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=limit, env=environment(), check=False)
    except subprocess.TimeoutExpired:
        raise Failed(f"{cmd[0]}: no result in {limit} s") from None
    if ran.returncode:
        raise Failed(f"{cmd[0]} failed: {last_line(ran.stdout)}")
    return ran.stdout


def last_line(out):
    return " ".join(out.strip().splitlines()[-1:])


@contextmanager
def background(cmd):
    """A server: it ends by itself soon after its client has, or is ended."""
    server = subprocess.Popen(cmd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=environment())
    try:
        yield server
        server.wait(timeout=0 if cmd[0] == "cmtime" else 5)
    except subprocess.TimeoutExpired:
        pass
    finally:
        server.kill()
        server.communicate()


def wait_for(server, listening, seconds=10):
    """Until the server listens; raises Failed if it does not, or has ended."""
    end = time.monotonic() + seconds
    while not listening():
        if server.poll() is not None:
            raise Failed(f"{server.args[0]}, the server, ended: {last_line(server.stdout.read())}")
        if time.monotonic() > end:
            raise Failed(f"{server.args[0]}, the server, does not listen after {seconds} s")
        time.sleep(0.02)


def listens(port, table):
    """Whether somebody does, by a table as /proc/net/tcp is."""
    rows = (line.split() for line in table.splitlines()[1:])
    return any(row[1].endswith(f":{port:04X}") and row[3] == LISTEN for row in rows)


def await_listener(server, port):
    tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
    wait_for(server, lambda: any(listens(port, table.read_text()) for table in tables))


def await_cm_listener(server):
    ask = ["rdma", "resource", "show", "cm_id"]
    wait_for(server, lambda: "LISTEN" in subprocess.run(ask, text=True, capture_output=True,
                                                        check=False).stdout)
