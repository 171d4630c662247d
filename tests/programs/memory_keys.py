#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""memory_keys - access memory that is protected by keys, with the key and without it.

An owner has a protected region of eight blocks. A peer accesses parts of it over the wire,
on a connection that both have sealed with a key of their own. Each row names the grants that
the peer has, its request, and the required result. If the request must fail, the owner's
memory must be unchanged. Grants that no library would create are forged. Rows that must
succeed show that those beside them fail for the right reason.

usage: memory_keys.py DEVICE [WORD...]      all rows, or those that contain one of the words
       memory_keys.py --policy DEVICE       where a rule demands aead by aes-gcm-128
       memory_keys.py --lossy DEVICE        READs and WRITEs only, repeated

Example:
    in a tests/programs/memory_keys.py srnic0
"""
import errno
import struct
import subprocess
import sys

from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR, MW, MWBindInfo
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPCap, QPInitAttr
from pyverbs.wr import RecvWR, SGE, SendWR
import srnic

from endpoint import completion, connect, errno_of, way_to_self

LOCAL = e.IBV_ACCESS_LOCAL_WRITE
BIND = e.IBV_ACCESS_MW_BIND
ALL = e.IBV_ACCESS_REMOTE_WRITE | e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_ATOMIC
DEPTH, BLOCK, ROOM = 3, 4096, 32768     # the region: eight blocks, and all levels in between
# Its bytes at first. Each row needs them: compute them once
PATTERN = bytes(7 + i * 13 & 0xff for i in range(ROOM))
KEY, KPD = bytes(range(32)), b"a secret of the domain's owner"
SUITES = [("header", "aes-cmac-128"), ("packet", "hmac-sha256"), ("packet", "aes-gmac-128"),
          ("aead", "aes-gcm-128"), ("aead", "chacha20-poly1305")]
OPAQUE = "opaque", "aes-gcm-128"
DONE, NO_ACCESS, SILENCE, NOT_SENT, NO_WINDOW = (
    e.IBV_WC_SUCCESS, e.IBV_WC_REM_ACCESS_ERR, e.IBV_WC_RETRY_EXC_ERR, e.IBV_WC_LOC_PROT_ERR,
    e.IBV_WC_MW_BIND_ERR)
STATUS = {DONE: "done", NO_ACCESS: "remote access error", SILENCE: "no answer",
          NOT_SENT: "not sent", NO_WINDOW: "no window", None: "nothing"}
REFUSED = 1000      # base for errno of immediate errors

# Requests of a peer, and the right that each needs
ASKS = {
    "WRITE": (e.IBV_WR_RDMA_WRITE, "write"),
    "WRITE with immediate": (e.IBV_WR_RDMA_WRITE_WITH_IMM, "write"),
    "READ": (e.IBV_WR_RDMA_READ, "read"),
    "compare and swap": (e.IBV_WR_ATOMIC_CMP_AND_SWP, "atomic"),
    "fetch and add": (e.IBV_WR_ATOMIC_FETCH_AND_ADD, "atomic"),
    "ATOMIC WRITE": (15, "write"),
}
ANOTHER = {"write": "read", "read": "write", "atomic": "write"}


class Bed:
    """A device and the peer's domain. `patience` is the peer's retry count."""

    def __init__(self, device, patience=7):
        self.device, self.patience = device, patience
        self.ctx = Context(name=device)
        self.way = way_to_self(self.ctx)
        self.peers = srnic.Object(self.ctx, PD(self.ctx))

    def refusals(self):
        """Return the number of packets dropped for a wrong seal or proof."""
        said = subprocess.run(["rdma", "statistic", "show", "link", f"{self.device}/1"],
                              capture_output=True, text=True, check=True).stdout.split()
        return sum(int(said[said.index(name) + 1])
                   for name in ("sth_auth_failed", "sth_proof_failed"))


class Owner:
    """A domain, with a key if given, and a protected region in it."""

    def __init__(self, bed, kpd=None, key=None, depth=DEPTH, rights=ALL, protect=True):
        self.bed, self.key, self.depth = bed, key, depth
        self.pd = srnic.Object(bed.ctx, PD(bed.ctx))
        if kpd is not None:
            srnic.key_pd(self.pd, kpd)
        self.memory = MR(self.pd.of, ROOM, LOCAL)
        self.addr = self.memory.buf
        self.memory.write(PATTERN, ROOM)
        self.register(rights)
        if protect:
            self.protect()

    def register(self, rights=ALL):
        self.mr = srnic.Object(self.bed.ctx, MR(self.pd.of, ROOM, LOCAL | BIND | rights,
                                                address=self.addr))

    def protect(self):
        srnic.protect_mr(self.mr, self.depth, BLOCK, self.key)

    def grant(self, right, offset=0, length=ROOM):
        return srnic.Grant.of(self.mr, right).narrow(self.addr + offset, length)

    def untouched(self):
        return self.memory.read(ROOM, 0) == PATTERN


class Pair:
    """Two QPs connected with each other: the peer's sends requests, the owner's receives
    them."""

    def __init__(self, owner, seal=SUITES[0], keys=(KEY, KEY), asked_in=None):
        bed = self.bed = owner.bed
        self.owner = owner
        self.cq, self.owners_cq = CQ(bed.ctx, 64), CQ(bed.ctx, 64)
        self.asks = self.qp(bed.peers, self.cq)
        self.asked = self.qp(asked_in or owner.pd, self.owners_cq)
        self.own = MR(bed.peers.of, ROOM, LOCAL)
        for qp, key in zip((self.asks, self.asked), keys if seal else ()):
            srnic.seal_qp(qp, *seal, key)
        connect(bed.way, self.asks.of, self.asked.of, qp_access_flags=ALL,
                retry_cnt=bed.patience)

    def qp(self, pd, cq):
        cap = QPCap(max_send_wr=64, max_recv_wr=64, max_send_sge=1, max_recv_sge=1)
        init = QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap)
        return srnic.made(self.bed.ctx, lambda: QP(pd.of, init))

    def use(self, *grants):
        """Use grants in packed form, as a peer receives them."""
        for grant in grants:
            srnic.Grant.unpack(grant.pack()).use(self.asks)
        return self

    def listen(self, mr, length):
        self.asked.of.post_recv(RecvWR(num_sge=1, sg=[SGE(mr.buf, length, mr.lkey)]))

    def ask(self, ask, offset, length=8, rkey=None):
        opcode, right = ASKS[ask]
        if opcode == e.IBV_WR_RDMA_WRITE_WITH_IMM:
            self.listen(self.owner.memory, 0)
        length = 8 if right == "atomic" else length
        wr = SendWR(opcode=opcode, num_sge=1, sg=[SGE(self.own.buf, length, self.own.lkey)])
        where = rkey or self.owner.mr.rkey, self.owner.addr + offset
        if right == "atomic":
            wr.set_wr_atomic(*where, 0, 1)
        else:
            wr.set_wr_rdma(*where)
        return self.post(wr)

    def post(self, wr):
        self.asks.of.post_send(wr)
        return completion(self.cq)


FIELDS = {"right": (5, ">B"), "depth": (6, ">B"), "addr": (8, ">Q"), "start": (24, ">Q"),
          "rkey": (32, ">I"), "shift": (36, ">B")}


def forged(grant, **fields):
    """Return a grant with the same key and other fields (srnic_grant_pack(3))."""
    packed = bytearray(grant.pack())
    for name, value in fields.items():
        at, form = FIELDS[name]
        struct.pack_into(form, packed, at, value)
    mac = CMAC(AES(bytes(packed[40:56])))
    mac.update(bytes(packed[:56]))
    packed[56:] = mac.finalize()[:8]
    return srnic.Grant.unpack(bytes(packed))


def rows():
    """Yield (rule, what, expected, function); the function takes a bed, returns status and
    owner or None."""
    for ask, (_, right) in ASKS.items():
        yield from of_one_ask(ask, right)
    for ask in ("READ", "WRITE"):
        yield from of_ranges(ask, ASKS[ask][1])
    yield from of_seals()
    yield from of_objects()


def of_one_ask(ask, right):
    yield "P9", f"{ask} by a grant of the region", DONE, \
        granted(ask, 8, 8, lambda o: o.grant(right))
    yield "P10", f"{ask} by a grant of its block", DONE, \
        granted(ask, 8192, 8, lambda o: o.grant(right, 8192, 4096))
    yield "P10", f"{ask} of its block's last bytes", DONE, \
        granted(ask, 12280, 8, lambda o: o.grant(right, 8192, 4096))
    yield "P8", f"{ask} by a grant derived from the domain's key", DONE, \
        granted(ask, 4096, 8, lambda o: derived(o, right), kpd=KPD)
    yield "P8", f"{ask} by a grant derived from another key", SILENCE, \
        granted(ask, 4096, 8, lambda o: derived(o, right, b"K" * 32), kpd=KPD)
    yield "P8", f"{ask} where the application gave the region's key", DONE, \
        granted(ask, 4096, 8, lambda o: o.grant(right), key=b"m" * 16)
    yield "P9", f"{ask} without a grant", SILENCE, granted(ask, 8, 8)
    yield "P9", f"{ask} by another region's key", SILENCE, \
        granted(ask, 8, 8, lambda o: forged(Owner(o.bed).grant(right), addr=o.addr,
                                            rkey=o.mr.rkey))
    yield "S12", f"{ask} by a grant of another right", NOT_SENT, \
        granted(ask, 8, 8, lambda o: o.grant(ANOTHER[right]))
    yield "S12", f"{ask} by another right's key", SILENCE, \
        granted(ask, 8, 8, lambda o: forged(o.grant(ANOTHER[right]), right=srnic.RIGHTS[right]))
    yield "P10", f"{ask} by the grant of the block beside it", NOT_SENT, \
        granted(ask, 8, 8, lambda o: o.grant(right, 4096, 4096))
    yield "P10", f"{ask} by the key of the block beside it", SILENCE, \
        granted(ask, 8, 8, lambda o: forged(o.grant(right, 4096, 4096), start=0))
    yield "P10", f"{ask} by the key of half of its block", SILENCE, \
        granted(ask, 8192, 8, lambda o: forged(o.grant(right, 0, 8192), shift=14))
    yield "P10", f"{ask} by a key of a tree that is less deep", SILENCE, \
        granted(ask, 8, 8, lambda o: forged(o.grant(right), depth=DEPTH - 1))
    yield "P10", f"{ask} where no part has a key", DONE, \
        granted(ask, 8, 8, lambda o: o.grant(right), depth=0)
    yield "S11", f"{ask} by a QP without a seal", NO_ACCESS, \
        granted(ask, 8, 8, lambda o: o.grant(right), seal=None)
    yield "S11", f"{ask} by a QP without a seal or a grant", NO_ACCESS, \
        granted(ask, 8, 8, seal=None)
    yield "S11", f"{ask} in opaque mode, which has no proofs", NO_ACCESS, \
        granted(ask, 8, 8, lambda o: o.grant(right), seal=OPAQUE)
    yield "S11", f"{ask} in opaque mode, without a grant", NO_ACCESS, \
        granted(ask, 8, 8, seal=OPAQUE)
    yield "S11", f"{ask} in opaque mode, where the region is not protected", DONE, \
        granted(ask, 8, 8, seal=OPAQUE, protect=False)
    yield "S11", f"{ask} where the region itself does not let it", NO_ACCESS, \
        granted(ask, 8, 8, rights=0)
    yield "S11", f"{ask} by a grant where the region does not let it", SILENCE, \
        granted(ask, 8, 8, lambda o: o.grant(right), rights=0)
    yield "S11", f"{ask} to a region of another domain", NO_ACCESS, elsewhere(ask)
    yield "S12", f"{ask} by the rkey of a region that has ended", SILENCE, stale(ask, False)
    yield "S12", f"{ask} by the key of a region that has ended", SILENCE, stale(ask, True)
    yield "S11", f"{ask} after the grants were dropped", SILENCE, dropped(ask)


def of_ranges(ask, right):
    parts = ((0, 4096), (4096, 4096))
    yield "S12", f"{ask} over two blocks, by grants of both", NOT_SENT, \
        granted(ask, 4000, 200, *(lambda o, p=p: o.grant(right, *p) for p in parts))
    for offset, length in ((4000, 96), (4096, 104)):
        yield "S12", f"{ask} of the part in one of them", DONE, \
            granted(ask, offset, length, *(lambda o, p=p: o.grant(right, *p) for p in parts))
    yield "P10", f"{ask} over two blocks, by a grant of the block around them", DONE, \
        granted(ask, 4000, 200, lambda o: o.grant(right, 0, 8192))
    yield "S12", f"{ask} of what a cover of a range is for", DONE, covered(ask, right)
    yield "P9", f"{ask} of many packets", DONE, \
        granted(ask, 0, ROOM, lambda o: o.grant(right))
    yield "P9", f"{ask} of many packets, the last of them beyond the grant", NOT_SENT, \
        granted(ask, 0, 16385, lambda o: o.grant(right, 0, 16384))
    yield "S11", f"{ask} of no bytes, without a grant", DONE, granted(ask, 0, 0)
    for seal in SUITES[1:]:
        yield "P9", f"{ask} by a grant, {' by '.join(seal)}", DONE, \
            granted(ask, 8, 3000, lambda o: o.grant(right, 0, 4096), seal=seal)
        yield "P9", f"{ask} without a grant, {' by '.join(seal)}", SILENCE, \
            granted(ask, 8, 3000, seal=seal)


def of_seals():
    yield "S19", "a seal that both applications ask for", DONE, sealed(KEY, KEY)
    yield "S19", "keys that are not the same", SILENCE, sealed(KEY, KEY[::-1])
    yield "P7", "the domains' key, on both ends", DONE, sealed(None, None, KPD, KPD)
    yield "P7", "domains whose keys are not the same", SILENCE, sealed(None, None, KPD, KEY)
    yield "P7", "the domains' key on one end, a connection's on the other", SILENCE, \
        sealed(KPD, None, None, KPD)
    yield "S19", "a seal without any key", refused(errno.EACCES), sealed(None, None)
    yield "S13", "a key that was drawn, for a connection", refused(errno.EACCES), \
        drawn_for_connection
    yield "P9", "SEND, without a grant, into the region", DONE, send_into


def of_objects():
    yield "P8", "a second key of a domain", refused(errno.EEXIST), second_key
    yield "P8", "a key of a domain that has drawn one", refused(errno.EEXIST), key_after_drawing
    yield "P8", "a second protection", refused(errno.EEXIST), \
        lambda bed: (tried(Owner(bed).protect), None)
    yield "P8", "a grant of what is not protected", refused(errno.ENOKEY), \
        lambda bed: (tried(lambda: Owner(bed, protect=False).grant("read")), None)
    yield "P8", "to register other bytes by a protected region's key", refused(errno.EOPNOTSUPP), \
        reregister
    yield "S11", "a window on a protected region", NO_WINDOW, bind_window
    yield "S11", "to protect a region that has a window", refused(errno.EBUSY), \
        protect_under_window
    yield "S19", "a seal when it is too late", refused(errno.EINVAL), seal_late
    yield "S19", "a suite that there is not", refused(errno.EINVAL), seal_with(("aead", "rot-13"))
    yield "S19", "a suite that does not have the mode", refused(errno.EOPNOTSUPP), \
        seal_with(("header", "aes-gcm-128"))
    yield "S19", "a seal of a datagram QP", refused(errno.EOPNOTSUPP), seal_datagrams
    yield "S13", "another context's objects", refused(errno.ENOENT), of_another_context
    yield "S11", "more grants than a QP has room for", refused(errno.ENOSPC), too_many_grants
    yield "S11", "to drop what was not there", refused(errno.ENOENT), drop_nothing


def of_policy():
    """Yield rows for a namespace with a rule for aead by aes-gcm-128, and a key."""
    strong, weak = ("aead", "aes-gcm-256"), ("packet", "aes-cmac-256")
    yield "S19", "a seal of a mode that covers more, by the policy's key", DONE, \
        sealed(None, None, seal=OPAQUE)
    yield "S19", "the policy's seal alone", DONE, sealed(None, None, seal=None)
    yield "S19", "a stronger seal, by the policy's key", DONE, sealed(None, None, seal=strong)
    yield "S19", "a key beside the policy's", DONE, sealed(KEY, KEY)
    yield "S19", "another key beside the policy's", SILENCE, sealed(KEY, KEY[::-1])
    yield "S19", "a key beside the policy's on one end only", SILENCE, sealed(KEY, None)
    yield "S19", "a seal that is weaker than the policy's", refused(errno.EACCES), \
        sealed(KEY, KEY, seal=weak)
    yield "P9", "WRITE by a grant under the policy's seal", DONE, \
        granted("WRITE", 8, 8, lambda o: o.grant("write"), seal=None)
    yield "P9", "WRITE without a grant under the policy's seal", SILENCE, \
        granted("WRITE", 8, 8, seal=None)


def granted(ask, offset, length, *grants, seal=SUITES[0], **region):
    """Send a request with these grants. A request that failed must have changed nothing."""
    def run(bed):
        owner = Owner(bed, **region)
        pair = Pair(owner, seal).use(*(grant(owner) for grant in grants))
        status = pair.ask(ask, offset, length)
        if status == DONE and ask == "READ" and \
                pair.own.read(length, 0) != PATTERN[offset:offset + length]:
            raise RuntimeError("it has read something else")
        return status, owner if status != DONE or ask == "READ" or not length else None
    return run


def derived(owner, right, kpd=KPD):
    return srnic.Grant.derive(kpd, owner.addr, ROOM, owner.mr.rkey, right, DEPTH, BLOCK)


def elsewhere(ask):
    """The connection belongs to one domain of the owner, the region to another."""
    def run(bed):
        owner = Owner(bed)
        return Pair(owner, asked_in=Owner(bed).pd).ask(ask, 8), owner
    return run


def stale(ask, renamed):
    """The region was deregistered, and its bytes are registered again."""
    def run(bed):
        owner = Owner(bed, kpd=KPD)
        grant, rkey = owner.grant(ASKS[ask][1]), owner.mr.rkey
        owner.mr.of.close()
        owner.register()
        owner.protect()
        if owner.mr.rkey == rkey:
            raise RuntimeError("the rkey is the same")
        if renamed:
            grant, rkey = forged(grant, rkey=owner.mr.rkey), owner.mr.rkey
        return Pair(owner).use(grant).ask(ask, 8, 8, rkey), owner
    return run


def dropped(ask):
    def run(bed):
        owner = Owner(bed)
        pair = Pair(owner).use(owner.grant(ASKS[ask][1]), owner.grant(ASKS[ask][1], 0, 4096))
        if pair.ask(ask, 0) != DONE:
            return None, None
        srnic.drop_grants(pair.asks, owner.mr.rkey)
        owner.memory.write(PATTERN, ROOM)
        return pair.ask(ask, 0), owner
    return run


def covered(ask, right):
    """Access a range that is not one block, each part by a grant of its own."""
    def run(bed):
        owner = Owner(bed)
        parts = list(srnic.Grant.of(owner.mr, right).cover(owner.addr + 4096, 20480))
        pair = Pair(owner).use(*parts)
        if [part.length for part in parts] != [4096, 8192, 8192]:
            return None, owner
        for part in parts:
            status = pair.ask(ask, part.addr - owner.addr, part.length)
            if status != DONE:
                return status, None
        return status, None
    return run


def sealed(one, other, peers_kpd=None, owners_kpd=None, seal=SUITES[3]):
    """WRITE to unprotected memory on a connection whose ends have these keys."""
    def run(bed):
        bed = Bed(bed.device, bed.patience)
        if peers_kpd:
            srnic.key_pd(bed.peers, peers_kpd)
        owner = Owner(bed, kpd=owners_kpd, protect=False)
        return tried(lambda: Pair(owner, seal, (one, other)).ask("WRITE", 8)), None
    return run


def drawn_for_connection(bed):
    bed = Bed(bed.device)
    srnic.key_pd(bed.peers)
    owner = Owner(bed, protect=False)
    return tried(lambda: Pair(owner, SUITES[3], (None, KEY))), None


def send_into(bed):
    """The owner's receive request names the memory, not the peer."""
    owner = Owner(bed)
    pair = Pair(owner)
    pair.listen(owner.mr, 64)
    status = pair.post(SendWR(opcode=e.IBV_WR_SEND, num_sge=1,
                              sg=[SGE(pair.own.buf, 64, pair.own.lkey)]))
    return status if owner.memory.read(64, 0) == pair.own.read(64, 0) else None, None


