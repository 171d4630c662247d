# SPDX-License-Identifier: GPL-2.0
"""Find the headers that C files include, without a compiler, for checkers whose verdict depends on them."""

import re

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)


def included(files, folders):
    """Return the headers that the files include, directly or not, sorted.

    A name that more than one folder has stands for all of them, and conditions count as met:
    the answer may have headers that a compiler would not read, but lacks none. Headers that no
    folder has are the system's, and left out.
    """
    found, todo = set(), list(files)
    while todo:
        path = todo.pop()
        for name in INCLUDE.findall(path.read_text()):
            for folder in (path.parent, *folders):
                header = (folder / name).resolve()
                if header.is_file() and header not in found:
                    found.add(header)
                    todo.append(header)
    return sorted(found)
