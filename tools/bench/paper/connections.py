# SPDX-License-Identifier: GPL-2.0
"""connections - the kernel's memory for idle connections, by protection (sRDMA, table 3)."""
import subprocess
import sys
from pathlib import Path

from meminfo import kernel_bytes, ring_bytes
from tables import DASH, number, table
from transfers import EVERY_WAY, KEYS, UNCACHED, UNCACHED_BOTH, can_be_uncached, label

COUNTS = (50, 250)      # connections; each has a queue pair at both ends
# Bytes of N connections in the paper: keys, nonces. Each packet has 16 bytes of header.
PAPER = {
    "basic": ("16 N", "10 N"), "pd-prot": ("16", "10 N"), "ext-mem": ("16 N + 16", "10 N"),
    "pd-prot+ext-mem": ("16 + 16", "10 N"),
}
HEADERS = {"header:aes-cmac-128": 16, "packet:aes-cmac-128": 16, "aead:aes-gcm-128": 20}


def memory_of(program):
    """Return the kernel's memory while the program is ready, without rings."""
    before = kernel_bytes()
    with program() as started:
        if started.stdout.readline().strip() != "ready":
            _, said = started.communicate()
            sys.exit(f"connections: {' '.join(map(str, started.args))} failed: {said.strip()}")
        taken = kernel_bytes() - before - ring_bytes(started.pid)
        started.communicate()       # ends its input
    return taken


def starter(binary, library, args):
    """Return a function that starts the program `many`."""
    def start():
        return subprocess.Popen([Path(binary), *map(str, args)], text=True, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={"LD_LIBRARY_PATH": str(library)})
    return start


def ways_of(seal):
    return (*KEYS, UNCACHED, UNCACHED_BOTH) if can_be_uncached(seal) else KEYS


def measure(memory):
    """Measure everything; memory(way, seal, count) returns bytes."""
    found = {}
    memory("none", None, COUNTS[-1])    # slabs that the first queue pairs allocate
    for way, seal in (("none", None), *((way, seal) for seal in EVERY_WAY for way in ways_of(seal))):
        print(f"memory, {label(way, seal)}", flush=True)
        found[label(way, seal)] = {count: memory(way, seal, count)
                                   for count in COUNTS}
    return found


def bytes_a_qp(totals):
    """Return what one more queue pair takes."""
    few, many = (totals[count] for count in COUNTS)
    return (many - few) / (COUNTS[1] - COUNTS[0]) / 2


def memory_table(found):
    clear = bytes_a_qp(found["none"])
    rows = [["none", DASH, number(clear), "0", DASH, DASH, "0", "0"]]
    for seal in EVERY_WAY:
        for way in ways_of(seal):
            mine = bytes_a_qp(found[label(way, seal)])
            keys, nonces = PAPER.get(way.removesuffix(", uncached"))
            kept = not way.endswith("uncached") and "pd-prot" in way
            rows.append([seal.replace(":", " "), way, number(mine), number(mine - clear),
                         "– (a cache)" if kept else keys, nonces, str(HEADERS[seal]), "16"])
    return table(["seal", "keys", "a QP, bytes", "of them the seal's", "the paper: keys", "nonces",
                  "a packet's header", "the paper"], rows)


def markdown(record):
    """Return the section, as lines."""
    return [
        "## Memory of connections (table 3)", "",
        "Of the kernel's memory, without rings: what one more queue pair takes, from "
        f"{COUNTS[0]} and {COUNTS[1]} idle connections in one domain at each end, with queues of 16 entries. The paper counts the bytes of "
        "keys and nonces that its NIC must hold for N connections; here a kernel's structures are counted, in "
        "which a key is an allocated cipher (its schedule, and the transform around it), and where replay "
        "windows, counters of emissions and of failed tags of both flows lie beside it. uncached rows hold "
        "one 32-byte key a flow instead of ciphers for two epochs and two directions. pd-prot alone does not "
        "take less than basic: the domain's key is held once, but each connection keeps what it has derived, "
        "as the paper would with a cache. Memory keys add the grants of the requester; the region's own are "
        "held once.", "",
        *memory_table(record["memory"]), ""]
