#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Test the tables of `make bench B=paper`, with results that are invented."""
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
BENCH = Path(__file__).resolve().parents[2] / "tools/bench"
sys.path[:0] = [str(BENCH), str(BENCH / "paper")]
import connections                              # noqa: E402
import paper                                    # noqa: E402
import stores                                   # noqa: E402
import transfers                                # noqa: E402

FASTEST = 1000.0


def cost(way):
    """Return what a message costs: the unprotected one least, that with both keys derived most."""
    return FASTEST * (1 + ("none", *transfers.KEYS, transfers.UNCACHED, transfers.ONE_PLACE, stores.DEEP, "packet",
                           "aead", transfers.UNCACHED_BOTH).index(way))


class Bench:
    """Stands in for the programs, and notes how they are called."""

    def __init__(self):
        self.calls = []

    def run(self, program, way, *args, seal=None):
        options = dict(zip(args[::2], args[1::2]))
        self.calls.append((program, way, seal, options))
        return getattr(self, program)(cost(way), options)

    @staticmethod
    def latency(ns, options):
        return {size: ns for size in options["--sizes"].split(",")}

    @staticmethod
    def bandwidth(ns, options):
        return {n: {reads: ns for reads in options["--reads"].split(",")}
                for n in str(options["--connections"]).split(",")}

    @staticmethod
    def herd(ns, options):
        return {"keys": 8388608, "misses": 0,
                "per_second": {puts: 1e9 / ns for puts in options["--puts"].split(",")}}

    @staticmethod
    def memory(way, seal, count):
        return 1_000_000 + 2 * count * cost(way)


def invented():
    bench = Bench()
    steps = [{"depth": depth, "ns": FASTEST + depth, "again_ns": FASTEST} for depth in paper.DEPTHS]
    record = {"date": "2026-01-01", "kernel": "6.12", "machine": "invented",
              "algorithms": {"openssl": "3", "aes-cmac-128": {"1": {"64": 8.0, "2048": 20.0}}},
              "floor": {"ns": {"cmac_70": 100, "cmac_58": 90, "derive_36": 500}},
              "memory": connections.measure(bench.memory), "herd": stores.measure(bench.run, 10),
              "tree_base": FASTEST, "tree": steps}
    record.update(transfers.measure(bench.run))
    return bench, record


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bench, cls.record = invented()
        cls.text = paper.markdown(cls.record)

    def section(self, title):
        return self.text.split(f"\n## {title}")[1].split("\n## ")[0]

    def test_every_cell_has_a_value(self):
        self.assertNotIn("None", self.text)
        self.assertNotIn("| nan", self.text)
        self.assertNotIn("|  |", self.text)

    def test_each_section_of_the_papers_evaluation_is_there(self):
        for of in ("figure 5", "figure 6", "figure 7", "figures 8 and 9", "figure 10", "figure 11", "table 3"):
            self.assertEqual(self.text.count(f"{of})\n"), 1, of)

    def test_the_fourth_mode_is_in_each_of_them(self):
        row = transfers.UNCACHED_BOTH
        for title in ("Latency of headers", "Latency by size", "Bandwidth", "Mixed load", "Key-value store",
                      "Memory of connections"):
            self.assertIn(row, self.section(title), title)

    def test_ratios_are_those_of_the_unprotected_cost(self):
        ratio = cost(transfers.UNCACHED_BOTH) / FASTEST
        self.assertIn(f"| hmac-sha256 | {transfers.UNCACHED_BOTH} | {ratio:.3g} |", self.text)
        self.assertIn("| aead | 0.1 | 0.1 | 0.1 | 0.927 |", self.section("Key-value store"))

    def test_memory_is_that_of_one_more_queue_pair(self):
        self.assertIn("| header aes-cmac-128 | basic | 2 000 | 1 000 | 16 N | 10 N | 16 | 16 |",
                      self.section("Memory of connections"))

    def test_one_place_is_said_to_the_program(self):
        places = {way: options["--places"] for program, way, _, options in self.bench.calls if program == "latency"}
        self.assertEqual(places[transfers.ONE_PLACE], 1)
        self.assertGreater(places["ext-mem"], 1)

    def test_uncached_is_a_rule_and_not_a_way(self):
        self.assertEqual(paper.chosen(transfers.UNCACHED_BOTH, None),
                         (("--way", "pd-prot+ext-mem"), ["header", "aes-cmac-128"]))
        self.assertEqual(paper.chosen(transfers.ONE_PLACE, "aead:aes-gcm-128"),
                         (("--way", "ext-mem", "--seal", "aead:aes-gcm-128"), None))


if __name__ == "__main__":
    unittest.main(buffer=True)
