#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the bench's parts that need no VM: plan, parsers of tool output, report."""
import argparse
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/bench"))
import report                                           # noqa: E402
import tables                                           # noqa: E402
from connect import parse_cmtime                        # noqa: E402
from contenders import CONTENDERS                       # noqa: E402
from figures import Record, instructions                # noqa: E402
from goals import GOALS, judge                          # noqa: E402
from losses import qdisc_drops                          # noqa: E402
from neighbours import parse_neighbour, parse_throughput    # noqa: E402
from options import add_choice                          # noqa: E402
from pace import Pace                                   # noqa: E402
from perftest import NoClock, messages_of, parse_perftest                     # noqa: E402
from places import NIC_PAIRS                            # noqa: E402
import programs                                         # noqa: E402
from programs import Failed, background, call_far, far, listens, run, wait_for  # noqa: E402
from progress import Progress                           # noqa: E402
from run import plan                                    # noqa: E402
from tcp import parse_iperf, parse_qperf                # noqa: E402
from timed import jain                                  # noqa: E402
from work import FIGURES, GROUPS, WORK, select          # noqa: E402

BANDWIDTH = """ #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 65536      500              51.39              50.09  \t\t   0.000500
"""
LATENCY = """ #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]
 64      1000          63.09          2116.64      71.88    \t       87.53       \t78.44  \t\t351.50  \t\t2116.64
"""
CMTIME = """connecting
step              total ms     max ms     min us  us / conn
create id    :        1.00       0.10       7.00      17.38
resolve addr :        9.00       7.74    6752.00     180.46
resolve route:        1.00       0.48     257.00      19.28
create qp    :       19.00       4.80     201.00     361.94
connect      :       70.00      47.64    9994.00    1658.14
disconnect   :       44.22       3.57     173.00     884.48
"""
LISTENERS = """  sl  local_address rem_address   st tx_queue
   0: 00000000:4853 00000000:0000 0A 00000000:00000000 00:00000000
   1: 0100007F:1451 00000000:0000 01 00000000:00000000 00:00000000
"""


BESIDE = """beside       alone/MB/s beside/MB/s    left    packets/s
icrc              612.1      397.9     65.0%       123456
"""
TRIPS = """beside         median round trip/us  change  MB/s
nothing                        40.0   +0.0%     0
a busy loop                    41.0   +2.5%     0
WRITEs                         44.0  +10.0%   500
READs                          46.0  +15.0%   480
"""


def invented():
    """Return a record with results for everything; each contender is half as fast as the
    one before."""
    results = {}
    for factor, (name, contender) in enumerate(CONTENDERS.items()):
        for work in WORK.values():
            if name in work.who:
                keys = [key for key, *_ in FIGURES[work.kind]] + ["wire"]
                runs = [{key: (100 + run) * 2.0 ** -factor for key in keys} for run in range(3)]
                results.setdefault(contender.name, {})[work.name] = runs
    ns = dict.fromkeys(("packet_4096", "packet_64", "sealed_4096", "sealed_64", "aead_pair_4096", "cmac_128"),
                       5000)
    floor = {"ns": ns, "crc": {"4096": "crc_sparse"}, "drivers": {"gcm(aes)": "some-driver"}}
    return {"date": "2026-01-01", "kernel": "6.12", "machine": "invented", "cpus": 2, "mtu": 4200,
            "rps": "0", "seconds": 0.4, "work": {w.name: asdict(w) for w in WORK.values()},
            "results": results, "floor": [floor]}


class Table(unittest.TestCase):
    def test_all_who_do_something_are_contenders(self):
        self.assertLessEqual({name for work in WORK.values() for name in work.who}, set(CONTENDERS))

    def test_every_group_has_work_and_a_title(self):
        self.assertEqual({work.group for work in WORK.values() if work.group} | {"floor"},
                         set(GROUPS))

    def test_selection_takes_names_and_groups(self):
        names = [work.name for work in select(["write_4k", "atomic"])]
        self.assertEqual(names, ["write_4k", "atomic_rate", "atomic_lat"])
        with self.assertRaisesRegex(ValueError, "no work or group 'nothing'"):
            select(["nothing"])


    def test_two_vms_do_the_work_of_one(self):
        def done(place):
            return {work.name.removeprefix(place): (work.kind, work.verb, work.size, work.options)
                    for work in WORK.values() if work.place == place}
        for place in NIC_PAIRS:
            self.assertEqual(done(place), done("virtio-1500"))
            self.assertEqual({WORK[name].group for name in WORK if WORK[name].place == place}, {"nic-pair"})


class Options(unittest.TestCase):
    def setUp(self):
        self.parser = argparse.ArgumentParser()
        add_choice(self.parser, "--ways", {"datagram": 1, "connected": 2})

    def test_some_of_the_names_or_by_default_all(self):
        self.assertEqual(self.parser.parse_args([]).ways, ["datagram", "connected"])
        self.assertEqual(self.parser.parse_args(["--ways", "connected"]).ways, ["connected"])

    def test_an_unknown_name_is_answered_with_the_known_ones(self):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit):
            self.parser.parse_args(["--ways", "connected,broadcast"])
        self.assertIn("no 'broadcast': datagram, connected", said.getvalue())


