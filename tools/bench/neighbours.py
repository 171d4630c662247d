# SPDX-License-Identifier: GPL-2.0
"""neighbours - throughput that a connection keeps beside other load.

Uses programs of tests/programs. Each ratio is from one run: alone and beside, in turns.
"""
import subprocess
from pathlib import Path

from contenders import HERE, PEER
from programs import Failed, last_line

LIMIT = 120         # seconds after which a run has failed
TURNS = 3           # in a run
READS, QUIET = "READs", "nothing"


def said(*cmd):
    """Run a program and return its output. Do not remove its sleeps: they leave the
    processor to others."""
    try:
        ran = subprocess.run(cmd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        raise Failed(f"{cmd[0]}: no result in {LIMIT} s") from None
    if ran.returncode:
        raise Failed(f"{cmd[0]} failed: {last_line(ran.stdout)}")
    return ran.stdout


def beside_garbage(contender, work):
    """Return the fraction of a stream's throughput that remains beside a flood of bad
    packets."""
    mac = Path("/sys/class/net/v1/address").read_text().strip()
    flood = f"exec srnic-garbage $KIND v0 {mac} {HERE} {PEER} $QPN"
    return parse_throughput(said("srnic-throughput", *contender.devices, str(TURNS), flood,
                                 *work.options))


def beside_reads(contender):
    """Return the ratio of round trips beside another connection's READs to those alone."""
    return parse_neighbour(said("srnic-neighbour", *contender.devices, str(TURNS)))


def parse_throughput(out):
    cells = last_line(out).split()
    try:
        return {"left": float(cells[3].rstrip("%")) / 100, "kpps": float(cells[4]) / 1000}
    except (IndexError, ValueError):
        raise Failed(f"srnic-throughput: no figures in: {last_line(out)}") from None


def parse_neighbour(out):
    rows = {}
    for line in out.splitlines()[1:]:
        *name, trip, _, speed = line.split()
        rows[" ".join(name)] = float(trip), float(speed)
    if not rows.get(READS, (0, 0))[1]:
        raise Failed(f"srnic-neighbour: no READs: {last_line(out)}")
    return {"quiet": rows[QUIET][0], "reads": rows[READS][0], "times": rows[READS][0] / rows[QUIET][0]}
