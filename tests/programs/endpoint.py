# SPDX-License-Identifier: GPL-2.0
"""Connect QPs, wait for completions and decode errors, for the tools in this folder."""
import ipaddress
import time

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.qp import QPAttr

GIDS = 16           # entries of the GID table to search for an IPv4 address


def own_gid(ctx):
    """Return (index, GID) of the device's first IPv4 address. A link-local GID may contain
    ":ffff:", too: its MAC address is drawn at random."""
    gids = (ctx.query_gid(port_num=1, index=i).gid for i in range(GIDS))
    return next(row for row in enumerate(gids)
                if ipaddress.IPv6Address(row[1]).ipv4_mapped)


def way_to(gid, sgid_index):
    return AHAttr(port_num=1, is_global=1,
                  gr=GlobalRoute(dgid=GID(gid), sgid_index=sgid_index))


def way_to_self(ctx):
    index, gid = own_gid(ctx)
    return way_to(gid, index)


def connection(way, qp_num, **numbers):
    """Return attributes for to_rts(); all but the peer's QPN can be overridden."""
    attr = QPAttr(port_num=1)
    attr.ah_attr = way
    attr.dest_qp_num = qp_num
    attr.path_mtu = e.IBV_MTU_1024
    attr.timeout, attr.retry_cnt, attr.rnr_retry, attr.min_rnr_timer = 14, 7, 7, 12
    attr.max_rd_atomic = attr.max_dest_rd_atomic = 4
    for name, number in numbers.items():
        setattr(attr, name, number)
    return attr


def connect(way, one, other, **numbers):
    """Connect two QPs with each other, both by the same way, with the same attributes."""
    for qp, to in ((one, other), (other, one)):
        qp.to_rts(connection(way, to.qp_num, **numbers))


def completion(cq, limit=120):
    """Return the status of the next completion, or None if there is none in time."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        found = cq.poll(1)[1]
        if found:
            return found[0].status
        time.sleep(0.001)
    return None


def errno_of(error):
    """Return the errno of a PyverbsError or OSError; pyverbs puts some only at the end of
    the text."""
    code = getattr(error, "errno", None) or getattr(error, "error_code", None)
    if code:
        return code
    tail = str(error).rpartition("Errno: ")[2].split(",")[0].strip()
    return int(tail) if tail.isdigit() else -1
