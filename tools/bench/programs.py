# SPDX-License-Identifier: GPL-2.0
"""programs - start a client and its server, and report why a run has no result.

Servers run at the far end of the wire, which may be in another VM (testbed up --pair).
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
HURRY = TOOLS.parents[1] / "build/bench/hurry.so"       # hurry.c, built by scripts/bench
LISTEN = "0A"       # TCP_LISTEN in /proc/net/tcp
OTHER_VM = Path("/run/testbed-pair")    # exists while the far end is in another VM


class Failed(Exception):
    """A run without a result; the message says why."""


class Patience:
    """Factor for the limits below. A clock that counts instructions jumps ahead while the guest
    waits for its host."""
    factor = 1


def environment():
    """Return the environment for a tool: without its sleeps, if hurry.so exists."""
    return {**os.environ, "LD_PRELOAD": str(HURRY)} if HURRY.exists() else None


def run(cmd, limit):
    """Run a program and return its output; raise Failed if it fails or exceeds the limit."""
    limit *= Patience.factor
    try:
        ran = subprocess.run(cmd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=limit, env=environment(), check=False)
    except subprocess.TimeoutExpired:
        raise Failed(f"{cmd[0]}: no result in {limit} s") from None
    if ran.returncode:
        raise Failed(f"{cmd[0]} failed: {last_line(ran.stdout)}")
    return ran.stdout


def far(cmd):
    """Return the command that runs `cmd` at the far end, there without its sleeps as well."""
    if not OTHER_VM.exists():
        return list(cmd)
    preload = [f"LD_PRELOAD={HURRY}"] if HURRY.exists() else []
    return ["in-b", "env", *preload, *cmd]


def call_far(function, *args):
    """Call a function of the bench at the far end; both ways values pass as JSON."""
    if not OTHER_VM.exists():
        return function(*args)
    words = function.__module__, function.__name__, json.dumps(args)
    return json.loads(last_line(run(far([sys.executable, str(TOOLS / "far.py"), *words]), 60)))


def last_line(out):
    return " ".join(out.strip().splitlines()[-1:])


@contextmanager
def background(cmd):
    """Start a server at the far end for the block; it ends by itself soon after its client, or
    is killed.

    Its output goes to a file: a pipe, which is not read meanwhile, would be full after the
    output for some hundred QPs.
    """
    with tempfile.TemporaryFile("w+") as said:
        server = subprocess.Popen(far(cmd), stdout=said, stderr=subprocess.STDOUT, env=environment())
        server.name, server.said = cmd[0], said
        try:
            yield server
            server.wait(timeout=0 if cmd[0] == "cmtime" else 5)
        except subprocess.TimeoutExpired:
            pass
        finally:
            server.kill()
            server.wait()


def last_said(server):
    server.said.seek(0)
    return last_line(server.said.read())


def wait_for(server, listening, seconds=10):
    """Wait until the server listens; raise Failed if it does not, or has ended."""
    end = time.monotonic() + seconds
    while not listening():
        if server.poll() is not None:
            raise Failed(f"{server.name}, the server, ended: {last_said(server)}")
        if time.monotonic() > end:
            raise Failed(f"{server.name}, the server, does not listen after {seconds} s")
        time.sleep(0.02)


def listens(port, table):
    """Tell whether a socket listens on the port, by a table like /proc/net/tcp."""
    rows = (line.split() for line in table.splitlines()[1:])
    return any(row[1].endswith(f":{port:04X}") and row[3] == LISTEN for row in rows)


def has_listener(port):
    """Tell whether a socket of this kernel listens on the port."""
    return any(listens(port, Path(table).read_text()) for table in ("/proc/net/tcp", "/proc/net/tcp6"))


def await_listener(server, port):
    wait_for(server, lambda: call_far(has_listener, port))


def await_cm_listener(server):
    ask = ["rdma", "resource", "show", "cm_id"]
    wait_for(server, lambda: "LISTEN" in subprocess.run(ask, text=True, capture_output=True,
                                                        check=False).stdout)
