# SPDX-License-Identifier: GPL-2.0
"""Last results of tests that take too long for `make check`, as tables in
Documentation/results/. A run replaces the rows of the tests that it has run."""

import subprocess
import time

from . import REPO

FOLDER = REPO / "Documentation/results"
COLUMNS = ("what", "result", "figures", "took", "date (UTC)", "commit", "command")


def commit():
    """Return the checkout's commit, with a + if there are uncommitted changes outside of
    the results. Call it before a run, because the checkout may change meanwhile."""
    def git(*words):
        return subprocess.run(["git", *words], cwd=REPO, check=True, capture_output=True,
                              text=True).stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".",
                  ":!Documentation/results")
    return git("rev-parse", "--short=12", "HEAD") + ("+" if changed else "")


def cells(line):
    return [cell.strip() for cell in line.split("|")[1:-1]]


def last_line(log):
    """Return the end of a log, where tests print their figures."""
    try:
        lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    except OSError:
        return ""
    return next((line for line in reversed(lines) if line), "")


def rows_of(name, columns=COLUMNS):
    """Return the rows of a table by their first cell, with a dash in each column that the
    table does not have yet."""
    path = FOLDER / f"{name}.md"
    lines = path.read_text().splitlines() if path.exists() else []
    heads, _, *rows = [cells(line) for line in lines if line.startswith("|")] or [(), ()]
    named = (dict(zip(heads, row)) for row in rows)
    return {row[columns[0]]: [row.get(column, "-") for column in columns] for row in named}


def write_rows(name, title, columns, rows, how):
    """Write a table with those rows. Keep all other rows."""
    path = FOLDER / f"{name}.md"
    kept = rows_of(name, columns)
    kept |= {row[0]: [cell.replace("|", "/") for cell in row] for row in rows}
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = [f"# {title}", "", how, "",
             f"| {' | '.join(columns)} |", "|---" * len(columns) + "|",
             *(f"| {' | '.join(kept[what])} |" for what in sorted(kept))]
    path.write_text("\n".join(lines) + "\n")


def write(name, title, at, rows):
    """Write a table with those rows, which lack the columns date and commit. Keep all other
    rows."""
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
    write_rows(name, title, COLUMNS,
               [[what, result, figures, took, when, at, f"`{command}`"]
                for what, result, figures, took, command in rows],
               "Written by the commands in the last column.")