def second_key(bed):
    owner = Owner(bed, kpd=KPD)
    return tried(lambda: srnic.key_pd(owner.pd, KPD)), None


def key_after_drawing(bed):
    owner = Owner(bed)
    return tried(lambda: srnic.key_pd(owner.pd, KPD)), None


def reregister(bed):
    owner = Owner(bed)
    return tried(lambda: owner.mr.of.rereg(e.IBV_REREG_MR_CHANGE_TRANSLATION, addr=owner.addr,
                                           length=4096)), owner


def window_on(owner, pair):
    window = MW(owner.pd.of, e.IBV_MW_TYPE_2)
    wr = SendWR(opcode=e.IBV_WR_BIND_MW)
    wr.set_bind_wr(window, MWBindInfo(owner.mr.of, owner.addr, ROOM, ALL))
    pair.asked.of.post_send(wr)
    return window, completion(pair.owners_cq)


def bind_window(bed):
    owner = Owner(bed)
    pair = Pair(owner)
    window, status = window_on(owner, pair)
    window.close()
    return status, owner


def protect_under_window(bed):
    owner = Owner(bed, protect=False)
    pair = Pair(owner)              # windows of type 2 end with their QP
    window, status = window_on(owner, pair)
    got = tried(owner.protect) if status == DONE else status
    window.close()
    return got, None


