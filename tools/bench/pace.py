# SPDX-License-Identifier: GPL-2.0
"""pace - choose the number of iterations for a run of the desired length.

Contenders differ in speed by a factor of a hundred, machines by more. The first run uses
the contender's guess, later ones the measured speed.
"""
from contenders import seconds_each


def measured_seconds(work, figures):
    """Return the seconds of one message, or None if the figures do not tell."""
    if figures.get("median"):
        return 2 * figures["median"] * 1e-6     # perftest reports half of the round trip
    if figures.get("kmps"):
        return 1e-3 / figures["kmps"]
    if figures.get("MiBps"):
        return work.size / (figures["MiBps"] * (1 << 20))
    return None


class Pace:
    """Iterations for runs of so many seconds."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.known = {}

    def iterations(self, contender, work):
        """Return the iterations for each QP."""
        each = self.known.get((contender.name, work.name))
        if not each:
            # a round trip, with nothing else in flight
            each = seconds_each(contender, work.size) * (4 if work.kind == "latency" else 1)
        count = int(self.seconds * work.longer / each / work.qps)
        count = min(max(count, work.least), work.most)
        return count // 32 * 32 if "-l" in work.options else count

    def learn(self, contender, work, figures):
        each = measured_seconds(work, figures)
        if each:
            self.known[contender.name, work.name] = each

    def too_short(self, contender, work, iterations):
        """Tell whether the run was mostly start-up: the next one would be over three times
        as long."""
        return 3 * iterations < self.iterations(contender, work)
