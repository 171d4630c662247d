# SPDX-License-Identifier: GPL-2.0
"""Compare the versions of the interfaces, as CHANGELOG.md tells them to users, with the sources.
Thus a change of a number comes with a line for users."""

import re

from . import REPO

CHANGES = "CHANGELOG.md"
# The columns of the table in CHANGELOG.md: the file, and what stands before the number in it
COLUMNS = (
    ("include/srnic_version.h", r'#define SRNIC_VERSION\s+"'),
    ("drivers/infiniband/sw/srnic/sth/pure.h", r"#define SRNIC_HS_VERSION\s+"),
    ("tools/srnicd/message.h", r"#define PROTOCOL_VERSION\s+"),
    ("include/uapi/rdma/srnic-abi.h", r"#define SRNIC_ABI_VERSION\s+"),
    ("include/uapi/linux/srnic.h", r"#define SRNIC_FAMILY_VERSION\s+"),
)
PACKAGE = ("debian/changelog", r"srnic \(")


def version(path, before):
    match = re.search(before + r"([\d.]+)", (REPO / path).read_text())
    return match[1] if match else None


def row_of(text, release):
    """Return the row of a release: its cells, or None."""
    match = re.search(rf"^\| *{re.escape(release)} *\|.*$", text, re.M)
    return [cell.strip() for cell in match[0].split("|")[1:-1]] if match else None


def faults(text, numbers, package):
    """Return what is wrong with a CHANGELOG, for these numbers and this version of the packages."""
    row = row_of(text, numbers[0])
    found = [] if row else [f"no row for version {numbers[0]}"]
    if row and row != list(numbers):
        found.append(f"{' | '.join(row)} must be {' | '.join(map(str, numbers))}")
    if not re.search(rf"^## {re.escape(numbers[0])}\b", text, re.M):
        found.append(f"no section for version {numbers[0]}")
    if package != numbers[0]:
        found.append(f"the packages have version {package}")
    return found


def check(log):
    found = faults((REPO / CHANGES).read_text(), [version(*column) for column in COLUMNS],
                   version(*PACKAGE))
    for fault in found:
        print(f"{CHANGES}: {fault}", file=log)
    return not found
