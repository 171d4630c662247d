# SPDX-License-Identifier: GPL-2.0
"""floor - costs of the kernel's primitives on this machine, measured by a module (floor/)."""
import json
from pathlib import Path

from bed import sh
from places import PLACES

RESULTS = Path("/sys/kernel/debug/srnic_floor/results")


# Packets sent one by one, or several as a super-packet that the stack or the driver
# segments; the faster one counts
SEGMENTS = (1, 12)
WIRE_MS = 400
MIB = 1 << 20


def results(*parameters):
    sh("modprobe", "srnic_floor", *parameters)
    try:
        return json.loads(RESULTS.read_text())
    finally:
        sh("rmmod", "srnic_floor")


def measure_floor(ms):
    """Return the module's results: ns a call, the chosen CRC, the crypto drivers."""
    return results(f"ms={ms}")


def path_mtu(mtu):
    """Return the payload of a packet: the largest IBA MTU that fits with headers."""
    return max(size for size in (256, 512, 1024, 2048, 4096) if size + 60 <= mtu)


def wire_floor(work):
    """Return the throughput of the module across the wire."""
    size = path_mtu(PLACES[work.place].mtu)
    ran = [results("ms=2", f"wire_ms={WIRE_MS}", f"wire_len={size}", f"wire_segs={segs}")
           for segs in SEGMENTS]
    return {"MiBps": max(each["bytes"] / each["ns"] * 1e9 / MIB for each in ran), "runs": ran}
