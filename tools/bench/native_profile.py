#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""native_profile - run one contender and work in user-mode Linux for a while, to be sampled.

Runs in the guest (scripts/profile-native). Before it starts it copies the guest's kallsyms
to the folder, to resolve the samples.
"""
import argparse
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
from bed import bed, protected              # noqa: E402
from kbench import MODULE                   # noqa: E402
from native import NATIVE, WORK, verb_of    # noqa: E402


def begin(work, contender, ms):
    return subprocess.Popen(["modprobe", MODULE, f"verb={verb_of(work, contender)}",
                             f"size={work.size}", f"ms={ms}"])


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("--work", choices=WORK, required=True)
    ap.add_argument("--contender", choices=NATIVE, required=True)
    ap.add_argument("--ms", type=int, required=True)
    ap.add_argument("--out", required=True)
    args = ap.parse_args()
    work, contender, out = WORK[args.work], NATIVE[args.contender], Path(args.out)
    with bed(contender.bed), protected(contender):
        with begin(work, contender, args.ms) as running:
            time.sleep(1)
            (out / "kallsyms.new").write_text(Path("/proc/kallsyms").read_text())
            (out / "kallsyms.new").rename(out / "kallsyms")
        if running.returncode:
            sys.exit(f"native_profile: {contender.name} cannot do {work.name}")
        subprocess.run(["rmmod", MODULE], check=True)


if __name__ == "__main__":
    main()
