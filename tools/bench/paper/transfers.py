# SPDX-License-Identifier: GPL-2.0
"""transfers - latency and bandwidth of WRITEs and READs by protection, size and connections.

Follows sections 6.3 to 6.5 of the sRDMA paper, and makes the tables. All results are
multiples of the unprotected cost. Of the paper's results, only those that its text gives
as numbers are here; the others are in its plots only.
"""
from tables import DASH, number, table

SIZES = (32, 128, 512, 2048, 4096)
CONNECTIONS = (1, 2, 4, 8)
READS = (0, 5, 50, 95, 100)     # percent of the mixed load
KEYS = ("basic", "pd-prot", "ext-mem", "pd-prot+ext-mem")
# With a rule by which sub-keys are derived for each packet. The second is the paper's fourth
# mode: both kinds of keys are derived for each packet.
UNCACHED, UNCACHED_BOTH = "pd-prot, uncached", "pd-prot+ext-mem, uncached"
# A queue pair caches K_SR of its last access: requests go to as many places in turn, or to one
ONE_PLACE = "ext-mem, one place"
PLACES = 16
OUTSTANDING = 96    # ends.h
DERIVATIONS = 4     # for a WRITE in the latency test: it and its acknowledgment, at both ends
VERBS = ("write", "read")

# The paper's algorithms, as suites of srnic. srnic has no ChaCha20-Poly1305 that only
# authenticates.
HEADERS = ("header:aes-cmac-128", "header:hmac-sha256", "header:hmac-sha512", "header:aes-gmac-128")
WHOLE = ("packet:aes-cmac-128", "packet:hmac-sha256", "packet:hmac-sha512", "packet:aes-gmac-128",
         "aead:aes-gcm-128", "aead:chacha20-poly1305")
# Seals for which all four kinds of keys are measured
EVERY_WAY = ("header:aes-cmac-128", "packet:aes-cmac-128", "aead:aes-gcm-128")

# Figure 6 and 6.3: 32 bytes, header mode, relative to a WRITE of 9.55 µs. Of READs the text
# gives only the base, 18.2 µs; their results and those of the other ways are in a plot.
PAPER_LATENCY = {("basic", "write"): "1.09, every algorithm"}
# Figure 8 and 6.4: eight threads, 2 KiB WRITEs with keys of the connection, relative to the
# line rate of 20.5 Gbit/s. Header mode reaches it with all four kinds of keys.
PAPER_BANDWIDTH = {
    "packet:aes-cmac-128": "0.956", "packet:hmac-sha256": "1", "packet:hmac-sha512": "0.634",
    "aead:aes-gcm-128": "0.927",
}
# The paper does not use GMAC
OURS_ONLY = "gmac"


def cases(seals, ways):
    """Return the measured (way, seal) pairs; the first is unprotected."""
    yield "none", None
    for seal in seals:
        for way in ways(seal):
            yield way, seal


def can_be_uncached(seal):
    """The kernel's gcm(aes) can be keyed only in a context that may sleep."""
    return "gmac" not in seal and "gcm" not in seal


def uncached_too(keys, seal):
    if not can_be_uncached(seal):
        return keys
    return (*keys, UNCACHED, *([UNCACHED_BOTH] if KEYS[-1] in keys else []))


def keys_of(seal):
    return uncached_too(KEYS if seal in EVERY_WAY else KEYS[:1], seal)


def latency_keys_of(seal):
    """Return the ways for a seal: figure 6 has all algorithms in all ways."""
    return uncached_too((*KEYS, ONE_PLACE), seal) if seal in HEADERS else keys_of(seal)


def mixed_keys_of(seal):
    return keys_of(seal) if seal == EVERY_WAY[0] else KEYS[:1]


def label(way, seal):
    return f"{way} {seal}" if seal else way


def measured(run, program, way, seal, *args):
    print(f"{program}, {label(way, seal)} {' '.join(map(str, args))}", flush=True)
    return run(program, way, *args, seal=seal)


def listed(values):
    return ",".join(map(str, values))


def measure(run):
    """Measure everything; `run` runs a program of this folder and returns its output."""
    latency, bandwidth, mixed = {}, {}, {}
    for way, seal in cases((*HEADERS, *WHOLE), latency_keys_of):
        places = 1 if way == ONE_PLACE else PLACES
        latency[label(way, seal)] = {
            verb: measured(run, "latency", way, seal, "--sizes", listed(SIZES), "--places", places,
                           *(["--reads"] if verb == "read" else []))
            for verb in VERBS}
    for way, seal in cases((*HEADERS, *WHOLE), keys_of):
        bandwidth[label(way, seal)] = measured(
            run, "bandwidth", way, seal, "--reads", "0,100", "--connections", listed(CONNECTIONS))
    for way, seal in cases(EVERY_WAY, mixed_keys_of):
        mixed[label(way, seal)] = measured(
            run, "bandwidth", way, seal, "--reads", listed(READS), "--connections", CONNECTIONS[-1])
    return {"latency": latency, "bandwidth": bandwidth, "mixed": mixed}


