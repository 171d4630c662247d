#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Test verify without rumur: how it judges what a checker of a model does."""
import subprocess
import sys
import tempfile
import unittest
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

sys.dont_write_bytecode = True
LOADER = SourceFileLoader("verify", str(Path(__file__).resolve().parent / "verify"))
verify = module_from_spec(spec_from_loader(LOADER.name, LOADER))
LOADER.exec_module(verify)

HOLDS = "No error found.\n\n194198 states, 1492504 rules fired in 15s.\n"
FOUND = "each flow can be confirmed\n\n7 states, 9 rules fired in 0s.\n"
CLAIM = "each flow can be confirmed"


class Judge(unittest.TestCase):
    def judged(self, said, status, claim):
        """Return whether a model is accepted whose checker says that, with these notes."""
        def run(argv, **_):
            checks = len(argv) == 1
            return subprocess.CompletedProcess(argv, status if checks else 0,
                                               said if checks else b"version")

        with tempfile.TemporaryDirectory() as folder, \
                mock.patch.object(verify.clean, "CACHE", Path(folder)), \
                mock.patch.object(verify.subprocess, "run", run):
            bad, notes = verify.Checker(Path(folder), True).judge("handshake", {}, claim)
        return not bad, notes

    def test_a_model_that_holds(self):
        accepted, notes = self.judged(HOLDS, 0, "")
        self.assertTrue(accepted)
        self.assertIn("194198 states, 1492504 rules fired", notes)

    def test_a_fault_that_is_found(self):
        self.assertTrue(self.judged(FOUND, 1, CLAIM)[0])

    def test_a_fault_that_is_not_found(self):
        self.assertFalse(self.judged(HOLDS, 0, CLAIM)[0])
        self.assertFalse(self.judged("another claim\n", 1, CLAIM)[0])

    def test_a_checker_that_crashes_shows_nothing(self):
        self.assertFalse(self.judged("", -11, "")[0])
        self.assertFalse(self.judged("", -11, CLAIM)[0])

    def test_a_model_has_all_constants_that_are_set(self):
        for model, (larger, faults, _) in verify.LARGER.items():
            text = (verify.HERE / f"{model}.m").read_text()
            for constants in (larger, faults | {"FAULT": 1}):
                changed = verify.with_constants(text, constants)
                for name, value in constants.items():
                    self.assertIn(f"\t{name}: {value};", changed)
        self.assertRaises(ValueError, verify.with_constants, "const\n\tLIVES: 2;\n", {"LAST": 2})


unittest.main()
