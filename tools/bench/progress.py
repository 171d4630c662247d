# SPDX-License-Identifier: GPL-2.0
"""progress - a line for every step: steps done, time taken, time left."""
import time


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Progress:
    def __init__(self, total, now=time.monotonic):
        self.total = total
        self.done = 0
        self.now = now
        self.begin = now()

    def line(self, what):
        """Return the line for a step that begins."""
        elapsed = self.now() - self.begin
        left = "?"
        if self.done:
            left = clock(elapsed / self.done * (self.total - self.done))
        return f"[{self.done}/{self.total}] {clock(elapsed)}, {left} left: {what}"

    def step(self, what):
        print(self.line(what), flush=True)
        self.done += 1