def paper_latency(way, seal, verb):
    if OURS_ONLY in seal:
        return DASH
    return PAPER_LATENCY.get((way, verb), "plot only")


def paper_bandwidth(way, seal, verb):
    if OURS_ONLY in seal:
        return DASH
    if verb == "write" and seal in HEADERS:
        return "1"
    if verb == "write" and way == "basic":
        return PAPER_BANDWIDTH.get(seal, "plot only")
    return "plot only"


def small_table(found):
    """Return the table of figure 6."""
    size = str(SIZES[0])
    base = {verb: found["none"][verb][size] for verb in VERBS}
    rows = []
    for seal in HEADERS:
        for way in latency_keys_of(seal):
            mine = found[label(way, seal)]
            rows.append([seal.partition(":")[2], way,
                         number(mine["write"][size] / base["write"]),
                         paper_latency(way, seal, "write"),
                         number(mine["read"][size] / base["read"]),
                         paper_latency(way, seal, "read")])
    return table(["suite", "keys", "WRITE", "the paper", "READ", "the paper"], rows)


def size_table(found, verb):
    """Return the table of figure 7."""
    rows = []
    for seal in (HEADERS[0], *WHOLE):
        for way in latency_keys_of(seal):
            mine = found[label(way, seal)][verb]
            rows.append([seal.replace(":", " "), way,
                         *(number(mine[str(size)] / found["none"][verb][str(size)])
                           for size in SIZES)])
    return table(["seal", "keys", *(f"{size} B" for size in SIZES)], rows)


def bandwidth_table(found, verb):
    """Return the table of figures 8 and 9."""
    reads = "100" if verb == "read" else "0"
    rows = []
    for seal in (*HEADERS, *WHOLE):
        for way in keys_of(seal):
            mine = found[label(way, seal)]
            cells = [number(found["none"][str(n)][reads] / mine[str(n)][reads])
                     for n in CONNECTIONS]
            rows.append([seal.replace(":", " "), way, *cells, paper_bandwidth(way, seal, verb)])
    return table(["seal", "keys", *(f"{n} QP{'s' if n > 1 else ''}" for n in CONNECTIONS), "the paper, 8 threads"], rows)


def mixed_table(found):
    """Return the table of figure 10."""
    at = str(CONNECTIONS[-1])
    rows = [[name.replace(":", " "),
             *(number(found["none"][at]["0"] / mine[at][str(reads)]) for reads in READS)]
            for name, mine in found.items()]
    return table(["protection", *(f"{reads} % READs" for reads in READS)], rows)


def derive_table(latency, bandwidth):
    """Return the table of the cost of not caching sub-keys (4.5)."""
    size, rows = str(SIZES[0]), []
    for seal in (*HEADERS, *WHOLE):
        if not can_be_uncached(seal):
            continue
        kept, derived = (latency[label(way, seal)]["write"][size] for way in ("basic", UNCACHED))
        cells = [number(bandwidth[label("basic", seal)][str(n)]["0"] /
                        bandwidth[label(UNCACHED, seal)][str(n)]["0"]) for n in CONNECTIONS]
        rows.append([seal.replace(":", " "), number((derived - kept) / DERIVATIONS), *cells])
    return table(["seal", "a derivation, instructions",
                  *(f"{n} QP{'s' if n > 1 else ''}" for n in CONNECTIONS)], rows)


def four_macs(record):
    """Return the time that header mode adds to an answered WRITE, relative to the kernel's
    MACs of the same inputs."""
    size, ns = str(SIZES[0]), record["floor"]["ns"]
    added = record["latency"][label("basic", HEADERS[0])]["write"][size] - \
        record["latency"]["none"]["write"][size]
    return added, added / (2 * (ns["cmac_70"] + ns["cmac_58"]))