def seal_late(bed):
    pair = Pair(Owner(bed))
    return tried(lambda: srnic.seal_qp(pair.asks, *SUITES[0], KEY)), None


def bare_qp(bed, kind=e.IBV_QPT_RC):
    cq = CQ(bed.ctx, 4)
    init = QPInitAttr(qp_type=kind, scq=cq, rcq=cq, cap=QPCap(max_send_wr=4, max_recv_wr=4))
    return srnic.made(bed.ctx, lambda: QP(bed.peers.of, init))


def seal_with(seal):
    return lambda bed: (tried(lambda: srnic.seal_qp(bare_qp(bed), *seal, KEY)), None)


def seal_datagrams(bed):
    return tried(lambda: srnic.seal_qp(bare_qp(bed, e.IBV_QPT_UD), *SUITES[0], KEY)), None


def of_another_context(bed):
    """Use the handle of a domain on a context that has fewer of them."""
    owner, other = Owner(bed), Context(name=bed.device)
    for what, call in ((owner.pd, srnic.key_pd), (owner.mr, srnic.protect_mr),
                       (owner.mr, lambda mr: srnic.Grant.of(mr, "read"))):
        got = tried(lambda call=call, what=what: call(srnic.Object(other, what.of)))
        if got != refused(errno.ENOENT):
            return got, owner
    return got, owner


