# SPDX-License-Identifier: GPL-2.0
"""losses - packets lost and retransmitted in a run, by counters of devices, netdevs and
qdiscs at both ends."""
import json
import re
from contextlib import contextmanager
from pathlib import Path

from bed import sh
from programs import call_far


def hw_counter(dev, name):
    """Return a counter of an RDMA device, or None if it does not exist."""
    try:
        return int(Path(f"/sys/class/infiniband/{dev}/ports/1/hw_counters/{name}").read_text())
    except OSError:
        return None


def qdisc_drops(said):
    """Return the drops of the root qdisc, which include those of inner ones; `said` is from
    tc -s -j."""
    return sum(qdisc.get("drops", 0) for qdisc in json.loads(said or "[]") if qdisc.get("root"))


def netdev_drops(netdev, *names):
    folder = Path(f"/sys/class/net/{netdev}/statistics")
    return sum(int((folder / name).read_text()) for name in names)


def queued_out(netdev):
    """Return the packets that the qdisc or the driver dropped."""
    return qdisc_drops(sh("tc", "-s", "-j", "qdisc", "show", "dev", netdev)) + \
        netdev_drops(netdev, "tx_dropped")


def tcp_segments():
    """Return (sent, retransmitted) segments of TCP so far."""
    names, values = (row.split() for row in re.findall(r"^Tcp:.*", Path("/proc/net/snmp").read_text(), re.M))
    row = dict(zip(names[1:], map(int, values[1:])))
    return row["OutSegs"], row["RetransSegs"]


def counters(dev, netdev):
    """Return the counters of an end: of its RDMA device, if any, its netdev and its kernel's TCP."""
    sent, again = tcp_segments()
    names = ("sent_pkts", "rcvd_pkts", "retransmits", "send_err")
    return {**{name: hw_counter(dev, name) or 0 for name in names}, "tcp_sent": sent, "tcp_again": again,
            "queue": queued_out(netdev), "rx_dropped": netdev_drops(netdev, "rx_dropped")}


def snapshot(contender, netdevs):
    """Return the losses so far. If one kernel has both ends, it counts each segment of TCP
    twice, and each retransmitted one, too."""
    devices = contender.devices or ("none", "none")
    near, far = counters(devices[0], netdevs[0]), call_far(counters, devices[1], netdevs[1])
    both = {name: near[name] + far[name] for name in near}
    if contender.devices and contender.bed == "srnic":
        sent, again = both["sent_pkts"], both["retransmits"]
    else:
        sent, again = both["tcp_sent"], both["tcp_again"]    # siw's transport, too
    return {"sent": sent, "again": again, "dropped": both["queue"] + both["rx_dropped"],
            "held": near["queue"] + near["send_err"],
            "left": near["sent_pkts"], "came": far["rcvd_pkts"]}


@contextmanager
def counted(contender, netdevs, figures):
    """Add the losses of the block to the figures. rxe does not count its retransmissions."""
    before = snapshot(contender, netdevs)
    yield
    grown = {key: value - before[key] for key, value in snapshot(contender, netdevs).items()}
    figures["dropped"] = grown["dropped"]
    if contender.bed != "rxe" or not contender.devices:
        figures["again"] = 100 * grown["again"] / max(grown["sent"], 1)
    figures["held"] = grown["held"]
    figures["came"] = grown["came"] / grown["left"] if grown["left"] else None
