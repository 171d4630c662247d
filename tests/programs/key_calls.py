#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""key_calls - call the methods that set keys as no library would.

Each invalid call must fail with the right error and change nothing. Random calls follow;
device and kernel must survive them. Lengths and offsets are those of
include/uapi/rdma/srnic-ioctl.h, written down independently.

usage: key_calls.py DEVICE [ROUNDS]     random calls: 1500 by default

Example:
    in a tests/programs/key_calls.py srnic0
"""
import ctypes
import errno
import random
import struct
import sys

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.qp import QP, QPCap, QPInitAttr
import srnic

from memory_keys import DONE, Bed, Owner, Pair

PD, QUEUE, REGION = srnic.OBJECTS["pd"], srnic.OBJECTS["qp"], srnic.OBJECTS["mr"]
NS = 0x1000         # base of a driver's methods and attributes
SET_KEY, SEAL, USE, DROP, PROTECT, GRANT, BIND = (
    (PD, 0), (QUEUE, 0), (QUEUE, 1), (QUEUE, 2), (REGION, 0), (REGION, 1), (REGION, 2))
HANDLE, FIRST, SECOND = range(NS, NS + 3)
NOWHERE = 8         # an unmapped address


def attr(number, data, length=None, flags=srnic.MANDATORY, zero=0):
    """Build an attribute: a handle if data is a number; data of more than 8 bytes goes by
    address."""
    if isinstance(data, int):
        return srnic._Attr(number, length or 0, flags, zero, data), None
    length = len(data) if length is None else length
    if len(data) <= 8:
        return srnic._Attr(number, length, flags, zero,
                           int.from_bytes(data.ljust(8, b"\0"), sys.byteorder)), None
    room = ctypes.create_string_buffer(bytes(data), len(data))
    return srnic._Attr(number, length, flags, zero, ctypes.addressof(room)), room


def call(context, method, *attrs):
    """Call a method; return 0 or an errno."""
    request = srnic._Call(object=method[0], method=NS + method[1], num_attrs=len(attrs),
                          driver=srnic.DRIVER_ID, length=24 + 16 * len(attrs))
    for i, (each, _) in enumerate(attrs):
        request.attrs[i] = each
    if srnic._libc.ioctl(context.cmd_fd, ctypes.c_uint64(srnic.RDMA_VERBS_IOCTL),
                         ctypes.byref(request)):
        return ctypes.get_errno()
    return 0


def seal(suite=b"aes-gcm-128", mode=3, reserved=bytes(7)):
    return suite.ljust(32, b"\0") + bytes([mode]) + reserved


def tree(depth=3, block_shift=12, reserved=bytes(6)):
    return bytes([depth, block_shift]) + reserved


def grant(addr=0, length=32768, start=0, rkey=0x100, right=1, depth=3, block_shift=12,
          node_shift=15):
    return struct.pack("=QQQIBBBB", addr, length, start, rkey, right, depth, block_shift,
                       node_shift) + b"a key of 16 byte"


class Things:
    """One object of each kind, without a key."""

    def __init__(self, bed):
        self.ctx = bed.ctx
        self.owner = Owner(bed, protect=False)
        self.pd, self.mr = self.owner.pd, self.owner.mr
        cq = CQ(bed.ctx, 4)
        init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq,
                          cap=QPCap(max_send_wr=4, max_recv_wr=4))
        self.qp = srnic.made(bed.ctx, lambda: QP(self.pd.of, init))

    def handle(self, method):
        return {PD: self.pd, QUEUE: self.qp, REGION: self.mr}[method[0]].handle


def wrong(things):
    """Yield (what, method, attributes after the handle, errno)."""
    yield from wrong_keys()
    yield from wrong_grants()
    room = bytes(48)
    for right in (0, 4, 1 << 31):
        yield f"a grant of right {right}", GRANT, \
            [attr(FIRST, struct.pack("=I", right)), attr(SECOND, room)], errno.EINVAL
    right = attr(FIRST, struct.pack("=I", 1))
    yield "a grant of what is not protected", GRANT, [right, attr(SECOND, room)], errno.ENOKEY
    yield "room for less than a grant", GRANT, [right, attr(SECOND, room, 47)], errno.EINVAL
    yield "no room for a grant", GRANT, [right], errno.EINVAL
    yield "no queue pair for a region", BIND, [], errno.EINVAL
    yield "a queue pair that there is not", BIND, [attr(FIRST, 0xffff)], errno.ENOENT
    yield "an rkey of 3 bytes", DROP, [attr(FIRST, bytes(3))], errno.EINVAL
    yield "an rkey that has no grants", DROP, [attr(FIRST, bytes(4))], errno.ENOENT


def wrong_keys():
    for length in (0, 1, 15, 33, 64, 65535):
        room = bytes(max(length, 9))
        yield f"a domain's key of {length} bytes", SET_KEY, [attr(FIRST, room, length)], \
            errno.EINVAL
        yield f"a connection's key of {length} bytes", SEAL, \
            [attr(FIRST, seal()), attr(SECOND, room, length)], errno.EINVAL
        yield f"a region's key of {length} bytes", PROTECT, \
            [attr(FIRST, tree()), attr(SECOND, room, length)], errno.EINVAL
    for data, what in ((seal(b"x" * 32), "a suite without an end"), (seal(b"rot-13"), "no suite"),
                       (seal(mode=0), "mode 0"), (seal(mode=5), "mode 5"),
                       (seal(reserved=b"\1" + bytes(6)), "a reserved byte"),
                       (seal()[:-1], "39 bytes"), (seal() + b"\0", "41 bytes")):
        yield f"a seal: {what}", SEAL, [attr(FIRST, data)], errno.EINVAL
    yield "a seal that the suite does not have", SEAL, [attr(FIRST, seal(mode=1))], \
        errno.EOPNOTSUPP
    for data, what in ((tree(64), "64 steps"), (tree(3, 64), "blocks of 2 to the 64th"),
                       (tree(reserved=bytes(5) + b"\1"), "a reserved byte"),
                       (tree()[:-1], "7 bytes"), (tree() + b"\0", "9 bytes")):
        yield f"a tree: {what}", PROTECT, [attr(FIRST, data)], errno.EINVAL
    yield "a key that is nowhere", SET_KEY, [(srnic._Attr(FIRST, 16, 1, 0, NOWHERE), None)], \
        errno.EFAULT
    yield "the same attribute twice", SET_KEY, [attr(FIRST, bytes(16))] * 2, errno.EINVAL
    yield "an attribute that there is not", SET_KEY, [attr(FIRST + 9, bytes(16))], \
        errno.EPROTONOSUPPORT
    yield "a reserved half-word", SET_KEY, [attr(FIRST, bytes(16), zero=1)], errno.EINVAL


def wrong_grants():
    for fields in ({"right": 0}, {"right": 4}, {"right": 255}, {"length": 0},
                   {"length": (1 << 63) + 1, "node_shift": 63}, {"length": (1 << 64) - 1},
                   {"depth": 64}, {"block_shift": 64}, {"node_shift": 16}, {"node_shift": 11},
                   {"node_shift": 64}, {"node_shift": 255}, {"start": 1}, {"start": 32768},
                   {"start": 4096, "node_shift": 13}, {"start": 1 << 63},
                   {"depth": 2, "node_shift": 12}, {"length": 20000, "start": 20480,
                                                    "node_shift": 12}):
        what = ", ".join(f"{name} {value}" for name, value in fields.items())
        yield f"to use a grant: {what}", USE, [attr(FIRST, grant(**fields))], errno.EINVAL
    yield "to use a grant of 47 bytes", USE, [attr(FIRST, grant()[:-1])], errno.EINVAL
    yield "to use a grant of 49 bytes", USE, [attr(FIRST, grant() + b"\0")], errno.EINVAL


def run_row(things, what, method, attrs, expected):
    got = call(things.ctx, method, attr(HANDLE, things.handle(method)), *attrs)
    fine = got == expected
    print(f"{'ok  ' if fine else 'FAIL'} {what}: {errno.errorcode.get(got, got)}"
          + ("" if fine else f", not {errno.errorcode[expected]}"), flush=True)
    return fine


def wrong_handles(things):
    """Yield calls with handles of another kind or another context."""
    whole = {SET_KEY: [], SEAL: [attr(FIRST, seal())], USE: [attr(FIRST, grant())],
             DROP: [attr(FIRST, bytes(4))], PROTECT: [attr(FIRST, tree())],
             BIND: [attr(FIRST, things.qp.handle)]}
    for method, attrs in whole.items():
        other = things.mr if method[0] == PD else things.pd
        for handle in (1 << 20, 0xffffffff, 1 << 40, other.handle):
            if call(things.ctx, method, attr(HANDLE, handle), *attrs) \
                    not in (errno.ENOENT, errno.EINVAL):
                return False
    return True


def is_well(things):
    """Check that the failed calls had no effect: every operation works now."""
    srnic.key_pd(things.pd, b"k" * 32)
    srnic.seal_qp(things.qp, "aead", "aes-gcm-128", b"k" * 16)
    things.owner.protect()
    pair = Pair(things.owner).use(things.owner.grant("read"))
    return pair.ask("READ", 0, 4096) == DONE


def at_random(things, rounds):
    """Make random calls, most of them nearly valid: these get furthest."""
    draw = random.Random(1)
    shapes = {SET_KEY: [bytes(16)], SEAL: [seal(), bytes(16)], USE: [grant()], DROP: [bytes(4)],
              PROTECT: [tree(), bytes(16)], GRANT: [struct.pack("=I", 1), bytes(48)]}
    for _ in range(rounds):
        method, shape = draw.choice(list(shapes.items()))
        attrs = [attr(HANDLE, things.handle(method))]
        for number, data in enumerate(shape, FIRST):
            data = bytearray(data)
            for _ in range(draw.randrange(3)):
                data[draw.randrange(len(data))] = draw.choice((0, 1, 63, 64, 255,
                                                               draw.randrange(256)))
            attrs.append(attr(number, bytes(data)))
            if not draw.randrange(8):
                setattr(attrs[-1][0], draw.choice(("id", "flags", "zero")), draw.randrange(65536))
        if not draw.randrange(8):
            draw.shuffle(attrs)
        call(things.ctx, method, *attrs[:draw.choice((1, 2, 3, 3, 3))])


def main():
    if not 2 <= len(sys.argv) <= 3 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if sys.argv[1:2] in (["-h"], ["--help"]) else 2
    bed = Bed(sys.argv[1])
    things = Things(bed)
    results = [run_row(things, *row) for row in wrong(things)]
    for what, fine in (("handles of nothing, and of something else", wrong_handles(things)),
                       ("afterwards all is as it was", is_well(things))):
        print(f"{'ok  ' if fine else 'FAIL'} {what}", flush=True)
        results.append(fine)
    at_random(Things(bed), int(sys.argv[2]) if sys.argv[2:] else 1500)
    fine = is_well(Things(bed))
    print(f"{'ok  ' if fine else 'FAIL'} after calls at random, too")
    results.append(fine)
    print(f"{sum(results)} as they should be, {len(results) - sum(results)} not")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
