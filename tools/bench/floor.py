# SPDX-License-Identifier: GPL-2.0
"""floor - costs of the kernel's primitives on this machine, measured by a module (floor/)."""
import json
from contextlib import contextmanager
from pathlib import Path

from bed import sh
from places import PLACES
from programs import far

MODULE = "srnic_floor"
RESULTS = Path("/sys/kernel/debug/srnic_floor/results")

# Packets sent one by one, or several as a super-packet that the stack or the driver
# segments; the faster one counts
SEGMENTS = (1, 12)
# Packets on their way at most; the faster one counts. QEMU's hub drops what an end has no
# buffer for, so a wire within a VM takes few. The socket between two VMs drops nothing, and
# an answer across it takes milliseconds.
WINDOW, PAIR_WINDOWS = 64, (64, 256)
WIRE_MS = 400
MIB = 1 << 20


def results(*parameters):
    sh("modprobe", MODULE, *parameters)
    try:
        return json.loads(RESULTS.read_text())
    finally:
        sh("rmmod", MODULE)


def measure_floor(ms):
    """Return the module's results: ns a call, the chosen CRC, the crypto drivers."""
    return results(f"ms={ms}")


def path_mtu(mtu):
    """Return the payload of a packet: the largest IBA MTU that fits with headers."""
    return max(size for size in (256, 512, 1024, 2048, 4096) if size + 60 <= mtu)


@contextmanager
def receiver(*parameters):
    """Load the module at the far end, which is in another kernel, to receive for the block."""
    sh(*far(["modprobe", MODULE, "wire_ends=2", *parameters]))
    try:
        yield
    finally:
        sh(*far(["rmmod", MODULE]))


def across(pair, *parameters):
    if not pair:
        return results(*parameters)
    with receiver(*parameters):
        return results("wire_ends=1", *parameters)


def wire_floor(work):
    """Return the throughput of the module across the wire."""
    place = PLACES[work.place]
    size = path_mtu(place.mtu)
    ran = [across(place.pair, "ms=2", f"wire_ms={WIRE_MS}", f"wire_len={size}", f"wire_segs={segs}",
                  f"wire_window={window}")
           for segs in SEGMENTS for window in (PAIR_WINDOWS if place.pair else (WINDOW,))]
    return {"MiBps": max(each["bytes"] / each["ns"] * 1e9 / MIB for each in ran), "runs": ran}
