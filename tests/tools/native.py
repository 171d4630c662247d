#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Test the host's part of `make bench B=native`, B=nic-kernel and scripts/profile-native."""
import sys
import unittest
from dataclasses import asdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/bench"))
import native_report                            # noqa: E402
from figures import Record                      # noqa: E402
from kbench import figures                      # noqa: E402
from native import NATIVE, WORK, verb_of        # noqa: E402
from native_samples import HOST, Symbols        # noqa: E402
from work import FIGURES                        # noqa: E402

KALLSYMS = """0000000060001000 T first
0000000060002000 t second
0000000071000000 t in_module\t[srnic]
"""


def invented(place="plain"):
    """Return a record in which each contender is half as fast as the one before."""
    results = {}
    for factor, contender in enumerate(NATIVE.values()):
        for work in WORK.values():
            if verb_of(work, contender):
                runs = [{key: (100 + run) * 2.0 ** -factor for key, _ in FIGURES[work.kind]}
                        for run in range(3)]
                results.setdefault(contender.name, {})[work.name] = runs
    floor = {"ns": {"chacha_pair_4096": 5000}, "crc": {"4096": "crc_sparse"}, "drivers": {}}
    return {"date": "2026-01-01", "kernel": "6.12", "machine": "invented", "cpus": 1, "place": place,
            "mtu": 4200, "ms": 400, "depth": 64, "batch": 16, "results": results, "floor": [floor],
            "work": {work.name: asdict(work) for work in WORK.values()}}


class Figures(unittest.TestCase):
    def test_a_stream(self):
        found = figures({"verb": "write", "size": 1 << 20, "messages": 500, "ns": 250_000_000})
        self.assertEqual(found, {"MiBps": 2000, "kmps": 2})

    def test_a_ping_pong(self):
        found = figures({"samples": 9, "min_ns": 1000, "median_ns": 2500, "p99_ns": 9000})
        self.assertEqual(found, {"min": 1, "median": 2.5, "p99": 9})


class Report(unittest.TestCase):
    def test_every_goal_of_the_place_is_judged(self):
        for place, goals in (("plain", native_report.native_goals), ("virtio-4200", native_report.nic_goals)):
            with self.subTest(place=place):
                self.assertEqual([goal.what for goal, _ in native_report.judged(Record(invented(place)))],
                                 [goal.what for goal in goals()])

    def test_the_report_says_where_the_figures_were_taken(self):
        self.assertIn("on one veth pair", native_report.markdown(Record(invented())))
        self.assertIn("(virtio-4200)", native_report.markdown(Record(invented("virtio-4200"))))

    def test_goals_of_what_was_measured_only(self):
        raw = invented()
        raw["results"] = {"srnic": {"write_64k": [{"error": "it broke"}]}}
        raw["floor"] = []
        record = Record(raw)
        self.assertEqual(native_report.judged(record), [])
        self.assertIn("| srnic | write_64k | 1 | it broke |", native_report.markdown(record))

    def test_ratios_are_those_of_the_medians(self):
        text = native_report.markdown(Record(invented()))
        self.assertIn("| write_64k | MiB/s | 101 (100–102) | 50.5 (50–51) **×0.5** |", text)
        self.assertNotIn("None", text)

    def test_tcp_has_no_verbs(self):
        self.assertIsNone(verb_of(WORK["read_64k"], NATIVE["tcp"]))
        self.assertEqual(verb_of(WORK["write_64k"], NATIVE["tcp"]), "tcp")


class Samples(unittest.TestCase):
    def test_an_address_is_in_the_function_before_it(self):
        symbols = Symbols(KALLSYMS)
        self.assertEqual(symbols.find(0x60001fff), ("first", "kernel"))
        self.assertEqual(symbols.find(0x60002000), ("second", "kernel"))
        self.assertEqual(symbols.find(0x71000010), ("in_module", "srnic"))

    def test_what_is_no_function_of_the_guest(self):
        symbols = Symbols(KALLSYMS)
        self.assertEqual(symbols.find(0x400000)[0], "(user space)")
        self.assertEqual(symbols.find(HOST + 1)[0], "(the host's kernel)")


if __name__ == "__main__":
    unittest.main()
