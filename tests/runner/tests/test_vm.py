#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""When a run is ended, its VMs end, and no thread starts another."""

import io
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from runner import vm       # noqa: E402


class End(unittest.TestCase):
    def setUp(self):
        patch = mock.patch.object(vm, "ENDING", threading.Event())
        patch.start()
        self.addCleanup(patch.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)
        script = self.tree / "scripts/vm"
        script.parent.mkdir()
        script.write_text("#!/bin/sh\necho starts\nexec sleep 600\n")
        script.chmod(0o755)

    def start(self):
        return iter(vm.VM("stock", [], io.StringIO(), 600, tree=self.tree))

    def test_of_the_run_ends_its_vms(self):
        lines = self.start()
        self.assertEqual(next(lines), "starts")
        vm.end_all()
        self.assertEqual(list(lines), [])

    def test_of_the_run_lets_no_other_vm_start(self):
        vm.end_all()
        self.assertRaises(vm.EndingError, self.start)


if __name__ == "__main__":
    unittest.main()
