#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""migration - let one QEMU migrate to another by RDMA, and save the memory of both.

Both are paused. The source's socket for QMP is FOLDER/a, and FOLDER/b that of the destination,
which was started with `-incoming defer`. The memory is left in FOLDER/a.memory and b.memory.

Example:
    tests/programs/migration.py --pin-all /run/test/qemu rdma:10.77.0.2:4444 64
"""

import argparse
import json
import socket
import sys
import time

MIB = 1 << 20


class Machine:
    """A QEMU, by its socket."""

    def __init__(self, path):
        self.path = path
        end = socket.socket(socket.AF_UNIX)
        end.connect(path)
        self.file = end.makefile("rw")
        self.read()             # the greeting
        self.ask("qmp_capabilities")

    def read(self):
        """Return the next answer or event."""
        line = self.file.readline()
        if not line:
            sys.exit(f"{self.path}: QEMU has ended")
        return json.loads(line)

    def ask(self, command, **arguments):
        """Return the answer to a command, past events."""
        print(json.dumps({"execute": command, "arguments": arguments}), file=self.file, flush=True)
        answer = {}
        while "return" not in answer:
            answer = self.read()
            if "error" in answer:
                sys.exit(f"{self.path}: {command}: {answer['error']['desc']}")
        return answer["return"]

    def prepare(self, pin_all):
        """Set what both ends have to agree on, and do not limit the rate."""
        self.ask("migrate-set-capabilities",
                 capabilities=[{"capability": "rdma-pin-all", "state": pin_all}])
        self.ask("migrate-set-parameters", **{"max-bandwidth": 1 << 40})

    def migrated(self):
        """Wait until the migration has ended; return its figures of the memory."""
        while True:
            now = self.ask("query-migrate")
            if now.get("status") == "completed":
                return now.get("ram")
            if now.get("status") in ("failed", "cancelled"):
                sys.exit(f"{self.path}: {now}")
            time.sleep(0.2)

    def save(self, size):
        """Write the memory into a file."""
        self.ask("pmemsave", val=0, size=size, filename=self.path + ".memory")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pin-all", action="store_true",
                        help="register all memory at once, not chunk by chunk")
    parser.add_argument("folder")
    parser.add_argument("uri")
    parser.add_argument("mib", type=int, help="memory of each, in MiB")
    args = parser.parse_args()
    source, target = Machine(args.folder + "/a"), Machine(args.folder + "/b")
    for machine in source, target:
        machine.prepare(args.pin_all)
    target.ask("migrate-incoming", uri=args.uri)
    source.ask("migrate", uri=args.uri)
    ram = source.migrated()
    target.migrated()
    for machine in source, target:
        machine.save(args.mib * MIB)
    print(f"{ram['normal-bytes']} bytes were written, {ram['duplicate']} pages named as zero")
    return 0


if __name__ == "__main__":
    sys.exit(main())
