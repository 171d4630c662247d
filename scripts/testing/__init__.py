# SPDX-License-Identifier: GPL-2.0
"""What scripts/check is made of: one file a suite, and the report."""

from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
BUILD = REPO / "build"
LOGS = BUILD / "check"
