# SPDX-License-Identifier: GPL-2.0
"""floor - what the kernel's own primitives take here, measured by a module (floor/)."""
import json
from pathlib import Path

from bed import sh

RESULTS = Path("/sys/kernel/debug/srnic_floor/results")


def measure_floor(ms):
    """The module's results: ns a call, the CRC chosen, the crypto drivers."""
    sh("modprobe", "srnic_floor", f"ms={ms}")
    try:
        return json.loads(RESULTS.read_text())
    finally:
        sh("rmmod", "srnic_floor")