def derived(record):
    """Return the section on 4.5, as lines."""
    latency, size, seal = record["latency"], str(SIZES[0]), HEADERS[0]
    kept, fresh = (latency[label(way, seal)]["write"][size] for way in ("basic", UNCACHED))
    each, raw = (fresh - kept) / DERIVATIONS, record["floor"]["ns"]["derive_36"]
    return [
        "## Sub-keys derived when a packet comes (4.5)", "",
        "A rule may say that connections keep no sub-keys (`uncached`, srnic(7)): all of a suite share two "
        "ciphers a processor, to seal and to open, which are keyed when another sub-key is wanted than the "
        "last. Here both ends have one processor, so each packet finds another's keys: "
        f"{DERIVATIONS // 2} derivations, as the paper has it (6.2). One of "
        f"aes-cmac-128 takes {number(each)} instructions, ×{number(each / raw)} of what the kernel's own "
        f"primitives take for it ({number(raw)}: to key HMAC-SHA-256, one digest, to key CMAC). "
        "What this saves in memory: table 3, below. Bandwidth of 2 KiB WRITEs against the same seal with keys that are kept; the "
        "paper's NIC derives for every packet, and loses 2 of 20.5 Gbit/s on average, ×0.90:", "",
        *derive_table(latency, record["bandwidth"]), ""]


def markdown(record):
    """Return all sections, as lines."""
    latency, bandwidth = record["latency"], record["bandwidth"]
    none = latency["none"]
    packet = latency[label("basic", "packet:aes-cmac-128")]["write"]["2048"]
    header = latency[label("basic", "header:aes-cmac-128")]["write"]["2048"]
    one = bandwidth["none"]["1"]
    return [
        "## Latency of headers' seals, 32 bytes (6.3, figure 6)", "",
        "A WRITE that is answered when it has arrived, half of there and back; a READ, there and back. "
        f"Against no protection: {number(none['write']['32'])} and {number(none['read']['32'])} "
        "instructions, the paper's NIC 9.55 and 18.2 µs. pd-prot derives a connection's keys when it is "
        "made, as the paper would with a cache; uncached, when a packet comes, as its NIC does. ext-mem "
        f"derives K_SR for each request, at both ends, as the paper's NIC does: requests go to {PLACES} places "
        "in turn, and a queue pair caches the key of its last access only. To one place, the key is derived "
        "once. The paper's fourth mode, which derives both kinds of keys for each packet, is "
        f"'{UNCACHED_BOTH}'. K_SR is derived from a key that is kept with the region, in one step, where the "
        "paper's NIC begins at the domain's key; sub-keys from the flow's key, not from the domain's, because "
        "it holds the handshake's nonces (protocol.md, section 14). Of its "
        "own ratios for pd-prot and ext-mem the paper has a plot only. A round of AES is an instruction here, and SHA-2 is made of "
        "ordinary ones, some 3000 a block: what hashes cost is this machine's, not a processor's that "
        "has instructions for them.", "",
        *small_table(latency), "",
        "A WRITE that is answered has four MACs, its own and its acknowledgment's, at either end. "
        "aes-cmac-128 adds {} instructions to it, ×{} of what the kernel's cmac(aes) takes for the same "
        "four inputs, of 70 and 58 bytes.".format(*map(number, four_macs(record))), "",
        *derived(record),
        "## Latency by size (6.3, figure 7)", "",
        "Against no protection at that size. The paper has a plot, and says of a WRITE of 2 KiB: 12 µs "
        f"with its header sealed, 15 µs with its payload, ×1.25; here ×{number(packet / header)} "
        "(aes-cmac-128). WRITEs:", "",
        *size_table(latency, "write"), "", "READs:", "",
        *size_table(latency, "read"), "",
        "## Bandwidth (6.4, figures 8 and 9)", "",
        "2 KiB, 96 outstanding a connection, against no protection with as many connections; more is "
        f"better. Without protection a WRITE costs {number(one['0'])} instructions, a READ "
        f"{number(one['100'])}: READs are at ×{number(one['0'] / one['100'])} of WRITEs, the paper's "
        "at ×0.84. The paper's threads have a processor each, and 8 reach the wire's 20.5 Gbit/s "
        "where 1 has 8, so that its ratios are of a wire that is full; here one processor does "
        f"everything, and a ratio is one of work. Requests go to {OUTSTANDING} places in turn: ext-mem derives "
        "K_SR for each. By the clock: `make bench B=headline,cores`. WRITEs:", "",
        *bandwidth_table(bandwidth, "write"), "", "READs:", "",
        *bandwidth_table(bandwidth, "read"), "",
        "## Mixed load (6.5, figure 10)", "",
        "8 connections, against WRITEs alone without protection. The paper has a plot, and says that 5 % "
        "of READs are better than none, since its wire has two directions, and that more are worse.", "",
        *mixed_table(record["mixed"]), ""]
