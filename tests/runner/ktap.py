# SPDX-License-Identifier: GPL-2.0
"""Read test results written as TAP or the kernel's KTAP."""

import re

from .report import FAILED, PASSED, SKIPPED

LINE = re.compile(r"^(?P<indent> *)(?P<verdict>ok|not ok)(?: +\d+)?(?: +-)? *"
                  r"(?P<name>.*?)(?: *# *(?P<directive>SKIP|TODO)\b *(?P<why>.*))?$")
SUBTEST = re.compile(r"^ *# Subtest: *(?P<name>\S+)")
BROKEN = re.compile(r"^ *# \w+: (?:EXPECTATION|ASSERTION) FAILED at (?P<place>\S+)")


def verdict(match):
    if match["directive"] == "SKIP":
        return SKIPPED
    return PASSED if match["verdict"] == "ok" else FAILED


def cases(text, depth):
    """Yield (suite, case, outcome, reason) for the lines indented by depth levels of four
    spaces: 0 for plain TAP, 1 for the cases of KUnit suites. Deeper lines are the
    parameters of one case. The reason of a failure is the first expectation that was not met."""
    suite = ""
    broken = []
    for line in text.splitlines():
        at = BROKEN.match(line)
        if broken or at:
            broken.append(f"{at['place']}:" if at else line.strip())
        subtest = SUBTEST.match(line)
        if subtest and line.startswith("    #") and depth:
            suite = subtest["name"]
        match = LINE.match(line)
        if match and len(match["indent"]) == 4 * depth:
            yield suite, match["name"], verdict(match), match["why"] or " ".join(broken[:3])
            broken = []
