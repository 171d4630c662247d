#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""flame - draw the samples of `make profile`: flame.svg, and rooms.md with a table.

A room is a folder of the module. "itself" counts the room's own instructions, "in all"
also those that the kernel executed for it (copies, checksums, crypto, the network stack).

Example:
    flame.py build/profile
"""
import argparse
import html
import json
import re
import subprocess
import zlib
from collections import Counter
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
OBJECTS = REPO / "build/stock/src/drivers/infiniband/sw/srnic"
MODULES = ("srnic", "rdma_rxe", "siw")

# cmtime yields until all its connections have an answer
WAITING = re.compile(r"sched_yield|do_idle")

# Owners of functions outside the module; the first match counts
BUSINESS = (
    ("idle", r"default_idle|cpuidle|do_idle|cpu_idle|pv_native_safe_halt|acpi_idle"),
    ("crypto", r"aes|gcm|ghash|cmac|crypto_|skcipher|scatterwalk|_encr|_decr|kernel_fpu"),
    ("checksums", r"crc|csum|_mac_"),
    ("copies", r"memcpy|memmove|memset|clear_page|copy_|rep_movs|clear_user"),
    ("network stack", r"skb|udp|^ip|ip_|ip6|net|napi|veth|dev_|eth_|fib|dst_|nf_|neigh|sock|page_pool|xmit"
                      r"|process_backlog|qdisc|inet|fou|gro|gso"),
    ("locks and interrupts", r"lock|mutex|irq|softirq|rcu|preempt|sched|wake|timer|tick|clock|apic|schedule"),
    ("memory", r"alloc|free|slab|page|kmem|vma|fault|mm_|folio"),
    ("perf", r"perf|unwind|orc|stack_trace"),
)


class Symbols:
    """Maps functions of the module to rooms."""

    def __init__(self, folder=OBJECTS):
        self.rooms = {}
        for path in sorted(folder.rglob("*.o")):
            room = path.parent.relative_to(folder).parts
            if path.name.endswith(".mod.o") or path.name == "srnic.o":
                continue
            for line in subprocess.run(["nm", path], text=True, capture_output=True, check=True).stdout.splitlines():
                kind, name = line.split()[-2:]
                if kind in "tT":
                    self.rooms.setdefault(plain(name), set()).add(room[0] if room else "main")

    def room(self, name, dso):
        if dso in MODULES:
            found = self.rooms.get(plain(name)) if dso == "srnic" else None
            return "/".join(sorted(found)) if found else dso
        if dso != "kernel":
            return dso
        for business, pattern in BUSINESS:
            if re.search(pattern, name):
                return f"kernel: {business}"
        return "kernel: other"


def plain(name):
    return re.sub(r"\.(isra|part|cold|constprop|llvm).*", "", name)


def library(dso):
    """Return a short name for the binary that a function belongs to."""
    if dso.startswith("[kernel") or dso == "[guest.kernel.kallsyms]":
        return "kernel"
    name = Path(dso.strip("[]")).name
    return re.sub(r"\.(ko|so)(\.|$).*", "", name).replace("-rdmav34", "")


def samples(path):
    """Yield (time, weight, command, chain) of each sample. The chain has (function,
    library) pairs, outermost first."""
    for block in path.read_text(errors="replace").split("\n\n"):
        lines = block.strip("\n").splitlines()
        head = re.match(r"\s*(.+?)\s+([\d.]+):\s+(\d+)", lines[0]) if lines else None
        if not head:
            continue
        chain = []
        for line in lines[1:]:
            frame = re.match(r"\s+[0-9a-f]+ (.*) \((.*)\)$", line)
            if frame:
                chain.append((frame[1], library(frame[2])))
        yield float(head[2]), int(head[3]), head[1], chain[::-1]


def under_way(found, edge=20):
    """Drop set-up and tear-down: keep samples between the first and the last twentieth of
    the module's own samples, or of another part; 0 drops none of them."""
    times = sorted(time for time, _, _, chain in found if any(dso in MODULES for _, dso in chain))
    if not times:
        raise SystemExit("flame: no sample saw the module: is the run too short?")
    dropped = len(times) // edge if edge else 0
    first, last = times[dropped], times[len(times) - 1 - dropped]
    return [sample for sample in found if first <= sample[0] <= last]


def without_waiting(found):
    """Drop samples of processors that had nothing to do: they idled, or a program yielded."""
    return [sample for sample in found if not any(WAITING.search(name) for name, _ in sample[3])]


def by_room(found, symbols):
    """Return weights by room: of its own code, and including the kernel code that it
    called."""
    itself, in_all, total = Counter(), Counter(), 0
    for _, weight, _, chain in found:
        if not chain:
            continue
        total += weight
        own = symbols.room(*chain[-1])
        itself[own] += weight
        asked = next((frame for frame in reversed(chain) if frame[1] in MODULES), chain[-1])
        in_all[symbols.room(*asked)] += weight
    return itself, in_all, total


def by_function(found):
    counted = Counter()
    for _, weight, _, chain in found:
        if chain:
            counted[chain[-1]] += weight
    return counted


def unit_of_work(run):
    """Return what is counted: a packet, a round trip or a connection."""
    figures = run["figures"]
    if "connections" in figures:
        return "connection"
    return "packet" if "MiBps" in figures else "round trip"


