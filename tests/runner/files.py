# SPDX-License-Identifier: GPL-2.0
"""Files of the checkout, and of its builds."""

import subprocess

from . import REPO


def tracked(*patterns):
    """Files of the checkout, those that are not yet committed too."""
    out = subprocess.run(["git", "ls-files", "-z", "--cached", "--others",
                          "--exclude-standard", "--", *patterns], cwd=REPO,
                         capture_output=True, check=True).stdout
    names = {REPO / name for name in out.decode().split("\0") if name}
    return sorted(path for path in names if path.is_file())


def scripts(interpreter):
    """Files whose first line names that interpreter."""
    found = []
    for path in tracked("*"):
        with path.open("rb") as file:
            first = file.readline(80)
        if first.startswith(b"#!") and interpreter in first:
            found.append(path)
    return found


def forget_objects(folder):
    """Have all of build/NAME compiled anew; modules stay, since VMs that run may use them."""
    (folder / ".built").unlink(missing_ok=True)
    for path in (folder / "src").rglob("*.o"):
        path.unlink()