class Plan(unittest.TestCase):
    def counts(self, reps):
        found = {}
        for session in plan(list(WORK.values()), list(CONTENDERS.values()), reps):
            for contender, works in session.todo:
                for work in works:
                    self.assertEqual((contender.bed, work.place), (session.kind, session.place))
                    at = contender.name, work.name
                    found[at] = found.get(at, 0) + 1
        return found

    def test_everybody_does_all_of_his_work(self):
        wanted = {(contender.name, work.name) for work in WORK.values()
                  for contender in CONTENDERS.values() if (contender.like or contender.name) in work.who}
        self.assertEqual(set(self.counts(1)), wanted)

    def test_the_headline_is_repeated_most(self):
        counts = self.counts(5)
        self.assertEqual(counts["srnic", "write_64k"], 5)
        self.assertEqual(counts["srnic", "write_2"], 2)
        self.assertEqual(counts["srnic", "qps_1024"], 1)


class Readers(unittest.TestCase):
    def test_perftest(self):
        self.assertEqual(parse_perftest(WORK["write_64k"], BANDWIDTH), {"MiBps": 50.09, "kmps": 0.5})
        self.assertEqual(parse_perftest(WORK["write_lat"], LATENCY),
                         {"min": 63.09, "median": 71.88, "p99": 351.5})

    def test_small_messages_by_their_rate(self):
        out = BANDWIDTH.replace("65536", "2").replace("50.09", "0.00")
        self.assertAlmostEqual(parse_perftest(WORK["write_2"], out)["MiBps"], 1000 / (1 << 20))

    def test_perftest_without_a_clock_is_no_figure_but_counts_messages(self):
        for work, out in ((WORK["write_64k"], BANDWIDTH), (WORK["write_lat"], LATENCY)):
            no_clock = re.sub(r"\d+\.\d+", "0.00", out)
            self.assertRaises(NoClock, parse_perftest, work, no_clock)
        self.assertEqual(messages_of(WORK["narrow_four"], BANDWIDTH.replace("51.39", "0.00")), 500)

    def test_iperf(self):
        out = json.dumps({"end": {"sum_received": {"bits_per_second": 8 << 20}}})
        self.assertEqual(parse_iperf(out), {"MiBps": 1})

    def test_iperf_with_streams(self):
        streams = [{"receiver": {"bits_per_second": rate << 23}} for rate in (1, 3)]
        out = json.dumps({"end": {"sum_received": {"bits_per_second": 4 << 23}, "streams": streams}})
        self.assertEqual(parse_iperf(out), {"MiBps": 4, "each": [1, 3]})

    def test_qperf(self):
        self.assertEqual(parse_qperf("tcp_lat:\n    latency  =  0.13 ms\n")["median"], 130)

    def test_qdiscs_inside_others_count_once(self):
        said = [{"kind": "tbf", "root": True, "drops": 3}, {"kind": "pfifo", "parent": "1:1", "drops": 3}]
        self.assertEqual([qdisc_drops(json.dumps(said)), qdisc_drops("")], [3, 0])

    def test_jain(self):
        self.assertEqual([jain(rates) for rates in ([2, 2, 2, 2], [5, 0, 0, 0], [0, 0])], [1, 0.25, 0])

    def test_cmtime_without_what_comes_after_the_connection(self):
        self.assertEqual(parse_cmtime(CMTIME, 50), {"per_second": 500, "connections": 50})

    def test_neighbours(self):
        self.assertEqual(parse_throughput(BESIDE), {"left": 0.65, "kpps": 123.456})
        self.assertEqual(parse_neighbour(TRIPS), {"quiet": 40, "reads": 46, "times": 1.15})

    def test_nonsense_is_no_figure(self):
        for read in (lambda: parse_perftest(WORK["write_64k"], "Couldn't connect\n"),
                     lambda: parse_iperf("{}"), lambda: parse_cmtime("", 1),
                     lambda: parse_qperf(""), lambda: parse_throughput("no device\n"),
                     lambda: parse_neighbour("no device\n")):
            self.assertRaises(Failed, read)

    def test_listeners(self):
        self.assertTrue(listens(0x4853, LISTENERS))
        self.assertFalse(listens(0x1451, LISTENERS))


class Programs(unittest.TestCase):
    def test_why_a_program_failed(self):
        with self.assertRaisesRegex(Failed, "sh failed: this is why"):
            run(["sh", "-c", "echo that; echo this is why; exit 3"], 10)
        with self.assertRaisesRegex(Failed, "no result in 0.1 s"):
            run(["sleep", "5"], 0.1)

    def test_a_server_that_ends_is_not_waited_for(self):
        with self.assertRaisesRegex(Failed, "sh, the server, ended: no device"):
            with background(["sh", "-c", "echo no device"]) as server:
                wait_for(server, lambda: False)

    def test_a_server_may_say_more_than_a_pipe_holds(self):
        with background(["head", "-c", "1000000", "/dev/zero"]) as server:
            pass
        self.assertEqual(server.returncode, 0)


