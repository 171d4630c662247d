# SPDX-License-Identifier: GPL-2.0
"""figures - series, medians and ratios from run.py's JSON."""
from statistics import median

PACKET = 4096


def quotient(above, below):
    """Return above / below, or None if either is missing or the divisor is 0."""
    return above / below if above is not None and below else None


class Record:
    """A JSON file of run.py."""

    def __init__(self, raw):
        self.raw = raw
        self.results = raw["results"]
        self.work = raw["work"]

    def series(self, contender, work, key):
        runs = self.results.get(contender, {}).get(work, [])
        return [run[key] for run in runs if key in run]

    def median(self, contender, work, key):
        """Return the median, or None if nothing was measured."""
        values = self.series(contender, work, key)
        return median(values) if values else None

    def ratio(self, contender, other, work, key, other_work=None):
        return quotient(self.median(contender, work, key), self.median(other, other_work or work, key))

    def floor(self, row):
        """Return the nanoseconds of a row of the floor module."""
        values = [run["ns"][row] for run in self.raw["floor"] if row in run["ns"]]
        return median(values) if values else None

    def packet_ns(self, contender, work="write_4k"):
        """Return the nanoseconds of a 4 KiB packet at the measured bandwidth."""
        speed = self.median(contender, work, "MiBps")
        return PACKET / (speed * (1 << 20)) * 1e9 if speed else None

    def errors(self):
        """Return (contender, work, reason, count) of the runs without a figure."""
        count = {}
        for contender, works in self.results.items():
            for work, runs in works.items():
                for run in runs:
                    if "error" in run:
                        at = contender, work, run["error"]
                        count[at] = count.get(at, 0) + 1
        return [(*at, times) for at, times in count.items()]


def instructions(record):
    """Return instructions a packet and a message, from a run under icount (1 ns counts as one).

    The floor's figure is the cost of the same packet in the floor module.
    """
    found = {}
    for contender in record.results:
        message = record.median(contender, "send_rate_list", "kmps")
        found[contender] = {"packet": record.packet_ns(contender, "write_64k"),
                            "message": 1e6 / message if message else None}
    if record.raw["floor"]:
        found["floor"] = {"packet": record.floor("packet_4096"), "message": record.floor("packet_64")}
        found["floor, sealed"] = {"packet": record.floor("sealed_4096"),
                                  "message": record.floor("sealed_64")}
    return found
