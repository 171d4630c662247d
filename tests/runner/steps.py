# SPDX-License-Identifier: GPL-2.0
"""Tests that are one command, or one function, on the host."""

import os
import subprocess
import time

from . import REPO
from .report import FAILED, PASSED, SKIPPED, Result, log_path


class Skip(Exception):
    """Raised by a test that cannot run here; says why."""


def command(argv, log, cwd=REPO, **environment):
    """Run a command with its output in the log; return whether it succeeded."""
    log.write(f"$ {' '.join(map(str, argv))}\n")
    log.flush()
    done = subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=log,
                          stderr=subprocess.STDOUT, check=False,
                          env={**os.environ, **environment})
    return done.returncode == 0


def run(report, name, function):
    """Run function(log file) as the test of that name."""
    path = log_path(name)
    start = time.monotonic()
    report.started(name)
    reason = ""
    with path.open("w") as log:
        try:
            outcome = PASSED if function(log) else FAILED
        except Skip as skip:
            outcome, reason = SKIPPED, str(skip)
        except OSError as error:
            outcome, reason = FAILED, str(error)
    report.finished(Result(name, outcome, time.monotonic() - start, path, reason))
    return outcome == PASSED
