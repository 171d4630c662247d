# SPDX-License-Identifier: GPL-2.0
"""Test results: printed one by one, with a summary at the end."""

import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from . import LOGS, REPO

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
WORDS = {PASSED: "ok", FAILED: "not ok", SKIPPED: "skipped"}


@dataclass
class Result:
    name: str               # suite/test
    outcome: str
    seconds: float = 0.0
    log: Path | None = None
    reason: str = ""
    spent: float = 0.0      # seconds of a processor, if known


class Report:
    """Collect results from several threads at once."""

    # Seconds without output after which the report names the tests that still run
    QUIET = 30

    def __init__(self, stream=sys.stdout):
        self.stream = stream
        self.listener = lambda result: None     # called for each result
        self.results = []
        self.expected = 0
        self.running = {}
        self.last_line = time.monotonic()
        self.lock = threading.RLock()
        threading.Thread(target=self._heartbeat, daemon=True).start()

    def say(self, line):
        with self.lock:
            print(line, file=self.stream, flush=True)
            self.last_line = time.monotonic()

    def expect(self, number):
        """Announce that many more results."""
        with self.lock:
            self.expected += number

    def started(self, name):
        with self.lock:
            self.running[name] = time.monotonic()

    def finished(self, result):
        with self.lock:
            self.running.pop(result.name, None)
            self.results.append(result)
            self.listener(result)
            self.expected = max(self.expected, len(self.results))
            width = len(str(self.expected))
            line = (f"[{len(self.results):{width}}/{self.expected}] "
                    f"{result.name} … {WORDS[result.outcome]}")
            if result.seconds >= 0.05:
                line += f" {result.seconds:.1f} s"
            if result.reason:
                line += f" ({result.reason})"
            self.say(line)
            if result.outcome == FAILED and result.log:
                self._show_end(result.log)

    def _show_end(self, log, lines=30):
        try:
            text = log.read_text(errors="replace").splitlines()
        except OSError:
            return
        for line in text[-lines:]:
            self.say(f"    | {line}")

    def _heartbeat(self):
        while True:
            time.sleep(1)
            with self.lock:
                now = time.monotonic()
                if now - self.last_line < self.QUIET or not self.running:
                    continue
                waiting = ", ".join(f"{name} {now - since:.0f} s"
                                    for name, since in self.running.items())
                self.say(f"  … {waiting}")

    def _show_dearest(self, most=10):
        """Print the tests that take the most of the processors."""
        known = sorted((r for r in self.results if r.spent), key=lambda r: -r.spent)
        if len(known) <= most:
            return
        self.say("")
        self.say(f"{sum(r.spent for r in known):.0f} s of a processor in {len(known)} tests; most in")
        for result in known[:most]:
            self.say(f"{result.spent:8.0f} s  {result.name}")

    def count(self, outcome):
        return sum(result.outcome == outcome for result in self.results)

    def summary(self):
        """Print the table and the failures; the last line is for programs."""
        suites = {}
        for result in self.results:
            suite = result.name.split("/")[0]
            suites.setdefault(suite, Counter())[result.outcome] += 1
        if suites:
            self.say("")
            self.say(f"{'suite':<12}{'passed':>8}{'failed':>8}{'skipped':>9}")
            for suite, counts in suites.items():
                self.say(f"{suite:<12}{counts[PASSED]:>8}{counts[FAILED]:>8}"
                         f"{counts[SKIPPED]:>9}")
        self._show_dearest()
        for outcome, title in ((SKIPPED, "Skipped"), (FAILED, "Failed")):
            # Tests with a log last: rows of tables that have failed only follow from them
            chosen = sorted((r for r in self.results if r.outcome == outcome),
                            key=lambda r: r.log is not None)
            logged = sum(r.log is not None for r in chosen)
            if chosen:
                self.say("")
                self.say(f"{title}:")
            for result in chosen:
                where = ""
                if result.log and outcome == FAILED:
                    where = f"  → {result.log.relative_to(REPO)}"
                self.say(f"  {result.name}  {result.reason}{where}")
                if where:
                    # Repeat the reasons at the end, for a reader who sees only that
                    self._show_end(result.log, max(3, 15 // logged))
        self.say("")
        if not self.results:
            self.say("No test matches.")
        line = f"{self.count(PASSED)} passed, {self.count(FAILED)} failed"
        if self.count(SKIPPED):
            line += f", {self.count(SKIPPED)} skipped"
        self.say(line)
        ran = self.count(PASSED) + self.count(FAILED)
        return 0 if ran and not self.count(FAILED) else 1


def log_path(name):
    """Return the path of the log of suite/test."""
    path = LOGS / f"{name}.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def lasted(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds:02d} s" if minutes else f"{seconds} s"
