# SPDX-License-Identifier: GPL-2.0
"""stores - the throughput of HERD's key-value store by protection (sRDMA 6.6, figure 11)."""
from tables import DASH, number, table
from transfers import KEYS, UNCACHED, UNCACHED_BOTH

LOADS = (0, 50, 100)    # percent of puts
DEEP = "ext-mem, 19 steps"
STEPS = 19              # from 16 MiB to the 32 bytes around a get's request
WAYS = ("none", *KEYS[:2], UNCACHED, *KEYS[2:], UNCACHED_BOTH, DEEP, "packet", "aead")

# Throughput relative to the unprotected one: of gets 475 000, of puts 492 000 a second
PAPER = {
    "basic": "almost 1",
    "pd-prot": "as basic",
    UNCACHED: "0.79",
    "ext-mem": "as pd-prot, uncached",
    "pd-prot+ext-mem": "as ext-mem",
    UNCACHED_BOTH: "plot only",
    DEEP: "drastically less; plot only",
    "packet": "almost 1",
    "aead": "0.927",
}


def measure(run, ops):
    """Measure everything; `run` runs a program of this folder and returns its output."""
    found = {}
    for way in WAYS:
        print(f"store, {way}", flush=True)
        depth = STEPS if way == DEEP else 0
        found[way] = run("herd", "ext-mem" if way == DEEP else way, "--depth", depth,
                         "--puts", ",".join(map(str, LOADS)), "--ops", ops)
    return found


def store_table(found):
    rows = []
    for way, mine in found.items():
        cells = [number(mine["per_second"][str(puts)] / found["none"]["per_second"][str(puts)])
                 for puts in LOADS]
        rows.append([way, *cells, PAPER.get(way, DASH)])
    return table(["way", *(f"{puts} % puts" for puts in LOADS), "the paper"], rows)


def markdown(record):
    """Return the section, as lines."""
    found = record["herd"]
    none = found["none"]["per_second"]
    return [
        "## Key-value store (6.6, figure 11)", "",
        "HERD as in the paper: one worker, 8 clients with a connection each, keys of 16 and values of 32 "
        f"bytes, {number(found['none']['keys'])} keys. A client has 4 requests outstanding, of which the paper says "
        "nothing; it WRITEs them into a region of 16 MiB, 17 bytes for a get and 49 for a put (the paper's "
        "40 hold no such key and value), and the worker answers by SENDs. Against no protection: "
        f"{number(none['0'])} gets and {number(none['100'])} puts a second, one for each "
        f"{number(1e9 / none['0'])} and {number(1e9 / none['100'])} instructions, of the clients, the worker and both "
        "ends' protocol together: they are one process, since on one processor several would count each "
        "other's polling. The paper's are 475 000 and 492 000, from nine processes on two machines. basic: headers "
        "under aes-cmac-128; ext-mem: at depth 0, and with the 19 steps that an unlimited tree has for gets (18 "
        "for puts; the paper counts 21 and 20, with the keys before and behind the steps).", "",
        "Why the ratios are lower than the paper's: a request is one small packet, and so is its answer, so that "
        "the four MACs of each are a large part of the work, all of which one processor does. The paper's NIC has "
        "eight, and its unprotected store up to 17 µs of a processor for each request, beside which a MAC is little. "
        "A get looks up two places of memory and a put one, which under icount cost no more than other "
        "accesses, so that the paper's puts are faster and these are not. The index is lossy, as HERD's: a "
        "bucket has 8 items, and the keys that did not fit, fewer than one in 100, are answered by one byte.", "",
        *store_table(found), ""]
