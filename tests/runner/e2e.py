# SPDX-License-Identifier: GPL-2.0
"""End-to-end tests: programs in tests/e2e and tests/soak. A VM takes one after the other from
a queue, which two VMs may share. If a VM dies, the current test fails, and the next ones run in
a new VM.

No test asserts anything about time. Easy tests need one processor only; on the stock kernel
they run in VMs with one, which costs QEMU three quarters of what two cost. The other tests
need two.

Counted tests run in a VM whose clock counts instructions, so that their comparisons do not
depend on the machine.
"""

import re
import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path

from . import BUILD, REPO, death, kunit
from .report import FAILED, PASSED, SKIPPED, Result, log_path
from .vm import VM

HEADER = re.compile(r"^# (kernel|what|timeout|cites|easy|counted|nic|pair|core): *(.*)$")
KERNELS = ("stock", "debug")
SKIP_STATUS = 77
# Factors for time-outs, which are given for the stock kernel on an idle machine. A time-out
# ends a test that hangs; it must not end one that waits for a busy machine.
PATIENCE = {"stock": 5, **dict.fromkeys(("debug", *kunit.OTHERS), 15)}
PATIENCE_WITH_EASY = 2
# The clock of these VMs jumps ahead while they wait for the host
PATIENCE_WITH_COUNTED = 20


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
    core: str = ""      # column of the table of kernels: the test runs on Debian's others, too

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
        return self.test.timeout * PATIENCE.get(self.kernel, PATIENCE["stock"]) * \
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
    folder = REPO / "tests" / suite
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


def core(kernel):
    """Return the runs on one of Debian's other kernels (scripts/kernels.list)."""
    return [Run(test, kernel) for test in tests("e2e") if test.core]


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


class Queue:
    """Runs that wait for a VM. The first are those with the longest time-outs, so that no
    long one is left for the end."""

    def __init__(self, runs):
        self.runs = sorted(runs, key=lambda run: -run.timeout)
        self.needs = options(self.runs)
        self.repeated = set()
        self.lock = threading.Lock()

    def take(self):
        with self.lock:
            return self.runs.pop(0) if self.runs else None

    def take_all(self):
        while run := self.take():
            yield run

    def repeat(self, run):
        """Queue a run once more; return whether this was not done before."""
        with self.lock:
            if run.name in self.repeated:
                return False
            self.repeated.add(run.name)
            self.runs.insert(0, run)
            return True


class Guest:
    """VMs for the tests of one kernel, one after the other: for those of the first queue, then
    for those of the next. Their own logs are in `place`, below the tests' logs."""

    def __init__(self, report, suite, kernel, queues, place):
        self.report = report
        self.kernel = kernel
        self.queues = queues
        self.current = None
        self.source = None      # the queue that the current run came from
        self.boot = 0
        self.taken = 0
        self.before = 0.0       # processor time before the current run
        self.name = "/".join(filter(None, (suite, kernel, place)))
        self.folder = BUILD / "check" / self.name
        self.leaks = f"{suite}/{kernel}/leaks"
        self.options = next((queue.needs for queue in queues if queue.runs), [])

    def run(self):
        while any(queue.runs for queue in self.queues):
            self.one_vm()

    def one_vm(self):
        self.boot += 1
        self.taken = 0
        # The guest waits for the next test's file in this folder
        todo = self.folder / "queue"
        shutil.rmtree(todo, ignore_errors=True)
        todo.mkdir(parents=True)
        limit = sum(run.timeout for queue in self.queues for run in list(queue.runs)) + 300
        vm_log = log_path(f"{self.name}/vm-{self.boot}")
        with vm_log.open("w") as log:
            vm = VM(self.kernel,
                    ["scripts/guest/run-tests", todo.relative_to(REPO)], log,
                    limit, ["--no-build", "--allow-splat", "--log",
                            self.folder / f"dmesg-{self.boot}", *self.options])
            for line in vm:
                self.heed(line, vm_log, vm)
        if self.current:
            self.died()
        elif not self.taken:
            # The VM did not get as far as a test: do not retry forever
            for queue in self.queues:
                for run in queue.take_all():
                    self.report.finished(Result(run.name, FAILED, 0, vm_log,
                                                "the VM did not start"))

    def give_next(self):
        """Write the next test's file: time-out, name, log, program; it is empty at the end."""
        self.taken += 1
        self.source, self.current = next(
            ((queue, run) for queue in self.queues if (run := queue.take())), (None, None))
        run = self.current
        line = "" if not run else "\t".join(map(str, (
            run.timeout, run.name, run.log.relative_to(REPO), run.test.path.relative_to(REPO))))
        written = self.folder / "next"
        written.write_text(line + "\n" if line else "")
        written.rename(self.folder / f"queue/{self.taken}")

    def heed(self, line, vm_log, vm):
        """Handle one line of output of guest/run-tests."""
        if not line.startswith("@@ "):
            return
        word, _, rest = line[3:].partition(" ")
        if word == "next":
            self.give_next()
        elif word == "start":
            self.before = vm.processor_seconds()
            self.report.started(rest)
        elif word == "end":
            status, seconds, reason = rest.split(" ", 2)
            outcome = {0: PASSED, SKIP_STATUS: SKIPPED}.get(int(status), FAILED)
            self.end(self.current, outcome, float(seconds), reason,
                     vm.processor_seconds() - self.before)
        elif word == "leaks":
            self.report.expect(1)
            self.report.finished(Result(
                self.leaks, PASSED if rest == "none" else FAILED, 0,
                vm_log, "" if rest == "none" else "kmemleak found something"))

    def died(self):
        """Handle a VM that ended during a test."""
        text = death.kernel_log(self.folder / f"dmesg-{self.boot}")
        run = self.current
        if death.emulator_bug(text) and self.source.repeat(run):
            self.current = None
            self.report.say(f"  … {run.name}: the emulator has failed, not the kernel;"
                            " the test runs again")
            return
        with run.log.open("a") as log:
            death.show_end(text, log)
        self.end(run, FAILED, 0, "the VM died")

    def end(self, run, outcome, seconds, reason, spent=0.0):
        self.current = None
        self.report.finished(Result(run.name, outcome, seconds, run.log, reason, spent))


def run(report, suite, kernel, queues, place):
    """Run the tests of these queues on one kernel. Others may take from the same queues
    meanwhile."""
    Guest(report, suite, kernel, queues, place).run()