def too_many_grants(bed):
    owner = Owner(bed)
    pair, grant = Pair(owner), owner.grant("read")
    for _ in range(128):
        grant.use(pair.asks)
    return tried(lambda: grant.use(pair.asks)), None


def drop_nothing(bed):
    owner = Owner(bed)
    pair = Pair(owner).use(owner.grant("read"))
    return tried(lambda: srnic.drop_grants(pair.asks, owner.mr.rkey ^ 1)), None


def refused(code):
    return REFUSED + code


def tried(call):
    """Return the call's result, or its errno as an immediate error."""
    try:
        return call()
    except (OSError, PyverbsError) as error:
        return refused(errno_of(error))


def said(status):
    if status in STATUS:
        return STATUS[status]
    return errno.errorcode.get(status - REFUSED, f"status {status}")


def run_row(bed, rule, what, expected, attempt):
    """Run a row; return whether the result is as expected."""
    counted = bed.refusals()
    # Silence is expected after few retries; other requests may need more on a slow machine
    bed.patience = 1 if expected == SILENCE else 7
    got, owner = attempt(bed)
    fault = "" if got == expected else f", not {said(expected)}"
    if owner and not owner.untouched():
        fault += "; and the memory has changed"
    if owner and expected == SILENCE and bed.refusals() == counted:
        fault += "; and nobody has counted it"
    print(f"{'FAIL' if fault else 'ok  '} {rule}: {what}: {said(got)}{fault}", flush=True)
    return not fault


