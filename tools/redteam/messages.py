#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Valid and invalid netlink messages to srnic (RFC 5042 section 6.5, R28).

    messages.py DEV PORT NUMBER [SEED]

The grammar is Documentation/netlink/specs/srnic.yaml. A privileged process (root in the
device's namespace) must be granted each operation often enough, or the run has shown
nothing; an unprivileged one must never be granted an administrator's operation. The run
changes DEV's quotas, limits and peers, the P_Keys and the MTU of PORT, an InfiniBand port, and
the namespace's keys and rules. The seed is printed; the same seed yields the same messages.
"""

import errno
import os
import random
import socket
import struct
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import yaml

from netlink import attr, attrs_of

SPEC = Path(__file__).resolve().parents[2] / "Documentation/netlink/specs/srnic.yaml"

NETLINK_GENERIC, CTRL_ID, CTRL_GETFAMILY, CTRL_FAMILY_ID, CTRL_FAMILY_NAME = 16, 16, 3, 1, 2
CTRL_MCAST_GROUPS, CTRL_MCAST_ID = 7, 2
REQUEST, ACK, DUMP = 1, 4, 0x300
MSG_ERROR, MSG_DONE = 2, 3
NESTED = 0x8000
SOL_NETLINK, ADD_MEMBERSHIP = 270, 1

ODD = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]
LEAST, SHARE = 1, 100    # required grants of each operation: LEAST, and one in SHARE messages

QUOTAS = ["ucontext", "pd", "ah", "srq", "qp", "cq", "mr", "mw", "mcast", "mcast_qp"]
SUITES = {1: "aes-cmac-128", 2: "aes-gmac-128", 3: "aes-gcm-128"}
MAPPED = bytes(10) + b"\xff\xff"
WIDTHS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q"}


class Socket:
    """A generic netlink socket; each request is answered or refused synchronously."""

    def __init__(self):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_GENERIC)
        self.sock.settimeout(20)
        self.serial = 0

    def send(self, family, cmd, body, flags, lie=None):
        self.serial += 1
        length = 20 + len(body) if lie is None else lie
        head = struct.pack("IHHII", length & 0xffffffff, family, REQUEST | flags, self.serial, 0)
        self.sock.send(head + struct.pack("BBH", cmd, 1, 0) + body)

    def answers(self):
        """Yield the attributes of each reply, then the error, 0 if there is none."""
        while True:
            data = self.sock.recv(1 << 18)
            while len(data) >= 16:
                length, kind, _, serial, _ = struct.unpack_from("IHHII", data)
                body, data = data[16:length], data[(length + 3) & ~3:]
                if serial != self.serial:
                    continue        # a notification, or an answer to an earlier request
                if kind in (MSG_ERROR, MSG_DONE):
                    yield -struct.unpack_from("i", body)[0]
                    return
                yield attrs_of(body[4:])

    def ask(self, *message):
        self.send(*message)
        return list(self.answers())


class Grammar:
    """The specification, with the numbers assigned by its lists."""

    def __init__(self):
        spec = yaml.load(SPEC.read_text(), yaml.CSafeLoader)
        self.sets = {s["name"]: {a["name"]: (number, a) for number, a in
                                 enumerate(s["attributes"], 1)}
                     for s in spec["attribute-sets"]}
        self.operations = []
        for number, op in enumerate(spec["operations"]["list"], 1):
            if "do" in op or "dump" in op:
                self.operations.append((number, op))


class Writer:
    """Writes requests by the grammar, with values from `chance`."""

    def __init__(self, grammar, chance, device, port):
        self.grammar, self.chance = grammar, chance
        self.device, self.port = device, port

    def one_in(self, n):
        return not self.chance.randrange(n)

    def address(self):
        if self.one_in(4):
            return b"\xfd\x77" + bytes(13) + b"\x01"
        return MAPPED + bytes([10, 77, 0, self.chance.randrange(2)])

    def sense(self, operation):
        """Return consistent values by attribute name."""
        mode = self.chance.choice([1, 2, 3])
        name = f"k{self.chance.randrange(4)}".encode() + b"\0"
        if operation.startswith("policy"):
            return {"prefix": MAPPED + bytes([10, self.chance.randrange(4), 0, 0]),
                    "prefix-len": 112, "rule": self.chance.choice([1, 2]), "mode": mode,
                    "suite": SUITES[mode].encode() + b"\0", "key": name}
        if operation.startswith("key"):
            return {"name": name, "secret": self.chance.randbytes(self.chance.randint(16, 32))}
        if operation == "quota-set":
            return {"index": self.device, "name": self.chance.choice(QUOTAS).encode() + b"\0",
                    "limit": self.chance.randrange(1 << 16)}
        if operation == "limit-set":
            limit = self.chance.choice(["idle", "faults", "cutoff", "greed", "ecn"])
            return {"index": self.device, "name": limit.encode() + b"\0",
                    "value": self.chance.randrange(60)}
        if operation.startswith("pkey"):
            return {"index": self.port, "pkey": 0x8001 + self.chance.randrange(8)}
        if operation.startswith("node"):
            gid = b"\xfe\x80" + bytes(13) + bytes([1 + self.chance.randrange(8)])
            return {"index": self.port, "gid": gid, "role": self.chance.randrange(2)}
        if operation == "mtu-set":
            return {"index": self.port, "ib-mtu": self.chance.choice([256, 512, 1024, 2048, 4096])}
        return {"dev-index": self.device, "address": self.address(),
                "seconds": self.chance.randrange(30)}

    def payload(self, kind, value):
        if kind == "flag":
            return b""
        if isinstance(value, bytes):
            return value
        return struct.pack(WIDTHS[kind], value)

    def nest(self, spec, sense):
        body = b""
        for name, (number, inner) in self.grammar.sets[spec["nested-attributes"]].items():
            if name in sense:
                body += attr(number, self.payload(inner["type"], sense[name]))
        return body

    def spoil(self, number, payload):
        """Return an attribute with one fault."""
        way = self.chance.randrange(6)
        if way == 0:
            payload = payload[:self.chance.randrange(len(payload) + 1)]
        elif way == 1:
            payload += self.chance.randbytes(self.chance.randrange(64))
        elif way == 2:
            return attr(number, payload, self.chance.choice(ODD))
        elif way == 3:
            number = self.chance.choice(ODD) ^ self.chance.randrange(32)
        elif way == 4 and payload:
            payload = self.chance.randbytes(len(payload))
        else:
            payload = attr(number, payload) * self.chance.randrange(1, 40)
            number |= NESTED
        return attr(number, payload)

    def body(self, op, spoilt):
        how = op.get("do") or op["dump"]
        names = how.get("request", {}).get("attributes", [])
        sense = self.sense(op["name"])
        wrong = self.chance.randrange(len(names)) if spoilt and names else -1
        out = b""
        for i, name in enumerate(names):
            number, spec = self.grammar.sets[op["attribute-set"]][name]
            if spec["type"] == "flag" and self.one_in(2):
                continue
            nested = spec["type"] == "nest"
            payload = self.nest(spec, sense) if nested else self.payload(spec["type"],
                                                                         sense.get(name))
            kind = number | (NESTED if nested else 0)
            if i == wrong and self.one_in(4):
                continue
            out += self.spoil(kind, payload) if i == wrong else attr(kind, payload)
        return out


class Fuzzer:
    def __init__(self, device, port, seed):
        self.chance = random.Random(seed)
        self.grammar = Grammar()
        self.socket = Socket()
        self.granted, self.why = Counter(), defaultdict(Counter)
        family = self.socket.ask(CTRL_ID, CTRL_GETFAMILY,
                                 attr(CTRL_FAMILY_NAME, b"srnic\0"), ACK)[0]
        self.family, = struct.unpack("H", family[CTRL_FAMILY_ID])
        group = attrs_of(attrs_of(family[CTRL_MCAST_GROUPS]).popitem()[1])
        self.group, = struct.unpack("I", group[CTRL_MCAST_ID])
        self.writer = Writer(self.grammar, self.chance, self.find(device), self.find(port))

    def find(self, device):
        number, = (n for n, op in self.grammar.operations if op["name"] == "dev-get")
        names = self.grammar.sets["dev"]
        for entry in self.socket.ask(self.family, number, b"", DUMP)[:-1]:
            if entry[names["name"][0]] == device.encode() + b"\0":
                return struct.unpack("I", entry[names["index"][0]])[0]
        raise SystemExit(f"messages: no device {device} here")

    def leave(self):
        """Start a dump without reading it to the end; join and leave the group."""
        other = Socket()
        try:
            other.sock.setsockopt(SOL_NETLINK, ADD_MEMBERSHIP, self.group)
        except PermissionError:
            pass
        number, _ = self.chance.choice([o for o in self.grammar.operations if "dump" in o[1]])
        other.send(self.family, number, b"", DUMP)
        other.sock.close()

    def message(self):
        number, op = self.chance.choice(self.grammar.operations)
        spoilt = self.writer.one_in(2)
        flags, lie = ACK if "do" in op else DUMP, None
        body = self.writer.body(op, spoilt)
        if spoilt and self.writer.one_in(8):
            flags = self.chance.choice([ACK, DUMP])
        if spoilt and self.writer.one_in(8):
            number = self.chance.choice(ODD) & 0xff
        if spoilt and self.writer.one_in(16):
            lie = self.chance.choice(ODD)
        try:
            self.socket.send(self.family, number, body, flags, lie)
            # the core silently drops messages with a wrong length
            if lie is not None:
                return
            error = list(self.socket.answers())[-1]
        except OSError as problem:
            error = problem.errno
        name = op["name"] if number in (n for n, o in self.grammar.operations if o is op) \
            else "unknown"
        if error:
            self.why[name][errno.errorcode.get(error, error)] += 1
        else:
            self.granted[name] += 1

    def may(self, op):
        return os.geteuid() == 0 or "uns-admin-perm" not in op.get("flags", [])

    def sent(self, op):
        return self.granted[op["name"]] + sum(self.why[op["name"]].values())

    def too_few(self, op):
        """Test whether a permitted operation has been granted too rarely."""
        granted = self.granted[op["name"]]
        return self.may(op) and (granted < LEAST or granted * SHARE < self.sent(op))

    def lacks(self):
        return any(self.too_few(op) for _, op in self.grammar.operations)

    def run(self, messages):
        """Send `messages`, and up to ten times as many until each operation was granted often
        enough: chance may be against one of them."""
        for turn in range(10 * messages):
            if turn >= messages and not self.lacks():
                return
            if self.writer.one_in(20):
                self.leave()
            self.message()

    def report(self):
        """Print the results; return whether the run has shown what it must."""
        good = True
        for _, op in self.grammar.operations:
            name = op["name"]
            granted = self.granted[name]
            word = ""
            if self.too_few(op):
                word = "TOO FEW "
            elif granted and not self.may(op):
                word = "GRANTED "
            good &= not word
            why = " ".join(f"{k} {n}" for k, n in sorted(self.why[name].items()))
            print(f"{name:<16}{granted:>7}{self.sent(op) - granted:>7}  {word}{why}")
        total = sum(self.granted.values()) + sum(sum(w.values()) for w in self.why.values())
        print(f"{total} messages")
        return good


def main():
    if len(sys.argv) not in (4, 5):
        print(__doc__, file=sys.stderr)
        return 2
    seed = int(sys.argv[4], 0) if len(sys.argv) > 4 else int(time.time())
    print(f"seed {seed}", flush=True)
    fuzzer = Fuzzer(*sys.argv[1:3], seed)
    fuzzer.run(int(sys.argv[3]))
    return 0 if fuzzer.report() else 1


if __name__ == "__main__":
    sys.exit(main())
