#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""ipoib - measure TCP over ib0, as datagrams and connected, beside TCP of the netdev below it.

Runs inside the VM (see `make bench B=ipoib`). All use the same veth pair, in turns, and iperf3.

Example:
    ipoib.py --out build/bench/ipoib.json --rounds 5 --seconds 2
"""
import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

sys.dont_write_bytecode = True
from contenders import MTU                                              # noqa: E402

REPO = Path(__file__).resolve().parents[2]
PORT = "5201"
MIB = 1 << 20

# The mode of ib0, its MTU and the server's address; and the least ratio to TCP of the netdev
WAYS = {
    "datagram": ("datagram", 2044, "10.78.0.2", 0.5),
    "connected": ("connected", 65520, "10.78.0.2", 0.7),
    "tcp": (None, None, "10.77.0.2", None),
}
WHAT = {"datagram": "TCP over ib0, datagrams", "connected": "TCP over ib0, connected",
        "tcp": "TCP over the netdev"}


def shell(words):
    return f". {REPO}/tests/lib.sh; . {REPO}/tests/ib.sh; {words}"


def sh(words):
    ran = subprocess.run(["bash", "-c", shell(words)], text=True, capture_output=True, check=False)
    if ran.returncode:
        sys.exit(f"ipoib: '{words}' failed: {ran.stdout}{ran.stderr}")
    return ran.stdout


def set_mode(mode, mtu):
    for end in "ab":
        sh(f"on {end} sh -c 'echo {mode} >/sys/class/net/ib0/mode; ip link set ib0 mtu {mtu}'")
    # the first packets make the path known, and the connection
    size = 1000 if mode == "datagram" else 60000
    sh(f"soon on a ping -c 1 -W 5 -s {size} 10.78.0.2")


def iperf(address, options):
    """Return the received bytes a second in MiB, and the datagrams that were sent again."""
    server = subprocess.Popen(["in", "b", "iperf3", "-s", "-1", "-p", PORT],
                              stdout=subprocess.DEVNULL)
    sh(f"soon eval 'on b ss -Hltn sport = :{PORT} | grep -q LISTEN'")
    ran = subprocess.run(["in", "a", "iperf3", "-c", address, "-p", PORT, "-J", *options],
                         text=True, capture_output=True, check=False)
    server.wait()
    if ran.returncode:
        sys.exit(f"ipoib: iperf3 failed: {ran.stdout}{ran.stderr}")
    end = json.loads(ran.stdout)["end"]
    return end["sum_received"]["bits_per_second"] / 8 / MIB, end["sum_sent"]["retransmits"]


def measure(ways, rounds, seconds):
    options = ["-t", str(seconds), "-O", "1", "-l", "128K"]
    found = {way: {"MiBps": [], "again": []} for way in ways}
    for _ in range(rounds):
        for way in ways:
            mode, mtu, address, _ = WAYS[way]
            if mode:
                set_mode(mode, mtu)
            rate, again = iperf(address, options)
            print(f"{way}: {rate:.0f} MiB/s, {again} sent again", flush=True)
            found[way]["MiBps"].append(rate)
            found[way]["again"].append(again)
    return found


def table(found):
    """Return the report, as lines of Markdown."""
    lines = ["| | MiB/s, median | least | most | sent again | ratio to TCP | goal |",
             "|---|---|---|---|---|---|---|"]
    whole = median(found["tcp"]["MiBps"]) if "tcp" in found else None
    for way, figures in found.items():
        rates, goal = figures["MiBps"], WAYS[way][3]
        ratio = median(rates) / whole if whole else None
        lines.append(f"| {WHAT[way]} | {median(rates):.0f} | {min(rates):.0f} | {max(rates):.0f} | "
                     f"{sum(figures['again'])} | " + (f"{ratio:.2f}" if ratio else "") +
                     f" | {f'>= {goal}' if goal else ''} |")
    return lines


def arguments():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("--out", required=True, help="JSON file; the table is beside it")
    ap.add_argument("--rounds", type=int, default=5)
    ap.add_argument("--seconds", type=float, default=2, help="how long a run lasts, and one more")
    ap.add_argument("--ways", default=",".join(WAYS), help="some of: " + ", ".join(WAYS))
    return ap.parse_args()


def main():
    args = arguments()
    sh(f"testbed up --mtu {MTU}; ib_up a; ib_up b")
    found = measure(args.ways.split(","), args.rounds, args.seconds)
    sh("ib_delete a; ib_delete b; testbed down")
    out = Path(args.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"date": time.strftime("%Y-%m-%d"), "mtu": MTU, "results": found}, indent=1) + "\n")
    text = "\n".join(["# TCP over IP over InfiniBand", "",
                      f"Measured {time.strftime('%Y-%m-%d')} by `make bench B=ipoib`: one boot, one veth pair with an "
                      f"MTU of {MTU}, in turns, iperf3.", "", *table(found)]) + "\n"
    out.with_suffix(".md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
