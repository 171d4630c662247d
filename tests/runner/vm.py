# SPDX-License-Identifier: GPL-2.0
"""Run a command by scripts/vm or scripts/uml, line by line."""

import os
import subprocess
import threading
from pathlib import Path

from . import REPO

RUNNING = set()
ENDING = threading.Event()
LOCK = threading.Lock()     # of both


def processor_seconds(pid):
    """Return the processor time that a process and its descendants have taken."""
    process = Path("/proc", str(pid))
    try:
        fields = (process / "stat").read_text().rpartition(")")[2].split()
        children = [child for task in (process / "task").iterdir()
                    for child in (task / "children").read_text().split()]
    except OSError:     # it has ended
        return 0.0
    ticks = sum(map(int, fields[11:15]))    # its own, and of children that it has waited for
    return ticks / os.sysconf("SC_CLK_TCK") + sum(map(processor_seconds, children))


class EndingError(Exception):
    """No VM may start any more."""


def end_all():
    """End all VMs before this process stops; no thread starts another."""
    with LOCK:
        ENDING.set()
        for process in RUNNING:
            process.terminate()


class VM:
    """Iterator over the lines of the command's output; sets .status at the end."""

    def __init__(self, kernel, argv, log, timeout, options=(), tree=REPO, cmdline=""):
        self.log = log
        self.status = None
        with LOCK:
            if ENDING.is_set():
                raise EndingError
            self.process = subprocess.Popen(
                [tree / "scripts" / ("uml" if kernel.startswith("uml") else "vm"),
                 "--kernel", kernel, "--timeout", str(timeout), *options, "--", *map(str, argv)],
                cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace",
                env={**os.environ, "SRNIC_CMDLINE": cmdline} if cmdline else None)
            RUNNING.add(self.process)

    def processor_seconds(self):
        return processor_seconds(self.process.pid)

    def __iter__(self):
        try:
            with self.process.stdout as lines:
                for line in lines:
                    self.log.write(line)
                    self.log.flush()
                    yield line.rstrip("\n")
        except BaseException:
            self.process.terminate()
            raise
        finally:
            self.status = self.process.wait()
            with LOCK:
                RUNNING.discard(self.process)
