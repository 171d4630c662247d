#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""ipoib - measure TCP over ib0, as datagrams of two lengths, connected and sealed, beside TCP of the netdev below
it and TCP over WireGuard.

Runs inside the VM (see `make bench B=ipoib`). All use the same wire, in turns, in one boot: iperf3
for the rate, qperf for the latency.

Example:
    ipoib.py --out build/bench/ipoib.json --rounds 3 --ways tcp,datagram --places veth
"""
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import median

sys.dont_write_bytecode = True
from contenders import MTU                                              # noqa: E402
from options import add_choice, command_line                            # noqa: E402
from programs import Failed                                             # noqa: E402
from tables import leave, table                                         # noqa: E402
from tcp import parse_iperf, parse_qperf                                # noqa: E402

REPO = Path(__file__).resolve().parents[2]
PORT = "5201"
QPERF_PORT = "19765"

# Options of testbed
PLACES = {"veth": "", "virtio_net": "--nic virtio_net"}

# Printed below the table of a place
NOTES = {"virtio_net": "The hub of QEMU that joins the two NICs swaps neighbouring packets now and then, of TCP"
                       " over the netdev, too. What TCP sends again for it is not lost.\n"}

# Headers of IPv6, UDP and WireGuard, as wg-quick subtracts them
WIREGUARD_MTU = MTU - 80


@dataclass(frozen=True)
class Way:
    """A way to carry TCP.

    mode, mtu  of ib0; empty where it is not used
    ib_mtu     of the ports
    seal       mode and suite of the rule that seals ib0 as a whole
    beside     the way that it is compared with
    goal       least ratio of the rates, by place
    """
    what: str
    address: str
    mode: str = ""
    mtu: int = 0
    seal: tuple = ()
    beside: str = "tcp"
    goal: tuple = ()
    ib_mtu: int = 2048

    @property
    def segment(self):
        """Bytes that a packet carries."""
        return self.mtu - TCP_HEADERS

    def goal_at(self, place):
        return dict(self.goal).get(place)


IB0 = "10.78.0.2"
TCP_HEADERS = 52        # of IPv4 and TCP with its time stamps
TWICE = (("veth", 2.0), ("virtio_net", 2.0))
WAYS = {
    "tcp": Way("over the netdev", "10.77.0.2"),
    "datagram": Way("over ib0, datagrams", IB0, "datagram", 2044,
                    goal=(("veth", 0.5), ("virtio_net", 0.8))),
    "datagram-4092": Way("over ib0, datagrams of 4092 bytes", IB0, "datagram", 4092, ib_mtu=4096),
    "connected": Way("over ib0, connected", IB0, "connected", 65520,
                     goal=(("veth", 0.7), ("virtio_net", 0.7))),
    "connected-4096": Way("over ib0, connected, packets of 4096 bytes", IB0, "connected", 65520,
                          goal=(("veth", 0.7), ("virtio_net", 0.7)), ib_mtu=4096),
    "wireguard": Way("over WireGuard (chacha20-poly1305)", "10.79.0.2"),
    "sealed-chacha": Way("over ib0, datagrams, chacha20-poly1305", IB0, "datagram", 2044,
                         ("aead", "chacha20-poly1305"), "wireguard", TWICE),
    "sealed-chacha-4092": Way("over ib0, datagrams of 4092 bytes, chacha20-poly1305", IB0, "datagram",
                              4092, ("aead", "chacha20-poly1305"), "wireguard", ib_mtu=4096),
    "sealed-chacha-connected": Way("over ib0, connected, chacha20-poly1305", IB0, "connected", 65520,
                                   ("aead", "chacha20-poly1305"), "wireguard", TWICE),
    "sealed-gcm": Way("over ib0, datagrams, aes-gcm-128", IB0, "datagram", 2044,
                      ("aead", "aes-gcm-128"), "wireguard", TWICE),
}
REAPED_S = 3            # until no connection of ib_ipoib is left
LATENCY_GOAL = 2.0      # at most so many times the netdev's, in the clear

WIREGUARD = """
modprobe wireguard
for end in a b; do
	on $end ip link add wg0 mtu %d type wireguard
	wg genkey >/run/test/wg.$end
	on $end wg set wg0 private-key /run/test/wg.$end listen-port 51820
