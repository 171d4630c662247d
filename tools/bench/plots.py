# SPDX-License-Identifier: GPL-2.0
"""plots - bandwidth and latency against size, as SVG that is readable on light and dark."""
import re
from statistics import median

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot       # noqa: E402

# Medium tones with a contrast of at least 3:1 to white and to black; markers differ, too
STYLES = {
    "rxe": ("#808080", "o", "-"),
    "siw": ("#b07800", "s", "-"),
    "srnic": ("#2f7fe0", "D", "-"),
    "srnic-header": ("#1b9aaa", "v", "-"),
    "srnic-packet": ("#9a62d8", "^", "-"),
    "srnic-aead": ("#d9498b", "P", "-"),
    "rxe-esp": ("#808080", "o", ":"),
    "tcp": ("#4f9a3a", "x", "--"),
    "tcp-esp": ("#4f9a3a", "x", ":"),
}

# Placeholder colour of text and lines, replaced by the colour of the page's theme
INK = "#010203"
THEME = """<style>
 svg { color: #1f2328 }
 @media (prefers-color-scheme: dark) { svg { color: #e6edf3 } }
</style>
"""

# Without metadata the same data give the same file
NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))

PLOTS = (
    ("bandwidth", ("write", "send", "read"), "MiBps", "bandwidth, MiB/s"),
    ("latency", ("write", "send"), "median", "one way, µs (median)"),
)


def points(record, contender, verb, key):
    """Return the measured (size, median) points of a curve, sorted by size."""
    found = {}
    for name, work in record.work.items():
        if work["swept"] and work["verb"] == verb:
            values = record.series(contender, name, key)
            if values:
                found[work["size"]] = median(values)
    return sorted(found.items())


def size_label(size, _=None):
    for unit, name in ((1 << 20, "M"), (1 << 10, "K")):
        if size >= unit:
            return f"{size / unit:g}{name}"
    return f"{size:g}"


def curves(record, axes, verb, key):
    """Draw all contenders' curves; TCP, which has no verbs, has one for all."""
    drawn = False
    for name, (colour, marker, line) in STYLES.items():
        curve = points(record, name, "write" if name.startswith("tcp") else verb, key)
        if curve:
            axes.plot(*zip(*curve), line, color=colour, marker=marker, markersize=4, linewidth=1.5,
                      label=name)
            drawn = True
    return drawn


def dress(axes, title, across, label):
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_title(title)
    axes.set_xlabel(across)
    axes.set_ylabel(label)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(True, which="major", alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)


def themed(svg):
    """Replace the placeholder colour by a style that follows the page's theme."""
    svg = re.sub(INK, "currentColor", svg)
    return re.sub(r"(<svg\b[^>]*>\s*)", lambda m: m[1] + THEME, svg, count=1)


def draw_one(record, path, verb, key, label):
    """Draw a plot to `path`; return False if there is no data."""
    figure, axes = pyplot.subplots(figsize=(7.5, 4.2))
    try:
        if not curves(record, axes, verb, key):
            return False
        dress(axes, verb, "message size, bytes", label)
        axes.xaxis.set_major_formatter(size_label)
        save(figure, axes, path)
        return True
    finally:
        pyplot.close(figure)


def save(figure, axes, path):
    """Save a plot with its legend beside it."""
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False)
    figure.savefig(path, transparent=True, bbox_inches="tight", metadata=NO_METADATA)
    path.write_text(themed(path.read_text()))


def style():
    """Return the context that all plots are drawn in."""
    ink = dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color",
                         "axes.titlecolor", "grid.color"), INK)
    # fonttype "none" keeps text as text
    return pyplot.rc_context({**ink, "svg.fonttype": "none", "svg.hashsalt": "srnic", "font.size": 10})


def draw(record, folder):
    """Draw all plots; return the names of those with data."""
    found = []
    with style():
        for kind, verbs, key, label in PLOTS:
            for verb in verbs:
                name = f"{kind}_{verb}.svg"
                (folder / name).unlink(missing_ok=True)
                if draw_one(record, folder / name, verb, key, label):
                    found.append(name)
    return found
