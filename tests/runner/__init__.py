# SPDX-License-Identifier: GPL-2.0
"""The parts of scripts/check: a file for each suite, and the report."""

from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
BUILD = REPO / "build"
LOGS = BUILD / "check"
