# SPDX-License-Identifier: GPL-2.0
"""RFC 5042, row by row: run the tests that Documentation/security/rfc5042.md names for each
requirement, and print their results."""

import re
from collections import Counter

from .statement import Statement, bare

STATEMENT = Statement("Documentation/security/rfc5042.md", "RFC 5042", "R",
                      ("host/kunit-host", "host/kunit-proofs", "host/userspace-provider"))
# The same attacks on rxe, a soak test. Its log has a line for each, with the requirement that
# the attack violates.
ON_RXE = "rxe_attacks"
ATTACK = re.compile(r"^(ok  |FAIL) (R\d+): ")


def matcher():
    """Return a function that tells whether the statement has any of the given names."""
    return STATEMENT.matcher({ON_RXE})


def on_rxe(report):
    """Return, by requirement, how many attacks rxe was tried with and how many succeeded."""
    tried, failed = Counter(), Counter()
    for result in report.results:
        if bare(result.name) != ON_RXE or not result.log:
            continue
        for line in result.log.read_text(errors="replace").splitlines():
            attack = ATTACK.match(line)
            if attack:
                tried[attack[2]] += 1
                failed[attack[2]] += attack[1] == "FAIL"
    return {row: f"FAIL {failed[row]}/{tried[row]}" if failed[row] else f"pass {tried[row]}"
            for row in tried}


def show(report):
    """Print the table."""
    STATEMENT.show(report, on_rxe(report))
