# SPDX-License-Identifier: GPL-2.0
"""Tests that parts of the project have for user space: 'make check' or 'make soak' in their
folders. TAP output is counted case by case."""

import subprocess
import time

from . import REPO
from .ktap import cases
from .report import FAILED, PASSED, Result, log_path

PARTS = {
    "check": ("kunit/host", "kunit/model", "kunit/proofs", "userspace-provider",
              "userspace-provider/libsrnic", "userspace-provider/pipeline", "tools", "tools/dissector", "tests/snapshot"),
    "soak": ("kunit/host", "kunit/model", "kunit/proofs", "tests/packages"),
}
SUITES = {"check": "host", "soak": "soak"}


def by_name(target):
    """Return all parts by name. A part that cannot run its tests counts as failed."""
    return {f"{SUITES[target]}/{part.replace('/', '-')}": part for part in PARTS[target]}


def tests(target):
    return list(by_name(target))


def run(report, target, names, wanted):
    for name in names:
        run_part(report, target, name, by_name(target)[name], wanted)


def run_part(report, target, name, part, wanted):
    path = log_path(name)
    start = time.monotonic()
    report.started(name)
    with path.open("w") as log:
        status = subprocess.run(
            [REPO / "scripts/build-user", part, f"--{target}"], cwd=REPO,
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
            check=False).returncode
    seconds = time.monotonic() - start
    found = list(cases(path.read_text(errors="replace"), depth=0))
    failed = any(outcome == FAILED for _, _, outcome, _ in found)
    # The exit status counts too: the program may have died halfway
    whole = PASSED if status == 0 or failed else FAILED
    results = [Result(f"{name}/{case}", outcome, 0, path, reason)
               for _, case, outcome, reason in found]
    results = [result for result in results
               if wanted(result.name) or result.outcome == FAILED]
    report.expect(len(results))
    for result in results:
        report.finished(result)
    report.finished(Result(name, whole, seconds, path,
                           "" if whole == PASSED else f"exit status {status}"))
