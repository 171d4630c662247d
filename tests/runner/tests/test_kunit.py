#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The suites fail as a whole when their VM dies, but for a known bug of the emulator: then they
run once more."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner import kunit                                # noqa: E402
from runner.report import FAILED, PASSED, Result        # noqa: E402

DIED, TROUBLE = 125, 70
EMULATOR = "[ 1.0] Oops: int3: 0000 [#1] PREEMPT SMP NOPTI\n[ 1.1] Kernel panic - not syncing\n"
KERNEL = "[ 1.0] Oops: general protection fault [#1]\n[ 1.1] Kernel panic - not syncing\n"
REPORT = ["    # Subtest: srnic-it", "    ok 1 a_case", "ok 1 srnic-it"]


class Report:
    def __init__(self):
        self.results = []
        self.said = []
        self.running = {}
        self.started = self.expect = lambda name: None
        self.finished = self.results.append
        self.say = self.said.append


class Vm:
    """A VM with this status, kernel log and output."""

    def __init__(self, end, options):
        self.status, log, self.lines = end
        Path(options[options.index("--log") + 1]).write_text(log)

    def __iter__(self):
        return iter(self.lines)


class Death(unittest.TestCase):
    def outcome(self, *ends):
        """Run the suites in VMs that end so, and return the results by name."""
        left, report = list(ends), Report()
        with tempfile.TemporaryDirectory() as folder:
            self.path = Path(folder, "it.log")
            for name, value in (
                    ("VM", lambda *_args: Vm(left.pop(0), _args[-1])),
                    ("draw_packets", lambda: None), ("log_path", lambda _name: self.path),
                    ("opened_by_codec", lambda *_args: Result("kunit/codec", PASSED))):
                patch = mock.patch.object(kunit, name, value)
                patch.start()
                self.addCleanup(patch.stop)
            kunit.run(report, lambda _name: True)
            self.text = self.path.read_text()
        self.left, self.said = left, report.said
        return {result.name: result.outcome for result in report.results}

    def test_suites_that_end_run_once(self):
        found = self.outcome((0, "", REPORT), (0, "", []))
        self.assertEqual(found, {"kunit/srnic-it/a_case": PASSED, "kunit/codec": PASSED,
                                 "kunit/kernel": PASSED})
        self.assertEqual(len(self.left), 1)

    def test_they_fail_when_the_kernel_dies(self):
        found = self.outcome((TROUBLE, KERNEL, []), (0, "", REPORT))
        self.assertEqual(found["kunit/kernel"], FAILED)
        self.assertNotIn("kunit/srnic-it/a_case", found)

    def test_they_run_again_when_the_emulator_dies(self):
        found = self.outcome((TROUBLE, EMULATOR, []), (0, "", REPORT))
        self.assertEqual(found["kunit/kernel"], PASSED)
        self.assertEqual(found["kunit/srnic-it/a_case"], PASSED)
        self.assertTrue(any("run again" in line for line in self.said))

    def test_they_run_again_only_once(self):
        found = self.outcome((DIED, EMULATOR, []), (DIED, EMULATOR, []), (0, "", REPORT))
        self.assertEqual(found["kunit/kernel"], FAILED)

    def test_a_time_out_shows_what_the_kernel_waits_for(self):
        found = self.outcome((kunit.TIMED_OUT, "[ 9.0] task:it state:D\n", []))
        self.assertEqual(found["kunit/kernel"], FAILED)
        self.assertIn("task:it state:D", self.text)


if __name__ == "__main__":
    unittest.main()