done
join() { # END PEER NUMBER-OF-END NUMBER-OF-PEER
	on $1 wg set wg0 peer "$(wg pubkey </run/test/wg.$2)" allowed-ips 10.79.0.$4/32 \
		endpoint 10.77.0.$4:51820
	on $1 ip addr add 10.79.0.$3/24 dev wg0
	on $1 ip link set wg0 up
}
join a b 1 2
join b a 2 1
""" % WIREGUARD_MTU


def sh(words):
    ran = subprocess.run(["bash", "-c", f". {REPO}/tests/lib.sh; . {REPO}/tests/ib.sh; {words}"],
                         text=True, capture_output=True, check=False)
    if ran.returncode:
        raise Failed(f"'{words}' failed: {ran.stdout}{ran.stderr}")
    return ran.stdout


def client(server, port, command, under=()):
    """Return what a command in a prints, while a server runs in b that listens at the port. It
    runs under another command, if any: perf reads symbols over 9p after it, which takes minutes
    on a busy host."""
    with subprocess.Popen(["in", "b", *server], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as listening:
        try:
            sh(f"listens() {{ [ -n \"$(on b ss -Hltn sport = :{port})\" ]; }}; soon listens")
            ran = subprocess.run([*under, "in", "a", *command], text=True, capture_output=True, check=False,
                                 timeout=1200 if under else 120)
        finally:
            listening.kill()
    if ran.returncode:
        raise Failed(f"{command[0]} failed: {ran.stdout}{ran.stderr}")
    return ran.stdout


def rate(address, seconds, under=()):
    """Return the received MiB a second, and the segments that were sent again."""
    out = client(["iperf3", "-s", "-1", "-p", PORT], PORT,
                 ["iperf3", "-c", address, "-p", PORT, "-J", "-t", str(seconds), "-O", "1", "-l", "128K"], under)
    return parse_iperf(out)["MiBps"], json.loads(out)["end"]["sum_sent"]["retransmits"]


def latency(address):
    """Return half of the mean round trip of 64 bytes by TCP, in microseconds."""
    out = client(["qperf", "-lp", QPERF_PORT], QPERF_PORT,
                 ["qperf", address, "-lp", QPERF_PORT, "-t", "1", "-m", "64", "-uu", "tcp_lat"])
    return parse_qperf(out)["median"]


def prepare(way):
    """Give ports and ib0 the way's mode and MTU; the first packets make the path known, and the
    connection. ib0 follows the port within moments."""
    size = 1000
    if way.mode:
        for end in "ab":
            sh(f"on {end} srnic mtu set ib{end} {way.ib_mtu};"
               f" on {end} sh -c 'echo {way.mode} >/sys/class/net/ib0/mode'")
        for end in "ab":
            sh(f"has() {{ on {end} ip link set ib0 mtu {way.mtu};"
               f" [ \"$(on {end} cat /sys/class/net/ib0/mtu)\" = {way.mtu} ]; }}; soon has")
        size = min(way.mtu, 60000) // 2
    sh(f"soon on a ping -q -c 1 -W 5 -s {size} {way.address}")


def up(seal):
    """Bring up ib0 at both ends; a seal is for it as a whole."""
    if seal:
        sh(f"ib_rules require {' '.join(seal)}")
    sh("ib_up a; ib_up b")


def watched(name, seconds, under):
    """Return the figures of one run on a veth pair under another command, as perf."""
    way = WAYS[name]
    sh(f"testbed up --mtu {MTU}; ib_keys")
    up(way.seal)
    prepare(way)
    return {"MiBps": rate(way.address, seconds, under)[0]}


def measure(name, seconds):
    way = WAYS[name]
    prepare(way)
    mibps, again = rate(way.address, seconds)
    half = latency(way.address)
    print(f"{name}: {mibps:.0f} MiB/s, {again} sent again, {half:.0f} us", flush=True)
    return {"MiBps": mibps, "again": again, "us": half}


def measure_round(names, seconds):
    """Yield one result of each way. ib0 begins anew where the seal changes."""
    for seal, some in groupby(names, lambda name: WAYS[name].seal):
        up(seal)
        for name in some:
            yield name, measure(name, seconds)
        # The stock ib_ipoib destroys its completion queues without waiting for the connections
        # that it still ends: they end when their last sends are answered, or time out
        sh(f"for end in a b; do on $end ip link set ib0 down; done; sleep {REAPED_S}; ib_delete a; ib_delete b")
        if seal:
            sh("for end in a b; do on $end srnic policy del fe80::/64;"
               " on $end srnic policy del ff12::/16; done")


def measure_place(place, names, args):
    print(f"{place}:", flush=True)
    sh(f"testbed up --mtu {MTU} {PLACES[place]}; ib_keys")
    if "wireguard" in names:
        sh(WIREGUARD)
    found = {name: [] for name in names}
    for _ in range(args.rounds):
        for name, result in measure_round(names, args.seconds):
            found[name].append(result)
    sh("testbed down")
    return found


def middle(runs, what):
    return median(run[what] for run in runs)


def judged(ratio, goal, least):
    """Return the cells of a ratio and its goal."""
    if ratio is None:
        return ["", ""]
    if goal is None:
        return [f"{ratio:.2f}", ""]
    met = ratio >= goal if least else ratio <= goal
    return [f"{ratio:.2f}", f"{'>=' if least else '<='} {goal}: {'met' if met else '**missed**'}"]


def row(place, name, found):
    """Return the cells of a way."""
    way, runs = WAYS[name], found[name]
    rates = [run["MiBps"] for run in runs]
    other = found.get(way.beside) if way.beside != name else None
    ratio = middle(runs, "MiBps") / middle(other, "MiBps") if other else None
    times = middle(runs, "us") / middle(other, "us") if other else None
    clear = way.mode and not way.seal
    return [f"TCP {way.what}", f"{middle(runs, 'MiBps'):.0f}", f"{min(rates):.0f} to {max(rates):.0f}",
            str(sum(run["again"] for run in runs)), f"TCP {WAYS[way.beside].what}" if other else "",
            *judged(ratio, way.goal_at(place), True), f"{middle(runs, 'us'):.0f}",
            *judged(times, LATENCY_GOAL if clear else None, False)]


def section(place, found):
    head = ["", "MiB/s, median", "least to most", "sent again", "beside", "ratio", "goal", "latency, µs", "ratio",
            "goal"]
    rows = [row(place, name, found) for name in found]
    return [f"## {place}", "", *table(head, rows), "", *([NOTES[place]] if place in NOTES else [])]


def arguments():
    ap = command_line(__doc__, 5)
    ap.add_argument("--seconds", type=float, default=2, help="how long a run lasts, and one more")
    add_choice(ap, "--ways", WAYS)
    add_choice(ap, "--places", PLACES)
    return ap.parse_args()


def main():
    args = arguments()
    try:
        results = {place: measure_place(place, args.ways, args) for place in args.places}
    except Failed as failed:
        sys.exit(f"ipoib: {failed}")
    date = time.strftime("%Y-%m-%d")
    text = "\n".join([
        "# TCP over IP over InfiniBand", "",
        f"Measured {date} by `make bench B=ipoib`: one boot, a netdev MTU of {MTU},"
        f" in turns, {args.rounds} rounds, iperf3 with one stream, qperf's tcp_lat with 64 bytes.", "",
        *(line for place, found in results.items() for line in section(place, found))])
    leave(args.out, {"date": date, "mtu": MTU, "results": results}, text)


if __name__ == "__main__":
    main()
