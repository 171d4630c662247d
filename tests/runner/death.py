# SPDX-License-Identifier: GPL-2.0
"""A VM that has died: whether the kernel or the emulator failed, and the end of the kernel's log."""

import os
import re

# QEMU before 8.1 may execute a breakpoint that the kernel has already removed after it patched
# its own code, which srnic never does. It may also lose flags: no processor sets those that
# are reserved, 22 to 31.
BREAKPOINT = "Oops: int3: "
EFLAGS = re.compile(r"\bEFLAGS: ([0-9a-f]{8})\b")
RESERVED_FLAGS = ~0 << 22
SHOWN = 60      # lines


def kernel_log(path):
    """Return the log that scripts/vm --log has left, or nothing."""
    return path.read_text(errors="replace") if path.exists() else ""


def emulator_bug(text):
    """Return whether the emulator, rather than the kernel, has failed."""
    if os.environ.get("SRNIC_ACCEL", "tcg") != "tcg":
        return False
    return BREAKPOINT in text or any(
        int(flags, 16) & RESERVED_FLAGS for flags in EFLAGS.findall(text))


def show_end(text, log):
    """Append the end of a kernel's log to the log of a test."""
    log.write("\n--- end of the kernel log ---\n")
    log.writelines(line + "\n" for line in text.splitlines()[-SHOWN:])
