# SPDX-License-Identifier: GPL-2.0
"""losses - packets lost and retransmitted in a run, by counters of devices, netdevs and
qdiscs."""
import json
import re
from contextlib import contextmanager
from pathlib import Path

from bed import sh

NETDEVS = ("v0", "v1")


def hw_counter(dev, name):
    """Return a counter of an RDMA device, or None if it does not exist."""
    try:
        return int(Path(f"/sys/class/infiniband/{dev}/ports/1/hw_counters/{name}").read_text())
    except OSError:
        return None


def hw_sum(devices, name):
    return sum(hw_counter(dev, name) or 0 for dev in devices)


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


def snapshot(contender):
    devices = contender.devices
    if contender.devices and contender.bed == "srnic":
        sent, again = hw_sum(devices, "sent_pkts"), hw_sum(devices, "retransmits")
    else:
        sent, again = tcp_segments()    # siw's transport, too
    return {"sent": sent, "again": again,
            "dropped": sum(queued_out(dev) + netdev_drops(dev, "rx_dropped") for dev in NETDEVS),
            "held": queued_out(NETDEVS[0]) + hw_sum(devices[:1], "send_err"),
            "left": hw_sum(devices[:1], "sent_pkts"), "came": hw_sum(devices[1:], "rcvd_pkts")}


@contextmanager
def counted(contender, figures):
    """Add the losses of the block to the figures. rxe does not count its retransmissions."""
    before = snapshot(contender)
    yield
    grown = {key: value - before[key] for key, value in snapshot(contender).items()}
    figures["dropped"] = grown["dropped"]
    if contender.bed != "rxe" or not contender.devices:
        figures["again"] = 100 * grown["again"] / max(grown["sent"], 1)
    figures["held"] = grown["held"]
    figures["came"] = grown["came"] / grown["left"] if grown["left"] else None
