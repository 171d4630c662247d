# SPDX-License-Identifier: GPL-2.0
"""End-to-end tests: programs in scripts/tests/, run one after the other in one VM for each
kernel. If a VM dies, the current test fails, and the next ones run in a new VM.

No test asserts anything about time. Easy tests need one processor only and run in VMs of
their own on the stock kernel: one processor costs QEMU three quarters of what two cost, and
the other tests need two.

Counted tests run in a VM whose clock counts instructions, so that their comparisons do not
depend on the machine.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from . import BUILD, REPO
from .report import FAILED, PASSED, SKIPPED, Result, log_path
from .vm import VM

HEADER = re.compile(r"^# (kernel|what|timeout|cites|easy|counted|nic|pair): *(.*)$")
KERNELS = ("stock", "debug")
SKIP_STATUS = 77
# Factors for time-outs, which are given for the stock kernel on an idle machine. A time-out
# ends a test that hangs; it must not end one that waits for a busy machine.
PATIENCE = {"stock": 5, "debug": 15}
PATIENCE_WITH_EASY = 2
# The clock of these VMs jumps ahead while they wait for the host
PATIENCE_WITH_COUNTED = 20
# Exit status of guest/run-tests when the machine is unfit for more tests
SPOILT = 75


@dataclass
class Test:
    path: Path
    suite: str
    kernels: tuple = ("stock",)
    possible: tuple = KERNELS
    what: str = ""
    timeout: int = 60
    cites: str = ""
    easy: str = ""      # "yes": one processor is enough
    counted: str = ""   # quantity that is compared, in instructions
    nic: str = ""       # drivers whose NICs the VM must have
    pair: str = ""      # "yes": the wire leads to a second VM

    @property
    def stem(self):
        return self.path.stem


@dataclass
class Run:
    """One test on one kernel."""
    test: Test
    kernel: str
    name: str = field(init=False)

    def __post_init__(self):
        self.name = f"{self.test.suite}/{self.kernel}/{self.test.stem}"

    def names(self):
        """Return the names that a pattern may match."""
        return self.name, f"{self.test.suite}/{self.test.stem}"

    @property
    def easy(self):
        return bool(self.test.easy) and self.kernel == "stock"

    @property
    def counted(self):
        return bool(self.test.counted)

    @property
    def timeout(self):
        return self.test.timeout * PATIENCE[self.kernel] * \
            (PATIENCE_WITH_EASY if self.easy else 1) * \
            (PATIENCE_WITH_COUNTED if self.counted else 1)

    @property
    def log(self):
        return log_path(self.name)


def parse(path, suite):
    test = Test(path, suite)
    for line in path.read_text().splitlines()[:30]:
        header = HEADER.match(line)
        if not header:
            continue
        key, value = header.groups()
        if key == "kernel":
            name, _, only = value.partition(" ")
            test.kernels = KERNELS if name == "both" else (name,)
            test.possible = test.kernels if only else KERNELS
        elif key == "timeout":
            test.timeout = int(value.split()[0])
        else:
            setattr(test, key, value)
    return test


def tests(suite):
    folder = REPO / "scripts/tests" / suite
    paths = sorted(path for path in folder.glob("*")
                   if path.suffix in (".sh", ".py"))
    return [parse(path, suite) for path in paths]


def runs(suite):
    """Return all runs of a suite. The soak also runs the tests of `make check` on the
    kernel that `make check` omits."""
    found = [Run(test, kernel) for kernel in KERNELS for test in tests(suite)
             if kernel in test.kernels]
    if suite == "soak":
        found += [Run(test, kernel) for kernel in KERNELS for test in tests("e2e")
                  if kernel in test.possible and kernel not in test.kernels]
    return found


def options(wanted):
    """Return the options of scripts/vm that these runs need."""
    found = []
    if any(run.counted for run in wanted):
        found.append("--icount")
    elif all(run.easy for run in wanted):
        found += ["--smp", "1"]
    for driver in sorted({nic for run in wanted for nic in run.test.nic.split()}):
        found += ["--nic", driver]
    if any(run.test.pair for run in wanted):
        found.append("--pair")
    return found


class Guest:
    """The VMs for the tests of one kernel, one after the other. Their own logs are in
    `place`, below the tests' logs."""

    def __init__(self, report, suite, kernel, pending, place):
        self.report = report
        self.kernel = kernel
        self.pending = list(pending)
        self.current = None
        self.boot = 0
        self.name = "/".join(filter(None, (suite, kernel, place)))
        self.folder = BUILD / "check" / self.name
        self.leaks = f"{suite}/{kernel}/leaks"
        self.options = options(self.pending)

    def run(self):
        while self.pending:
            self.one_vm()

    def one_vm(self):
        self.boot += 1
        left = len(self.pending)
        self.folder.mkdir(parents=True, exist_ok=True)
        # The guest's list of tests: time-out, name, log, program
        todo = self.folder / "todo"
        todo.write_text("".join(
            f"{run.timeout}\t{run.name}\t{run.log.relative_to(REPO)}\t"
            f"{run.test.path.relative_to(REPO)}\n" for run in self.pending))
        limit = sum(run.timeout for run in self.pending) + 300
        vm_log = log_path(f"{self.name}/vm-{self.boot}")
        with vm_log.open("w") as log:
            vm = VM(self.kernel,
                    ["scripts/guest/run-tests", todo.relative_to(REPO)], log,
                    limit, ["--no-build", "--allow-splat", "--log",
                            self.folder / f"dmesg-{self.boot}", *self.options])
            for line in vm:
                self.heed(line, vm_log)
        if self.current:
            self.end(self.current, FAILED, 0, "the VM died")
        elif len(self.pending) == left and self.pending:
            # The VM did not get as far as a test: do not retry forever
            for run in list(self.pending):
                self.report.finished(Result(run.name, FAILED, 0, vm_log,
                                            "the VM did not start"))
            self.pending.clear()

    def heed(self, line, vm_log):
        """Handle one line of output of guest/run-tests."""
        if not line.startswith("@@ "):
            return
        word, _, rest = line[3:].partition(" ")
        if word == "start":
            self.current = next(run for run in self.pending if run.name == rest)
            self.report.started(rest)
        elif word == "end":
            status, seconds, reason = rest.split(" ", 2)
            outcome = {0: PASSED, SKIP_STATUS: SKIPPED}.get(int(status), FAILED)
            self.end(self.current, outcome, float(seconds), reason)
        elif word == "leaks":
            self.report.expect(1)
            self.report.finished(Result(
                self.leaks, PASSED if rest == "none" else FAILED, 0,
                vm_log, "" if rest == "none" else "kmemleak found something"))

    def end(self, run, outcome, seconds, reason):
        self.current = None
        self.pending.remove(run)
        self.report.finished(Result(run.name, outcome, seconds, run.log, reason))


def run(report, suite, kernel, chosen, place=""):
    """Run the chosen tests of one kernel, in one VM after the other: two VMs in parallel
    would not be faster."""
    for which in ("", "pair"):
        some = [run for run in chosen if bool(run.test.pair) == bool(which)]
        if some:
            Guest(report, suite, kernel, some, "-".join(filter(None, (place, which)))).run()