class FarEnd(unittest.TestCase):
    def setUp(self):
        self.here, folder = programs.OTHER_VM, tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(setattr, programs, "OTHER_VM", self.here)
        self.path = {"PATH": f"{folder.name}:{os.environ['PATH']}"}
        there = Path(folder.name) / "in-b"
        there.write_text('#!/bin/sh\nexec "$@"\n')
        there.chmod(0o755)

    def test_in_this_vm_nothing_stands_between(self):
        programs.OTHER_VM = Path("/nonexistent")
        self.assertEqual(far(["iperf3", "-s"]), ["iperf3", "-s"])
        self.assertEqual(call_far(jain, [1, 1]), 1)

    def test_in_another_vm_a_function_is_called_there(self):
        programs.OTHER_VM = Path("/")
        self.assertEqual(far(["iperf3", "-s"])[0], "in-b")
        with unittest.mock.patch.dict("os.environ", self.path):
            self.assertEqual(call_far(jain, [5, 0, 0, 0]), 0.25)
            with self.assertRaisesRegex(Failed, "in-b failed: ValueError"):
                call_far(listens, "no port", "\n0: a b c")


class Iterations(unittest.TestCase):
    def test_first_by_guess_then_by_measure(self):
        pace, rxe, work = Pace(1), CONTENDERS["rxe"], WORK["write_64k"]
        self.assertGreater(pace.iterations(rxe, work), work.least)
        pace.learn(rxe, work, {"MiBps": 100})
        self.assertEqual(pace.iterations(rxe, work), 1600)

    def test_bounds_and_lists(self):
        pace, rxe = Pace(1), CONTENDERS["rxe"]
        pace.learn(rxe, WORK["write_8m"], {"MiBps": 1})
        self.assertEqual(pace.iterations(rxe, WORK["write_8m"]), WORK["write_8m"].least)
        self.assertEqual(pace.iterations(rxe, WORK["send_rate_list"]) % 32, 0)
        self.assertEqual(pace.iterations(rxe, WORK["qps_1024"]), WORK["qps_1024"].least)


class Report(unittest.TestCase):
    def setUp(self):
        self.record = Record(invented())
        self.found = instructions(self.record)

    def test_medians_and_ratios(self):
        self.assertEqual(self.record.median("rxe", "write_64k", "MiBps"), 101)
        self.assertEqual(self.record.ratio("siw", "rxe", "write_64k", "MiBps"), 0.5)
        self.assertIsNone(self.record.ratio("siw", "rxe", "atomic_lat", "median"))

    def test_every_goal_is_judged(self):
        self.assertEqual(len(judge(self.record, self.found)), len(GOALS))

    def test_markdown_has_all_parts(self):
        text = report.markdown(self.record, self.found, ["bandwidth_write.svg"])
        for title in (*GROUPS.values(), "Goals", "Beside the others",
                      "Bytes across the pair for one of payload, 64 KiB writes", "Curves"):
            self.assertIn(f"## {title}\n", text)
        self.assertNotIn("Runs without", text)
        for line in text.splitlines():
            self.assertNotIn("None", line)

    def test_part_of_a_record_makes_a_report(self):
        raw = invented()
        raw["results"] = {"srnic": {"write_4k": [{"error": "it broke"}]}}
        raw["floor"] = []
        record = Record(raw)
        text = report.markdown(record, {}, [])
        self.assertIn("| srnic | write_4k | 1 | it broke |", text)
        json.dumps(report.summary(record, {}))

    def test_numbers_as_people_write_them(self):
        self.assertEqual([tables.number(x) for x in (0.123456, 12.3456, 123.456, 12345.6, None)],
                         ["0.123", "12.3", "123", "12 346", "–"])
        self.assertEqual(tables.spread([3, 1, 2]), "2 (1–3)")

    def test_plots_are_xml_and_follow_the_theme(self):
        try:
            import plots
        except ImportError:
            self.skipTest("no matplotlib: scripts/setup bench")
        with tempfile.TemporaryDirectory() as folder:
            for name in plots.draw(self.record, Path(folder)):
                text = (Path(folder) / name).read_text()
                ElementTree.fromstring(text)
                self.assertIn("prefers-color-scheme: dark", text)
                self.assertIn("currentColor", text)
                self.assertNotIn(plots.INK, text)


class Time(unittest.TestCase):
    def test_what_is_left_comes_from_what_is_done(self):
        now = 0
        progress = Progress(10, lambda: now)
        self.assertEqual(progress.line("a"), "[0/10] 0:00, ? left: a")
        progress.done, now = 2, 30
        self.assertEqual(progress.line("b"), "[2/10] 0:30, 2:00 left: b")


if __name__ == "__main__":
    unittest.main()
