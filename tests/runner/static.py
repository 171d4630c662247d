# SPDX-License-Identifier: GPL-2.0
"""Checks that only read: checkpatch, sparse, kernel-doc, and the scripts'."""

import ast
import re
import shutil
import subprocess
from functools import partial
from pathlib import Path

from . import REPO
from . import comments as language
from . import metrics
from . import references as documents
from . import rooms as walls
from . import steps
from . import verbs as table_of_verbs
from . import versions as numbers
from .clean import CACHE, asked_once, content_of
from .files import forget_objects, scripts, tracked
from .mutations import apply_all

LINUX = CACHE / "source" / "current"

# Checks of checkpatch that do not fit code outside the kernel's tree
IGNORED = ",".join((
    "FILE_PATH_CHANGES",        # MAINTAINERS is not ours
    "LINUX_VERSION_CODE",
    "BIT_MACRO",                # user space has none, and includes our uapi
    "CONFIG_DESCRIPTION",
))

# Those that do not fit C in user space
IGNORED_FOR_USERS = ",".join((
    IGNORED,
    # The kernel's own names
    "PREFER_KERNEL_TYPES", "PREFER_DEFINED_ATTRIBUTE_MACRO", "ARRAY_SIZE",
    "USE_NEGATIVE_ERRNO",       # verbs return them positive
    "CAMELCASE",                # _Atomic, _Static_assert
    "CONSTANT_COMPARISON",      # of two constants, in assertions
    "MACRO_ARG_REUSE",          # for_each macros
    "VOLATILE",                 # sig_atomic_t
    # Output, as it looks and on lines of its own
    "LONG_LINE_STRING", "SPLIT_STRING", "EMBEDDED_FUNCTION_NAME",
    # The tools' tables of options, and a = b = c
    "TRAILING_STATEMENTS", "MULTIPLE_ASSIGNMENTS",
    "STATIC_CONST_CHAR_ARRAY",  # mkdtemp() fills it in
    "LINE_SPACING",             # it does not know _Atomic
))


def kernel_sources():
    return tracked("drivers/*.[ch]", "include/*.h", "kunit/*.c", "kunit/*.h",
                   "tools/bench/floor/*.[ch]", "tools/bench/kbench/*.[ch]")


# They stand in for the kernel's headers, and define names that checkpatch objects to
IMITATIONS = ("kunit/host/include/", "kunit/host/shim.h")


def user_sources():
    """C for user space, as we have written it."""
    found = tracked("tools/*.[ch]", "userspace-provider/*.[ch]", "kunit/host/*.[ch]",
                    "tests/*.[ch]")
    return [path for path in found
            if not {"vendor", "floor", "kbench"} & set(path.relative_to(REPO).parts) and
            not str(path.relative_to(REPO)).startswith(IMITATIONS)]


def need_linux():
    if not (LINUX / "Makefile").exists():
        raise steps.Skip("no kernel source: scripts/setup source")


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
    """The suites, and code that is built for them only."""
    if not list(CACHE.glob("debug/*/release")):
        raise steps.Skip("no test kernel: scripts/build-test-kernel")
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
                                          "scripts/*-kernel.config")))


def sparse_is_content(log, kernel):
    # In the folder of the modules, where objects that are there are not compiled again. The
    # log may hold complaints that have been mended since, so compile once more.
    built, complaints = read_by_sparse(log, kernel)
    if complaints:
        forget_objects(REPO / "build" / kernel)
        built, complaints = read_by_sparse(log, kernel)
        print(*complaints, sep="\n", file=log)
    return built and not complaints


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
    """A reader that ends early may end the command that it reads from by SIGPIPE, which pipefail
    calls a failure, now and then. With < <(...) it is none."""
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
                                     "*Kbuild", "scripts/*", "tests/*")
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


def shape(log):
    """Functions, parameters, cycles and names of the module stay within metrics.LIMITS."""
    beyond = list(metrics.excesses(metrics.Code(REPO / "drivers/infiniband/sw/srnic")))
    log.writelines(f"{line}\n" for line in beyond)
    return not beyond


def comments(log):
    """Folders whose comments have been rewritten stay in plain English."""
    return language.check(log)


def references(log):
    """Documents name files, functions and tests that are there."""
    return documents.check(log)


def versions(log):
    """CHANGELOG.md tells the versions that the sources have."""
    return numbers.check(log)


def verbs(log):
    """Each verb has tests of every kind, which are there."""
    return table_of_verbs.check(log)


def netlink(log):
    """The uapi header and the kernel's tables are those of the YAML specification."""
    need_linux()
    modules = "yaml", "jsonschema"      # of the kernel's generator
    if not steps.command(["python3", "-c", f"import {', '.join(modules)}"], log):
        raise steps.Skip("python3 has no " + " or no ".join(modules))
    return steps.command(["make", "-s", "-C", "Documentation/netlink", "check", f"KSRC={LINUX}"],
                         log)


def checkers(log):
    """Checks that are ours notice what they should: each is shown planted faults."""
    fine = True
    for path in tracked("tests/runner/tests/test_*.py"):
        fine &= steps.command([path], log)
    return fine


TESTS = {f"static/{function.__name__.replace('_', '-')}": function
         for function in (checkpatch, checkpatch_user, sparse, kernel_doc, shell, shellcheck,
                          python, licence, mutations, rooms, shape, comments, references, verbs,
                          versions, netlink, checkers, sparse_kunit)}
# These come when the modules for the test kernel are there
LATE = ("static/sparse-kunit",)


def run(report, names):
    for name in names:
        steps.run(report, name, TESTS[name])
