#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the reports of 'make bench B=secm' and B=ipoib."""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
BENCH = Path(__file__).resolve().parents[2] / "tools/bench"
sys.path[:0] = [str(BENCH), str(BENCH / "secm")]
import evaluation   # noqa: E402
import ipoib        # noqa: E402
from tables import table        # noqa: E402


def run(ms, cpu_ms=1.0, kib=100):
    return [{"ms": ms, "cpu_ms": cpu_ms, "kib": kib}]


def results(**ways):
    """Return results of one device with a delay of 1 ms: a way's runs by their count."""
    return evaluation.Results({"results": {"dev": {"1": {
        way: {str(count): runs for count, runs in counts.items()} for way, counts in ways.items()}}}})


def verdicts(found):
    return {(row[0], row[1]): row[4] for row in evaluation.evaluation(found, "dev")}


RATIO = ("E2", "serial / pipeline, 1024 connections")
AHEAD = ("E2", "ahead of threads and cmtime")
FIRST = ("E1", "time of 16 connections / of one")
MEMORY = ("E5", "KiB that a connection adds: pipeline, serial, threads")


class Evaluation(unittest.TestCase):
    def test_a_median_of_runs_counts(self):
        found = results(pipeline={1: [*run(10), *run(1), *run(100)], 16: run(14.2)})
        self.assertEqual(verdicts(found)[FIRST], True)
        found = results(pipeline={1: run(10), 16: run(14.3)})
        self.assertEqual(verdicts(found)[FIRST], False)

    def test_each_delay_has_figures_of_its_own(self):
        raw = {"results": {"dev": {delay: {"pipeline": {"1": run(10), "16": run(ms)}}
                                   for delay, ms in (("1", 15), ("5", 14))}}}
        self.assertEqual([verdicts(evaluation.Results(raw, delay))[FIRST] for delay in (1, 5)], [False, True])
        self.assertTrue(any("dev" in line for line in evaluation.judged(evaluation.Results(raw, 5))))
        self.assertFalse(any("dev" in line for line in evaluation.judged(evaluation.Results(raw, 2))))

    def test_ten_times_serial_is_the_goal(self):
        for serial, met in ((1000, True), (999, False)):
            found = results(serial={1024: run(serial)}, pipeline={1024: run(100)})
            self.assertEqual(verdicts(found)[RATIO], met)

    def test_a_goal_without_a_figure_is_neither_met_nor_missed(self):
        found = results(serial={1024: "it failed"}, pipeline={1024: run(100)})
        self.assertIsNone(verdicts(found)[RATIO])
        self.assertEqual(list(found.failures()), ["dev, 1 ms, 1024 by serial: it failed"])

    def test_others_that_are_ahead_are_named(self):
        found = results(pipeline={64: run(10), 256: run(30)}, threads={64: run(11), 256: run(29)},
                        cmtime={64: [{"ms": 9}], 256: [{"ms": 31}]})
        row = next(row for row in evaluation.evaluation(found, "dev") if row[:2] == AHEAD)
        self.assertEqual(row[3:], ("not of cmtime at 64, threads at 256", False))

    def test_the_least_growth_of_memory_is_the_goal(self):
        for kib, met in ((1060, True), (1070, False)):
            found = results(**{way: {64: run(1, kib=100), 1024: run(1, kib=most)} for way, most in (
                ("pipeline", kib), ("serial", 1065), ("threads", 2000))})
            self.assertEqual(verdicts(found)[MEMORY], met)


class Ipoib(unittest.TestCase):
    def line(self, name, found):
        return table([], [ipoib.row("veth", name, found)])[-1]

    def row(self, rate, us):
        return self.line("datagram", {"tcp": [{"MiBps": 100, "again": 0, "us": 50}],
                                      "datagram": [{"MiBps": rate, "again": 1, "us": us}]})

    def test_goals_are_judged_beside_the_netdev(self):
        self.assertIn("| 0.50 | >= 0.5: met | 100 | 2.00 | <= 2.0: met |", self.row(50, 100))
        self.assertIn("| 0.49 | >= 0.5: **missed** | 101 | 2.02 | <= 2.0: **missed** |", self.row(49, 101))

    def test_what_is_compared_with_nothing_has_no_ratio(self):
        found = {"tcp": [{"MiBps": 100, "again": 0, "us": 50}]}
        self.assertTrue(self.line("tcp", found).endswith("|  |  |  | 50 |  |  |"))


if __name__ == "__main__":
    unittest.main()
