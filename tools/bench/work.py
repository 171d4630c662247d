# SPDX-License-Identifier: GPL-2.0
"""work - a table of everything that the bench measures.

Each work has a name and belongs to a group; `make bench B=` takes both. Works of the group
"headline" are repeated as often as --reps says, the others less often.
"""
from dataclasses import dataclass

from contenders import ALL, CLEAR, MAIN, ROCE, VERBS
from places import NIC_PAIRS, NICS

KIB, MIB = 1 << 10, 1 << 20

GROUPS = {
    "headline": "Headline",
    "sizes": "Bandwidth by size",
    "latency": "Latency by size",
    "qps": "Queue pairs: 64 KiB writes on so many at once",
    "ud": "Datagrams",
    "atomic": "Atomics: fetch and add",
    "srq": "Shared receive queue: 64 B messages",
    "cores": "One core and two: 4 queue pairs, 64 KiB writes; one queue pair, 2 KiB writes",
    "loss": "Loss: 64 KiB writes, every packet cut to the MTU before it may be lost",
    "neighbours": "Beside somebody else: 64 KiB writes and a flood of what is refused, 64 B round trips "
                  "and READs",
    "setup": "Connections set up, one process, rdma_cm",
    "memory": "Kernel memory, rings and registered pages aside",
    "nics": "NICs: 64 KiB messages, 64 B latency, 1 KiB datagrams",
    "nic-pair": "NICs of two VMs: 64 KiB messages, 64 B latency, 1 KiB datagrams",
    "bottleneck": "A bottleneck of 400 Mbit/s with a queue of 300 KiB, or of 30 packets: 64 KiB writes",
    "delay": "Loss and delay: 64 KiB writes, every packet cut to the MTU before it may be lost",
    "floor": "The floor",       # measured by a module, between the others (floor.py)
}

# Not part of the whole: `make bench B=nic`, and B=nic-pair in a boot of its own
NIC_GROUPS = ("nics", "nic-pair", "bottleneck", "delay")

# Consumers wait for events where perftest can, as iperf3 does: a polling one takes a core
# from QEMU's thread for the NIC, and one at each end delays the softirqs of both cores
SLEEPS = {"send": ("-e",), "read": ("-e",)}

# Groups that are repeated as often as --reps says
OFTEN = ("headline", *NIC_GROUPS)


@dataclass(frozen=True)
class Work:
    """One thing to measure.

    kind     bandwidth, rate, latency (perftest, iperf3 or qperf), connect, garbage, neighbour,
             qp_memory, mr_memory. For a number of seconds instead of iterations, with losses:
             shared (connections, each in a process of its own), beside (one connection and one
             of TCP), datagrams. flow: bandwidth with losses
    verb     write, send, read, atomic; "" where there is none
    place    where (places.py)
    loss     percent, and delay in ms, one way, in both directions: at the place "lossy"
    longer   factor on the length of a run: a retransmission time-out is a quarter of such a run
    least    iterations that the tool needs for a result
    most     iterations after which the result does not improve
    """
    name: str
    group: str
    kind: str
    verb: str = ""
    size: int = 0
    who: tuple = MAIN
    options: tuple = ()
    qps: int = 1
    loss: float = 0
    delay: float = 0
    place: str = "plain"
    reps: int = 2
    longer: float = 1
    least: int = 5
    most: int = 20000
    swept: bool = False     # a point of the curve over sizes

    @property
    def tool(self):
        ending = "lat" if self.kind == "latency" else "bw"
        return f"ib_{self.verb}_{ending}"


# Reported figures of each kind: keys and units
FIGURES = {
    "bandwidth": (("MiBps", "MiB/s"),),
    "rate": (("kmps", "1000 messages/s"),),
    "latency": (("median", "µs, median"), ("p99", "µs, p99")),
    "flow": (("MiBps", "MiB/s"), ("again", "% sent again"), ("dropped", "packets dropped by qdisc and driver")),
    "shared": (("MiBps", "MiB/s"), ("jain", "Jain index"), ("again", "% sent again")),
    "beside": (("MiBps", "MiB/s"), ("tcp", "MiB/s of the TCP flow"), ("least", "the lesser's share"),
               ("again", "% sent again")),
    "datagrams": (("MiBps", "MiB/s sent"), ("arrived", "MiB/s received"),
                  ("held", "packets dropped before the wire")),
    "connect": (("per_second", "connections/s"),),
    "garbage": (("left", "part that is left"), ("kpps", "1000 refused/s")),
    "neighbour": (("quiet", "µs beside nothing"), ("reads", "µs beside READs"), ("times", "times")),
    "qp_memory": (("bytes", "bytes a QP"),),
    "mr_memory": (("bytes", "bytes an MR"),),
}


