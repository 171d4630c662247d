# SPDX-License-Identifier: GPL-2.0
"""Run a command by scripts/vm or scripts/uml, line by line."""

import os
import subprocess

from . import REPO

RUNNING = set()


def end_all():
    """End all VMs before this process stops."""
    for process in list(RUNNING):
        process.terminate()


class VM:
    """Iterator over the lines of the command's output; sets .status at the end."""

    def __init__(self, kernel, argv, log, timeout, options=(), tree=REPO, cmdline=""):
        self.log = log
        self.status = None
        self.process = subprocess.Popen(
            [tree / "scripts" / ("uml" if kernel.startswith("uml") else "vm"),
             "--kernel", kernel, "--timeout", str(timeout), *options, "--", *map(str, argv)],
            cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace",
            env={**os.environ, "SRNIC_CMDLINE": cmdline} if cmdline else None)
        RUNNING.add(self.process)

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
            RUNNING.discard(self.process)
