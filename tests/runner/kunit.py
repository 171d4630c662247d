# SPDX-License-Identifier: GPL-2.0
"""KUnit: load every test module on a test kernel and read the reports."""

import os
import re
import subprocess
import time

from . import BUILD, REPO, death
from .ktap import cases
from .report import FAILED, PASSED, Result, log_path
from .vm import VM

CASE = re.compile(r"\bKUNIT_CASE\w*\(\s*(\w+)")
OTHERS = ("test-i386", "test-s390x")     # test kernels that make check does not use
TIMED_OUT = 124     # status of scripts/vm
TIMEOUT = 2400      # three times as long as alone, because other tasks run beside it


def known():
    """Return the names of the cases found in the sources, as kunit/CASE."""
    names = []
    for path in sorted((REPO / "kunit").glob("**/*.c")):
        names += [f"kunit/{name}" for name in CASE.findall(path.read_text())]
    return names


def opened_by_codec(report, path):
    """Let tools/codec open the packets that the suite srnic-sth-opcode has printed."""
    log = log_path("kunit/codec")
    start = time.monotonic()
    report.expect(1)
    with log.open("w") as out:
        status = subprocess.run([REPO / "tools/codec/check.py", path], stdout=out,
                                stderr=subprocess.STDOUT, check=False).returncode
    return Result("kunit/codec", FAILED if status else PASSED, time.monotonic() - start, log,
                  log.read_text().strip().splitlines()[-1] if status else "")


def draw_packets():
    """Generate the input of the suites srnic-sth-random and srnic-sth-datagram.
    SRNIC_RANDOM_PACKETS is the number of packets for the first; the second gets a tenth of
    it."""
    count = int(os.environ.get("SRNIC_RANDOM_PACKETS", "2000"))
    for name, how, many in (("packets", [], count), ("datagrams", ["--datagrams"], count // 10)):
        subprocess.run([REPO / "tools/codec/random_packets.py", *how, "--count", str(many),
                        "--out", BUILD / "kunit" / name], check=True)


def in_a_vm(report, kernel, path):
    """Run all suites, once more if the emulator fails. Return the VM's status and the lines."""
    dmesg = path.with_suffix(".dmesg")
    for again in (False, True):
        dmesg.unlink(missing_ok=True)
        with path.open("w") as log:
            vm = VM(kernel, ["scripts/guest/run-kunit"], log, TIMEOUT,
                    ["--no-build", "--mem", "1G", "--log", dmesg])
            lines = list(vm)
            text = death.kernel_log(dmesg)
            if vm.status == TIMED_OUT:      # scripts/vm prints the end of others
                death.show_end(text, log)
        if again or not vm.status or not death.emulator_bug(text):
            break
        report.say("  … kunit: the emulator has failed, not the kernel; the suites run again")
    return vm.status, lines


def run(report, wanted, kernel="debug"):
    """Run all suites on a test kernel that is built."""
    path = log_path(f"kunit/{kernel}")
    start = time.monotonic()
    report.started("kunit")
    draw_packets()
    status, lines = in_a_vm(report, kernel, path)
    found = [Result(f"kunit/{suite}/{case}", outcome, 0, path, reason)
             for suite, case, outcome, reason in cases("\n".join(lines), depth=1)]
    chosen = [result for result in found
              if wanted(result.name) or result.outcome == FAILED]
    report.expect(len(chosen))
    for result in chosen:
        report.finished(result)
    report.running.pop("kunit", None)

    report.finished(opened_by_codec(report, path))

    # A failure outside of the cases: a splat, a module that does not load, a dead machine
    reason = ""
    if status == 70:
        reason = "the kernel reported trouble"
    elif status:
        reason = f"exit status {status}"
    elif not found:
        reason = "no suite reported anything"
    report.finished(Result("kunit/kernel", FAILED if reason else PASSED,
                           time.monotonic() - start, path, reason))