def name_of(size):
    if size >= MIB:
        return f"{size // MIB}m"
    return f"{size // KIB}k" if size >= KIB else str(size)


def bandwidth(verb, size, group, **more):
    return Work(f"{verb}_{name_of(size)}", group, "bandwidth", verb, size, swept=True, **more)


def latency(verb, size, group, **more):
    name = f"{verb}_lat" if size == 64 else f"{verb}_lat_{name_of(size)}"
    return Work(name, group, "latency", verb, size, least=100, swept=True, **more)


def headline():
    esp = (*MAIN, "rxe-esp")
    # TCP has no verbs: measure it once
    for verb, everybody, most in (("write", ALL, (*esp, "tcp", "tcp-esp")), ("send", esp, MAIN),
                                  ("read", esp, MAIN)):
        yield bandwidth(verb, 64 * KIB, "headline", who=everybody)
        yield bandwidth(verb, MIB, "headline", who=most)
    # one 4 KiB packet a message, to compute the time a packet
    yield bandwidth("write", 4 * KIB, "headline", who=VERBS)
    yield latency("write", 64, "headline", who=VERBS)
    yield latency("send", 64, "headline", who=esp)
    yield Work("send_rate", "headline", "rate", "send", 64)
    yield Work("send_rate_list", "headline", "rate", "send", 64, VERBS, ("-l", "32"), least=64)


def sizes():
    yield bandwidth("write", 2, "sizes", who=VERBS)
    yield bandwidth("write", 64, "sizes", who=ALL)
    yield bandwidth("write", 512, "sizes", who=ALL)
    yield bandwidth("write", 8 * MIB, "sizes")
    for verb in ("send", "read"):
        for size in (2, 64, 4 * KIB):
            yield bandwidth(verb, size, "sizes")
        yield bandwidth(verb, 8 * MIB, "sizes", who=CLEAR)


def latencies():
    # no overlap: the latency of a message and its acknowledgment, one after the other
    yield Work("write_each", "latency", "rate", "write", 64, VERBS, ("-t", "1"), least=64)
    for size in (2, 4 * KIB, 64 * KIB):
        yield latency("write", size, "latency", who=VERBS)
        yield latency("send", size, "latency")


def queue_pairs():
    for qps in (1, 2, 4, 16, 64, 1024):
        # connecting a thousand takes half a minute, and perftest cannot do it by rdma_cm
        many = {"who": ("rxe", "srnic"), "reps": 1} if qps == 1024 else {}
        yield Work(f"qps_{qps}", "qps", "bandwidth", "write", 64 * KIB, qps=qps, **many)


def others():
    # No more messages than posted receives: datagrams without one are lost
    ud = {"who": ("rxe", "srnic"), "options": ("-c", "UD", "-r", "4000"), "most": 4000}
    yield Work("ud_rate", "ud", "rate", "send", 64, **ud)
    yield Work("ud_4k", "ud", "bandwidth", "send", 4 * KIB, **ud)
    yield Work("ud_lat", "ud", "latency", "send", 64, ("rxe", "srnic"), ("-c", "UD"), least=100)
    yield Work("atomic_rate", "atomic", "rate", "atomic", 8, ROCE)
    yield Work("atomic_lat", "atomic", "latency", "atomic", 8, ROCE, least=100)
    yield Work("send_srq", "srq", "rate", "send", 64, ROCE, ("--use-srq",))
    for cores in ("one-core", "two-cores"):
        yield Work(cores, "cores", "bandwidth", "write", 64 * KIB, qps=4, place=cores, reps=5,
                   longer=2)
    # the paper's load (6.4), with and without cached keys
    yield Work("two-cores_2k", "cores", "bandwidth", "write", 2 * KIB,
               ("srnic-header", "srnic-uncached"), ("-t", "96"), place="two-cores", reps=5)
    for loss in (0, 0.1, 1, 5):
        yield Work(f"loss_{loss}", "loss", "bandwidth", "write", 64 * KIB, (*MAIN, "tcp"),
                   loss=loss, place="lossy", longer=3, least=50)
    yield Work("connect", "setup", "connect")
    yield Work("qp_memory", "memory", "qp_memory", who=("rxe", "srnic"), reps=1)
    for size in (64 * KIB, MIB):
        yield Work(f"mr_memory_{name_of(size)}", "memory", "mr_memory", size=size,
                   who=CLEAR, reps=1)


