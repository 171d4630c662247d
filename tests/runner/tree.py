# SPDX-License-Identifier: GPL-2.0
"""A copy of this checkout, to be changed and built beside it."""

import os
import shutil
import subprocess

from . import REPO


class Tree:
    def __init__(self, path):
        self.path = path

    def update(self):
        """Copy changed files only: the others keep their time and are not rebuilt."""
        self.path.mkdir(parents=True, exist_ok=True)
        names = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=REPO,
                               check=True, capture_output=True, text=True).stdout.split("\0")
        for name in filter(None, names):
            source, target = REPO / name, self.path / name
            if not source.is_file():
                continue
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
            os.utime(target)

    def build(self, kernel, log):
        """Build for a guest; return whether the build succeeded."""
        return subprocess.run(["make", "-s", f"guest-{kernel}"], cwd=self.path, stdout=log,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                              check=False).returncode == 0
