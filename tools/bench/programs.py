# SPDX-License-Identifier: GPL-2.0
"""programs - start a client and its server, and report why a run has no result."""
import os
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
HURRY = TOOLS.parents[1] / "build/bench/hurry.so"       # hurry.c, built by scripts/bench
LISTEN = "0A"       # TCP_LISTEN in /proc/net/tcp


class Failed(Exception):
    """A run without a result; the message says why."""


def environment():
    """Return the environment for a tool: without its sleeps, if hurry.so exists."""
    return {**os.environ, "LD_PRELOAD": str(HURRY)} if HURRY.exists() else None


def run(cmd, limit):
    """Run a program and return its output; raise Failed if it fails or exceeds the limit."""
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
    """Start a server for the block; it ends by itself soon after its client, or is killed.

    Its output goes to a file: a pipe, which is not read meanwhile, would be full after the
    output for some hundred QPs.
    """
    with tempfile.TemporaryFile("w+") as said:
        server = subprocess.Popen(cmd, stdout=said, stderr=subprocess.STDOUT, env=environment())
        server.said = said
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
            raise Failed(f"{server.args[0]}, the server, ended: {last_said(server)}")
        if time.monotonic() > end:
            raise Failed(f"{server.args[0]}, the server, does not listen after {seconds} s")
        time.sleep(0.02)


def listens(port, table):
    """Tell whether a socket listens on the port, by a table like /proc/net/tcp."""
    rows = (line.split() for line in table.splitlines()[1:])
    return any(row[1].endswith(f":{port:04X}") and row[3] == LISTEN for row in rows)


def await_listener(server, port):
    tables = [Path("/proc/net/tcp"), Path("/proc/net/tcp6")]
    wait_for(server, lambda: any(listens(port, table.read_text()) for table in tables))


def await_cm_listener(server):
    ask = ["rdma", "resource", "show", "cm_id"]
    wait_for(server, lambda: "LISTEN" in subprocess.run(ask, text=True, capture_output=True,
                                                        check=False).stdout)