def nics(group, places):
    for place in places:
        everybody = (*CLEAR, "tcp", "floor")
        if place == "virtio-4200":
            everybody = (*MAIN, "tcp", "floor")
        at = {"group": group, "place": place, "least": 50}
        # TCP and the floor have no verbs: measure them once
        for verb, who in (("write", everybody), ("send", CLEAR), ("read", CLEAR)):
            yield Work(f"{place}_{verb}", kind="flow", verb=verb, size=64 * KIB, who=who, longer=3,
                       options=SLEEPS.get(verb, ()), **at)
        yield Work(f"{place}_lat", kind="latency", verb="write", size=64, who=(*CLEAR, "tcp"),
                   **{**at, "least": 200})
        yield Work(f"{place}_ud", kind="datagrams", verb="send", size=KIB, who=("rxe", "srnic"),
                   options=("-c", "UD"), **at)


def bottlenecks():
    at = {"group": "bottleneck", "size": 64 * KIB, "least": 50}
    for place in ("narrow", "narrow-30"):
        for verb, who in (("write", (*CLEAR, "tcp")), ("send", CLEAR), ("read", CLEAR)):
            yield Work(f"{place}_{verb}", kind="flow", verb=verb, who=who, place=place, longer=3,
                       options=SLEEPS.get(verb, ()), **at)
    yield Work("narrow_four", kind="shared", verb="write", who=(*CLEAR, "tcp"), qps=4, place="narrow", **at)
    yield Work("narrow_beside", kind="beside", verb="write", who=CLEAR, place="narrow", **at)


def delays():
    for delay in (1, 10):
        for loss in (0.1, 1):
            yield Work(f"delay_{delay}_loss_{loss}", "delay", "flow", "write", 64 * KIB, (*CLEAR, "tcp"),
                       loss=loss, delay=delay, place="lossy", longer=5, least=50)


def neighbours():
    """Return floods by kind (tools/redteam/garbage.c), on both processors and on one, where
    dropped packets compete with the stream. The first kind goes to a port without a
    listener."""
    for place, name in (("plain", "garbage"), ("one-core", "garbage_one-core")):
        for kind in ("closed-1k", "malformed", "qp", "icrc", "old"):
            yield Work(f"{name}_{kind}", "neighbours", "garbage", size=64 * KIB, who=("rxe", "srnic"),
                       options=(kind,), place=place, reps=5)
        for kind in ("closed-1k", "icrc", "seal"):
            yield Work(f"{name}_sealed_{kind}", "neighbours", "garbage", size=64 * KIB,
                       who=("srnic-packet",), options=(kind,), place=place, reps=5)
    yield Work("beside_reads", "neighbours", "neighbour", size=64, who=("rxe", "srnic"), reps=5)


def rhythms():
    # in no group: scripts/price takes the mean of these
    for size in range(16, 208, 24):
        yield Work(f"send_list_{size}", "", "rate", "send", size, VERBS, ("-l", "32"), least=64)
    # Ends that sleep until there is a completion: on one processor, one that polls takes as long
    # from the other as the scheduler lets it. perftest has none of WRITE
    for verb in ("send", "read"):
        yield Work(f"{verb}_64k_asleep", "", "bandwidth", verb, 64 * KIB, VERBS, ("-e",))


PARTS = (headline(), sizes(), latencies(), queue_pairs(), others(), neighbours(), nics("nics", NICS),
         nics("nic-pair", NIC_PAIRS), bottlenecks(), delays(), rhythms())
WORK = {work.name: work for part in PARTS for work in part}


def select(words):
    """Return the works for these names and groups, in the table's order; raise ValueError
    for an unknown one."""
    unknown = [word for word in words if word not in WORK and word not in GROUPS]
    if unknown:
        raise ValueError(f"no work or group '{unknown[0]}'; groups: {', '.join(GROUPS)}; "
                         f"work: {', '.join(WORK)}")
    return [work for work in WORK.values() if work.name in words or work.group in words]
