# SPDX-License-Identifier: GPL-2.0
"""figures - what run.py's JSON says: series, medians, ratios."""
from statistics import median

PACKET = 4096


def quotient(above, below):
    """None if there is nothing to divide, or to divide by."""
    return above / below if above is not None and below else None


class Record:
    """One file of run.py's."""

    def __init__(self, raw):
        self.raw = raw
        self.results = raw["results"]
        self.work = raw["work"]

    def series(self, contender, work, key):
        runs = self.results.get(contender, {}).get(work, [])
        return [run[key] for run in runs if key in run]

    def median(self, contender, work, key):
        """The median, or None if nothing was measured."""
        values = self.series(contender, work, key)
        return median(values) if values else None

    def ratio(self, contender, other, work, key, other_work=None):
        return quotient(self.median(contender, work, key), self.median(other, other_work or work, key))

    def floor(self, row):
        """Nanoseconds that a row of the floor module takes."""
        values = [run["ns"][row] for run in self.raw["floor"] if row in run["ns"]]
        return median(values) if values else None

    def packet_ns(self, contender, work="write_4k"):
        """What a 4 KiB packet takes by that bandwidth."""
        speed = self.median(contender, work, "MiBps")
        return PACKET / (speed * (1 << 20)) * 1e9 if speed else None

    def errors(self):
        """(contender, work, why, how often) of the runs that gave no figure."""
        count = {}
        for contender, works in self.results.items():
            for work, runs in works.items():
                for run in runs:
                    if "error" in run:
                        at = contender, work, run["error"]
                        count[at] = count.get(at, 0) + 1
        return [(*at, times) for at, times in count.items()]


def instructions(record):
    """Instructions a packet and a message, from a run under icount (a ns is one).

    Of the floor: what its module needs for the same packet.
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