def again_and_again(bed, times=60):
    """Lost requests are retransmitted with a proof each time. A proven request gives no
    other request access."""
    owner = Owner(bed)
    pair = Pair(owner, SUITES[3]).use(*(owner.grant(right, 8192, 8192)
                                                    for right in ("read", "write")))
    for turn in range(times):
        data = PATTERN[turn:turn + 8192]
        pair.own.write(data, 8192)
        if pair.ask("WRITE", 8192, 8192) != DONE or owner.memory.read(8192, 8192) != data:
            return False
        pair.own.write(bytes(8192), 8192)
        if pair.ask("READ", 8192, 8192) != DONE or pair.own.read(8192, 0) != data:
            return False
    return True


def main():
    args = sys.argv[1:]
    if not args or args[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if args else 2
    if args[0] == "--lossy":
        fine = again_and_again(Bed(args[1]))
        print("every byte as it was written" if fine else "FAIL: not what was written")
        return 0 if fine else 1
    table, args = (of_policy(), args[1:]) if args[0] == "--policy" else (rows(), args)
    bed, words = Bed(args[0]), args[1:]
    results = [run_row(bed, *row) for row in table
               if not words or any(word in row[1] for word in words)]
    print(f"{sum(results)} as they should be, {len(results) - sum(results)} not")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
