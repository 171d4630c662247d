#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A test whose VM dies fails, but for a known bug of the emulator: then it runs once more."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner import e2e                          # noqa: E402
from runner.report import FAILED, PASSED        # noqa: E402

GONE = "[ 1.0] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI\n[ 1.1] Kernel panic - not syncing\n"
OURS = ("[ 1.0] Oops: general protection fault [#1]\n[ 1.0] RSP: 0018:ffffce598077fc40 "
        "EFLAGS: 00210a02\n[ 1.1] Kernel panic - not syncing\n")
IMPOSSIBLE = ("[ 1.0] Oops: double fault: 0000 [#1]\n[ 1.0] RSP: 0018:ffffce598077fc40 "
              "EFLAGS: 86866a02\n[ 1.1] Kernel panic - not syncing\n")


class Report:
    def __init__(self):
        self.results = []
        self.said = []
        self.started = self.expect = lambda name: None
        self.finished = self.results.append
        self.say = self.said.append


class Vm:
    """A VM that takes tests until it dies, and leaves this kernel log, or ends well."""

    def __init__(self, death, options):
        self.death = death
        self.options = options

    @staticmethod
    def processor_seconds():
        return 0.0

    def __iter__(self):
        yield "@@ next"
        yield "@@ start it"
        if self.death:
            Path(self.options[self.options.index("--log") + 1]).write_text(self.death)
            return
        yield "@@ end 0 1.0 "


class Vms:
    """Each VM dies as `deaths` has it."""

    def __init__(self, deaths):
        self.deaths = list(deaths)

    def __call__(self, _kernel, _argv, _log, _limit, options):
        return Vm(self.deaths.pop(0) if self.deaths else None, options)


class Death(unittest.TestCase):
    def outcome(self, *deaths):
        """Run one test in VMs that die so, and return its results."""
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            self.run_log = place / "it.log"
            report = Report()
            patches = (mock.patch.object(e2e, "BUILD", place), mock.patch.object(e2e, "REPO", place),
                       mock.patch.object(e2e, "log_path", self.log_in(place)),
                       mock.patch.object(e2e, "VM", Vms(deaths)))
            for patch in patches:
                patch.start()
                self.addCleanup(patch.stop)
            run = e2e.Run(e2e.Test(place / "it.sh", "e2e"), "stock")
            e2e.run(report, "e2e", "stock", [e2e.Queue([run])], "")
            self.text = run.log.read_text() if run.log.exists() else ""
            self.said = report.said
            return [result.outcome for result in report.results]

    @staticmethod
    def log_in(place):
        def log_path(name):
            path = place / (name.replace("/", "-") + ".log")
            path.touch()
            return path
        return log_path

    def test_that_ends_has_one_result(self):
        self.assertEqual(self.outcome(), [PASSED])

    def test_fails_when_the_kernel_dies(self):
        self.assertEqual(self.outcome(OURS), [FAILED])
        self.assertIn("general protection fault", self.text)

    def test_runs_again_when_the_emulator_dies(self):
        self.assertEqual(self.outcome(GONE), [PASSED])
        self.assertTrue(any("runs again" in line for line in self.said))

    def test_runs_again_when_flags_are_set_that_no_processor_has(self):
        self.assertEqual(self.outcome(IMPOSSIBLE), [PASSED])

    def test_runs_again_only_once(self):
        self.assertEqual(self.outcome(GONE, GONE), [FAILED])

    def test_does_not_run_again_on_a_processor_that_is_not_emulated(self):
        with mock.patch.dict("os.environ", SRNIC_ACCEL="kvm"):
            self.assertEqual(self.outcome(GONE), [FAILED])


if __name__ == "__main__":
    unittest.main()
