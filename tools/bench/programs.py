# SPDX-License-Identifier: GPL-2.0
"""programs - start a client and its server, and know why there is no figure."""
import os
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
HURRY = TOOLS.parents[1] / "build/bench/hurry.so"       # hurry.c: scripts/bench makes it
LISTEN = "0A"       # as /proc/net/tcp has it


class Failed(Exception):
    """There is no figure, and why."""


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
    """A server: it ends by itself soon after its client has, or is ended.

    It says what it says into a file: nobody reads meanwhile, and a pipe would be full when it
    has told of some hundred queue pairs.
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
    """Until the server listens; raises Failed if it does not, or has ended."""
    end = time.monotonic() + seconds
    while not listening():
        if server.poll() is not None:
            raise Failed(f"{server.args[0]}, the server, ended: {last_said(server)}")
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
