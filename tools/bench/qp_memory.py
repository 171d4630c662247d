#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""qp_memory - measure the kernel memory of an idle RC QP, without rings, in bytes.

Creates many QPs, connects each to itself (RTS) or, with --pairs, in pairs, and compares the
kernel's memory before and after. If a policy seals them, they must be pairs, and the memory
of their seals is included. Rings are the process's mappings of the device; memory that the
RDMA core uses for a QP is included. Repeats the measurement, because other memory changes
meanwhile, and prints one JSON object with the median.

Example:
    in a qp_memory.py --device srnic0 --gid-index 1 --gid ::ffff:10.77.0.1
"""
import argparse
import gc
import ipaddress
import json
import resource
import statistics
import subprocess
import sys
import time

import pyverbs.enums as e
from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr

sys.dont_write_bytecode = True
from meminfo import kernel_bytes, ring_bytes    # noqa: E402


def made(pd, cq, args):
    """Create an RC QP."""
    cap = QPCap(max_send_wr=args.depth, max_recv_wr=args.depth, max_send_sge=1, max_recv_sge=1)
    return QP(pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=cq, rcq=cq, cap=cap))


def to_rts(qp, peer, args):
    """Bring the QP to RTS without traffic."""
    attr = QPAttr(port_num=1)
    attr.qp_access_flags = e.IBV_ACCESS_REMOTE_READ
    route = GlobalRoute(dgid=GID(ipaddress.IPv6Address(args.gid).exploded),
                        sgid_index=args.gid_index)
    attr.ah_attr = AHAttr(port_num=1, is_global=1, gr=route)
    attr.dest_qp_num = peer.qp_num
    attr.path_mtu = e.IBV_MTU_1024
    attr.max_dest_rd_atomic = 1
    attr.max_rd_atomic = 1
    attr.timeout = 14
    attr.retry_cnt = 7
    attr.rnr_retry = 7
    qp.to_rts(attr)


def connected(pd, cq, count, args):
    """Create and connect so many QPs."""
    qps = [made(pd, cq, args) for _ in range(count)]
    for i, qp in enumerate(qps):
        to_rts(qp, qps[i ^ 1] if args.pairs else qp, args)
    return qps


def shaken(count):
    """Wait until so many QPs are sealed, in both directions."""
    for _ in range(300):
        qps = json.loads(subprocess.run(["srnic", "-j", "qp"], check=True, text=True,
                                        stdout=subprocess.PIPE).stdout)
        ready = sum(all(flow["ready"] for flow in qp["flows"]) for qp in qps if "flows" in qp)
        if ready >= count:
            return
        time.sleep(0.2)
    raise SystemExit(f"qp_memory: {ready} of {count} queue pairs are sealed")


def measure(pd, cq, args):
    """Return bytes a QP: without its rings, and in its rings."""
    gc.collect()
    rings, before = ring_bytes(), kernel_bytes()
    qps = connected(pd, cq, args.count, args)
    if args.pairs:
        shaken(args.count)
    gc.collect()
    rings, after = ring_bytes() - rings, kernel_bytes()
    for qp in qps:
        qp.close()
    return round((after - before - rings) / args.count), rings // args.count


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("Example:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--device", required=True)
    ap.add_argument("--gid-index", type=int, required=True)
    ap.add_argument("--gid", required=True, help="the device's own")
    ap.add_argument("--pairs", action="store_true", help="sealed, by a rule that is there")
    ap.add_argument("--count", type=int, default=1000, help="QPs to make (%(default)s)")
    ap.add_argument("--rounds", type=int, default=3, help="times it is done (%(default)s)")
    ap.add_argument("--depth", type=int, default=16, help="entries of each ring (%(default)s)")
    args = ap.parse_args()

    resource.setrlimit(resource.RLIMIT_NOFILE, (65536, 65536))
    ctx = Context(name=args.device)
    pd = PD(ctx)
    cq = CQ(ctx, 16)
    first = connected(pd, cq, 50, args)     # slabs that the first QPs allocate
    rounds = [measure(pd, cq, args) for _ in range(args.rounds)]
    each = [bytes_ for bytes_, _ in rounds]
    print(json.dumps({"qps": args.count, "ring_bytes": rounds[0][1],
                      "bytes": statistics.median(each), "rounds": each}))
    for qp in first:
        qp.close()


if __name__ == "__main__":
    main()
