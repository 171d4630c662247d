# SPDX-License-Identifier: GPL-2.0
"""pace - how many iterations make a run as long as it should be.

Contenders differ in speed by a hundred times, machines by more. The first run goes by the
contender's guess, the later ones by what was measured.
"""
from contenders import seconds_each


def measured_seconds(work, figures):
    """What one message took; None if the figures do not say."""
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
        """How many each queue pair is to do."""
        each = self.known.get((contender.name, work.name))
        if not each:
            # there and back, and nothing else is on its way meanwhile
            each = seconds_each(contender, work.size) * (4 if work.kind == "latency" else 1)
        count = int(self.seconds * work.longer / each / work.qps)
        count = min(max(count, work.least), work.most)
        return count // 32 * 32 if "-l" in work.options else count

    def learn(self, contender, work, figures):
        each = measured_seconds(work, figures)
        if each:
            self.known[contender.name, work.name] = each

    def too_short(self, contender, work, iterations):
        """Whether such a run was mostly its beginning: another would be three times as long."""
        return 3 * iterations < self.iterations(contender, work)
