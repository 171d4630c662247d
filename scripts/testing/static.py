# SPDX-License-Identifier: GPL-2.0
"""Checks that only read: checkpatch, sparse, kernel-doc, and the scripts'."""

import ast
import hashlib
import os
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

from . import REPO
from . import rooms as walls
from . import steps
from .mutations import apply_all

CACHE = Path(os.environ.get("SRNIC_CACHE") or
             Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") /
             "srnic")
LINUX = CACHE / "source" / "current"

# What checkpatch cannot know about code outside the kernel's tree
IGNORED = ",".join((
    "FILE_PATH_CHANGES",        # MAINTAINERS is not ours
    "LINUX_VERSION_CODE",
    "BIT_MACRO",                # user space has none, and includes our uapi
    "CONFIG_DESCRIPTION",
))

# And what it cannot know about C in user space
IGNORED_FOR_USERS = ",".join((
    IGNORED,
    # The kernel's own names
    "PREFER_KERNEL_TYPES", "PREFER_DEFINED_ATTRIBUTE_MACRO", "ARRAY_SIZE",
    "USE_NEGATIVE_ERRNO",       # verbs return them positive
    "CAMELCASE",                # _Atomic, _Static_assert
    "CONSTANT_COMPARISON",      # of two constants, in assertions
    "MACRO_ARG_REUSE",          # for_each macros
    "VOLATILE",                 # sig_atomic_t
    # What is printed, or expected to be: as it looks, or on a line by itself
    "LONG_LINE_STRING", "SPLIT_STRING", "EMBEDDED_FUNCTION_NAME",
    # The tools' tables of options, and a = b = c
    "TRAILING_STATEMENTS", "MULTIPLE_ASSIGNMENTS",
    "STATIC_CONST_CHAR_ARRAY",  # what mkdtemp() fills in
    "LINE_SPACING",             # _Atomic is no word that it knows
))


def tracked(*patterns):
    """Files of the checkout, those that are not yet committed too."""
    out = subprocess.run(["git", "ls-files", "-z", "--cached", "--others",
                          "--exclude-standard", "--", *patterns], cwd=REPO,
                         capture_output=True, check=True).stdout
    names = {REPO / name for name in out.decode().split("\0") if name}
    return sorted(path for path in names if path.is_file())


def kernel_sources():
    return tracked("drivers/*.[ch]", "include/*.h", "kunit/*.c", "kunit/*.h",
                   "tools/bench/floor/*.[ch]", "tools/bench/kbench/*.[ch]")


# Stand in for the kernel's headers: they define what checkpatch would have instead
IMITATIONS = ("kunit/host/include/", "kunit/host/shim.h")


def user_sources():
    """C for user space, as we have written it."""
    found = tracked("tools/*.[ch]", "userspace-provider/*.[ch]", "kunit/host/*.[ch]")
    return [path for path in found
            if not {"vendor", "floor", "kbench"} & set(path.relative_to(REPO).parts) and
            not str(path.relative_to(REPO)).startswith(IMITATIONS)]


def scripts(interpreter):
    """Files whose first line names that interpreter."""
    found = []
    for path in tracked("*"):
        with path.open("rb") as file:
            first = file.readline(80)
        if first.startswith(b"#!") and interpreter in first:
            found.append(path)
    return found


def need_linux():
    if not (LINUX / "Makefile").exists():
        raise steps.Skip("no kernel source: scripts/setup source")


def asked_once(checker, *read):
    """Whether the checker, a function, is content; not asked again where it was content with
    what is read, byte for byte.

    Checkers take minutes, and what has not changed has not got worse."""
    digest = hashlib.sha256()
    for part in read:
        part = part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(part).to_bytes(8, "big") + part)
    stamp = CACHE / "clean" / digest.hexdigest()
    if stamp.exists():
        return True
    fine = checker()
    if fine:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.touch()
    return fine


def content_of(files):
    """Names and bytes, for asked_once()."""
    return [part for path in files for part in (path.relative_to(REPO), path.read_bytes())]


def version_of(program):
    return subprocess.run([program, "--version"], capture_output=True, check=True).stdout


def run_checkpatch(log, files, ignored):
    """Read the files that it has not yet found to be clean."""
    need_linux()
    argv = ["perl", LINUX / "scripts/checkpatch.pl", f"--root={LINUX}", "--strict",
            "--no-summary", "--terse", "--show-types", "--max-line-length=100",
            "--ignore", ignored]
    basis = [*argv, (LINUX / "scripts/checkpatch.pl").read_bytes()]
    fine = True
    for path in files:
        # It keeps a list of names in its folder
        ask = partial(steps.command, [*argv, "--file", path], log, cwd=LINUX)
        fine &= asked_once(ask, *basis, *content_of([path]))
    return fine


def checkpatch(log):
    # kunit/host and its like are user space
    files = [path for path in kernel_sources()
             if "host" not in path.relative_to(REPO).parts]
    if not files:
        raise steps.Skip("no kernel code yet")
    return run_checkpatch(log, files, IGNORED)


def checkpatch_user(log):
    return run_checkpatch(log, user_sources(), IGNORED_FOR_USERS)


