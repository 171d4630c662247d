# SPDX-License-Identifier: GPL-2.0
"""kbench - one run of the kernel consumer (kbench/), and its results."""
import json
import subprocess
from pathlib import Path

from programs import Failed, last_line

RESULTS = Path("/sys/kernel/debug/srnic_kbench/results")
MODULE = "srnic_kbench"


def kbench(verb, size, **options):
    """Return figures in the bench's units: MiB/s and messages, or µs of half a round trip."""
    words = [f"{name}={value}" for name, value in {"verb": verb, "size": size, **options}.items()]
    ran = subprocess.run(["modprobe", MODULE, *words], text=True, capture_output=True, check=False)
    if ran.returncode:
        raise Failed(f"kbench {verb} of {size} bytes: {last_line(ran.stderr)}")
    try:
        return figures(json.loads(RESULTS.read_text()))
    finally:
        subprocess.run(["rmmod", MODULE], check=True)


def figures(said):
    if "median_ns" in said:
        return {key: said[f"{key}_ns"] / 1000 for key in ("min", "median", "p99")}
    seconds = said["ns"] / 1e9
    return {"MiBps": said["messages"] * said["size"] / seconds / (1 << 20),
            "kmps": said["messages"] / seconds / 1000}
