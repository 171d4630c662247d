# SPDX-License-Identifier: GPL-2.0
"""Last results of what takes too long for `make check`: tables in Documentation/results/, in
which a run replaces the rows of what it has run."""

import subprocess
import time

from . import REPO

FOLDER = REPO / "Documentation/results"
COLUMNS = ("what", "result", "figures", "took", "date (UTC)", "commit", "command")


def commit():
    """Of the checkout; with a + if it is not all committed, results aside. To be asked for
    before a run, for it may be another afterwards."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=REPO, check=True, capture_output=True,
                              text=True).stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".",
                  ":!Documentation/results")
    return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")


def cells(line):
    return [cell.strip() for cell in line.split("|")[1:-1]]


def last_line(log):
    """What a log says at its end, which is where tests have their figures."""
    try:
        lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    except OSError:
        return ""
    return next((line for line in reversed(lines) if line), "")


def write(name, title, at, rows):
    """A table with those rows, which have all columns but date and commit; others stay."""
    path = FOLDER / f"{name}.md"
    kept = {}
    if path.exists():
        for line in path.read_text().splitlines():
            found = cells(line)
            if len(found) == len(COLUMNS) and found[0] not in (COLUMNS[0], "---"):
                kept[found[0]] = found
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
    for what, result, figures, took, command in rows:
        row = [what, result, figures, took, when, at, f"`{command}`"]
        kept[what] = [cell.replace("|", "/") for cell in row]
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = [f"# {title}", "", "Written by the commands in the last column.", "",
             f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|",
             *(f"| {' | '.join(kept[what])} |" for what in sorted(kept))]
    path.write_text("\n".join(lines) + "\n")
