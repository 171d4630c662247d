# SPDX-License-Identifier: GPL-2.0
"""meminfo - the memory of the kernel, and of its devices' rings in a process."""
import re
import resource
import time
from pathlib import Path


def free_bytes(meminfo):
    """Return free memory, including the per-CPU lists of free pages."""
    lists = re.findall(r"cpu: \d+\s+count: (\d+)", Path("/proc/zoneinfo").read_text())
    return meminfo["MemFree"] + sum(map(int, lists)) * resource.getpagesize()


def kernel_bytes():
    """Return the kernel's own memory, without reclaimable caches."""
    Path("/proc/sys/vm/drop_caches").write_text("3\n")
    time.sleep(1)
    meminfo = {name: int(kib) * 1024 for name, kib in
               re.findall(r"^(\w+):\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.M)}
    user = sum(meminfo[name] for name in ("AnonPages", "Cached", "Buffers", "PageTables"))
    return meminfo["MemTotal"] - free_bytes(meminfo) - user


def ring_bytes(process="self"):
    """Return the bytes of RDMA devices that a process, by its number, has mapped."""
    total = 0
    for line in Path(f"/proc/{process}/maps").read_text().splitlines():
        if "/dev/infiniband/uverbs" in line:
            first, last = line.split()[0].split("-")
            total += int(last, 16) - int(first, 16)
    return total