def ns_each(run, total):
    """Return guest nanoseconds (under icount: instructions) of each such unit; for a connection
    including its end, which the samples have as well, without the time of waiting."""
    figures = run["figures"]
    if "connections" in figures:
        return total / run["events"] / figures["connections"]
    if "MiBps" not in figures:
        return 2000 * figures["median"]     # perftest reports half a round trip
    return min(run["work"]["size"], 4096) / (figures["MiBps"] * 1048576) * 1e9


def markdown(run, symbols, found):
    itself, in_all, total = by_room(found, symbols)
    each = ns_each(run, total)
    unit = "instructions" if run["cpus"] == 1 else "ns"
    what = unit_of_work(run)
    out = [f"# Profile of {run['contender']}, {run['name']}, {run['date']}", "",
           f"{len(found)} samples; a {what} takes {each:.0f} {unit}, both ends and the tool's own work.", "",
           f"| room | itself | in all | {unit} a {what}, itself | in all |", "|---|---|---|---|---|"]
    for room in sorted({*itself, *in_all}, key=lambda room: -max(itself[room], in_all[room])):
        own, all_of_it = itself[room] / total, in_all[room] / total
        if max(own, all_of_it) >= 0.002:
            out.append(f"| {room} | {own:.1%} | {all_of_it:.1%} | {own * each:.0f} | {all_of_it * each:.0f} |")
    out += ["", "| function | | share | a " + what + " |", "|---|---|---|---|"]
    for (name, dso), weight in by_function(found).most_common(60):
        out.append(f"| {name} | {symbols.room(name, dso)} | {weight / total:.1%} | {weight / total * each:.0f} |")
    return "\n".join(out) + "\n", {"itself": itself, "in_all": in_all, "total": total, "packet": each}


class Flame:
    """The flame graph: a row for each depth, a box for each function, as wide as its time."""

    WIDTH, ROW, NARROWEST = 1400, 17, 0.4
    STYLE = """
	text { font: 11px sans-serif; fill: #111; pointer-events: none }
	rect { stroke: #fff; stroke-width: .4 }
	.title, .note { fill: #222 } svg { background: #fff }
	@media (prefers-color-scheme: dark) {
		svg { background: #181818 } .title, .note { fill: #ddd } rect { stroke: #181818 } }"""

    def __init__(self, title, found, symbols):
        self.title = title
        self.symbols = symbols
        self.root = {"weight": 0, "inner": {}}
        self.boxes = []
        self.depth = 0
        for _, weight, command, chain in found:
            self.add([(command, "command"), *chain], weight)

    def add(self, chain, weight):
        node = self.root
        node["weight"] += weight
        for frame in chain:
            node = node["inner"].setdefault(frame, {"weight": 0, "inner": {}})
            node["weight"] += weight

    def colour(self, name, dso):
        """Return a colour: one hue for each room, with small differences between functions."""
        room = self.symbols.room(name, dso)
        base = zlib.crc32(room.encode()) % 360 if dso in MODULES else 40
        strong = 70 if dso in MODULES else 12
        return f"hsl({base} {strong}% {68 + zlib.crc32(name.encode()) % 12}%)"

    def place(self, node, x, depth):
        self.depth = max(self.depth, depth)
        for (name, dso), inner in sorted(node["inner"].items()):
            width = inner["weight"] / self.root["weight"] * self.WIDTH
            if width >= self.NARROWEST:
                self.boxes.append((x, width, depth, name, dso, inner["weight"]))
                self.place(inner, x, depth + 1)
            x += width

    def svg(self):
        self.place(self.root, 0, 0)
        height = (self.depth + 3) * self.ROW
        out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.WIDTH} {height}">'
               f"<style>{self.STYLE}</style>",
               f'<text class="title" x="6" y="14">{html.escape(self.title)}</text>']
        for x, width, depth, name, dso, weight in self.boxes:
            y = height - (depth + 1) * self.ROW
            share = weight / self.root["weight"]
            room = "" if dso == "command" else f" [{self.symbols.room(name, dso)}]"
            out.append(f'<g><title>{html.escape(name + room)}: {share:.2%}</title><rect x="{x:.1f}" y="{y}" '
                       f'width="{width:.1f}" height="{self.ROW - 1}" fill="{self.colour(name, dso)}"/>')
            fits = int(width / 6.2)
            if fits >= 4:
                out.append(f'<text x="{x + 3:.1f}" y="{y + 12}">{html.escape(name[:fits])}</text>')
            out.append("</g>")
        return "\n".join(out) + "\n</svg>\n"


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("\n\n", 1)[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder", type=Path, help="where profile.py left its samples")
    args = ap.parse_args()
    run = json.loads((args.folder / "run.json").read_text())
    symbols = Symbols()
    found = list(samples(args.folder / "samples.txt"))
    if unit_of_work(run) == "connection":
        # Set-up and end are all that it has
        found = without_waiting(under_way(found, edge=0))
    else:
        found = under_way(found)
    text, figures = markdown(run, symbols, found)
    (args.folder / "rooms.md").write_text(text)
    (args.folder / "rooms.json").write_text(json.dumps({**run, **figures}, indent=1) + "\n")
    title = f"{run['contender']} {run['name']}: {figures['packet']:.0f} ns a {unit_of_work(run)}"
    (args.folder / "flame.svg").write_text(Flame(title, found, symbols).svg())
    print(text)


if __name__ == "__main__":
    main()