def sparse(log):
    return run_sparse(log, "stock")


def sparse_kunit(log):
    """The suites, and what is built for them only."""
    if not list(CACHE.glob("debug/*/release")):
        raise steps.Skip("no test kernel: scripts/build-debug-kernel")
    return run_sparse(log, "debug")


def run_sparse(log, kernel):
    if not shutil.which("sparse"):
        raise steps.Skip("sparse is not installed")
    if not (REPO / "Kbuild").exists():
        raise steps.Skip("no module yet")
    return asked_once(partial(sparse_is_content, log, kernel),
                      "sparse", kernel, version_of("sparse"), version_of("gcc"),
                      (CACHE / "stock/current").resolve(),
                      *content_of(tracked("Kbuild", "drivers/*", "include/*", "kunit/*",
                                          "tools/bench/floor/*", "scripts/build-module",
                                          "scripts/debug-kernel.config")))


def sparse_is_content(log, kernel):
    # Beside the modules themselves: what is compiled is not compiled again. What the
    # compiler said then may have been mended since, so ask it once more.
    built, complaints = read_by_sparse(log, kernel)
    if complaints:
        forget_objects(REPO / "build" / kernel)
        built, complaints = read_by_sparse(log, kernel)
        print(*complaints, sep="\n", file=log)
    return built and not complaints


def forget_objects(folder):
    """Have everything compiled anew; VMs beside us go on using the modules that are there."""
    (folder / ".built").unlink(missing_ok=True)
    for path in (folder / "src").rglob("*.o"):
        path.unlink()


def read_by_sparse(log, kernel):
    """Whether everything compiles, and what sparse and the compiler say of it."""
    built = steps.command([REPO / "scripts/build-module", kernel], log, SRNIC_SPARSE="1")
    said = (REPO / "build" / kernel / "log").read_text(errors="replace")
    return built, [line for line in said.splitlines()
                   if ": warning: " in line or ": error: " in line]


def kernel_doc(log):
    need_linux()
    files = [path for path in kernel_sources() if b"/**\n" in path.read_bytes()]
    if not files:
        raise steps.Skip("no kernel-doc yet")
    return steps.command(
        ["perl", LINUX / "scripts/kernel-doc", "-none", "-Werror", *files], log)


# Readers that end early
HASTY = re.compile(r"\|\s+(?:\\\n\s*)?"
                   r"(grep -\w*[qm]\w*|head|sed (?:-\w+ )*'[^']*[;} 0-9/]q}?'|awk '[^']*\bexit\b)")


def breaks_a_pipe(path, log):
    """Who reads no more than it needs may end what writes to it by SIGPIPE, and pipefail
    calls that a failure, but now and then only: < <(...) does not."""
    text = path.read_text()
    found = HASTY.findall(text) if "pipefail" in text or "tests/e2e" in str(path) else []
    for reader in found:
        log.write(f"{path}: | {reader}: it may end before the command that it reads from\n")
    return bool(found)


def shell(log):
    fine = True
    for path in scripts(b"sh\n"):
        fine &= steps.command(["bash", "-n", path], log) and not breaks_a_pipe(path, log)
    return fine


def shellcheck(log):
    if not shutil.which("shellcheck"):
        raise steps.Skip("shellcheck is not installed")
    files = scripts(b"sh\n")
    ask = partial(steps.command, ["shellcheck", "-x", "-P", "SCRIPTDIR", *files], log)
    # It follows what they source
    return asked_once(ask, version_of("shellcheck"),
                      *content_of(sorted({*files, *tracked("*.sh", ".shellcheckrc")})))


def python(log):
    fine = True
    for path in {*tracked("*.py"), *scripts(b"python3")}:
        try:
            ast.parse(path.read_text(), str(path))
        except (SyntaxError, UnicodeDecodeError) as error:
            print(error, file=log)
            fine = False
    return fine


def licence(log):
    """Every source says what its licence is."""
    bare = [path for path in tracked("*.[ch]", "*.lua", "*.py", "*.sh", "*Makefile",
                                     "*Kbuild", "scripts/*")
            if b"SPDX-License-Identifier" not in path.read_bytes()[:400]
            and "vendor" not in path.parts and path.stat().st_size]
    for path in bare:
        print(f"{path}: no SPDX-License-Identifier", file=log)
    return not bare


def mutations(log):
    """Each can be applied to the sources as they are; 'make mutate' runs them."""
    return apply_all(log)


def rooms(log):
    """Rooms use only what the table of architecture.md lets them use."""
    return walls.check(log)


def checkers(log):
    """Checks that are ours notice what they should: each is shown planted faults."""
    fine = True
    for path in tracked("scripts/testing/tests/test_*.py"):
        fine &= steps.command([path], log)
    return fine


TESTS = {f"static/{function.__name__.replace('_', '-')}": function
         for function in (checkpatch, checkpatch_user, sparse, kernel_doc, shell, shellcheck,
                          python, licence, mutations, rooms, checkers, sparse_kunit)}
# These come when the modules for the test kernel are there
LATE = ("static/sparse-kunit",)


def run(report, names):
    for name in names:
        steps.run(report, name, TESTS[name])
