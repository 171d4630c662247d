#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""largest - the largest message, 2^31 bytes, in the largest number of pieces, 32.

A SEND whose 32 SGEs refer to one buffer is received into 32 SGEs: all but the last refer to
a second buffer, the last one to a third. Then a message with one byte more must fail with a
length error. Both devices are in this namespace.

Example:
    largest.py --from srnic0 --from-gid-index 1 --to srnic1 --to-gid-index 1
"""
import argparse
import os
import sys
import time

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR

from endpoint import connection, way_to

PIECES = 32
PIECE = (1 << 31) // PIECES
TIMEOUT = 20        # 4.3 s: only lost packets are retransmitted, not slow ones


class End:
    """A QP on a device, with buffers of one piece each."""

    def __init__(self, device, gid_index, buffers, patience):
        self.patience = patience
        self.ctx = Context(name=device)
        self.pd = PD(self.ctx)
        self.cq = CQ(self.ctx, 4)
        cap = QPCap(max_send_wr=4, max_recv_wr=4, max_send_sge=PIECES, max_recv_sge=PIECES)
        self.qp = QP(self.pd, QPInitAttr(qp_type=e.IBV_QPT_RC, scq=self.cq, rcq=self.cq, cap=cap))
        self.mrs = [MR(self.pd, PIECE + 1, e.IBV_ACCESS_LOCAL_WRITE) for _ in range(buffers)]
        self.gid_index = gid_index
        self.gid = self.ctx.query_gid(1, gid_index).gid

    def connect(self, peer):
        self.qp.to_rts(connection(way_to(peer.gid, self.gid_index), peer.qp.qp_num,
                                  path_mtu=e.IBV_MTU_4096, timeout=TIMEOUT))

    def pieces(self, more=0):
        """Return SGEs: the first buffer for all but one, then the last buffer, `more` bytes
        longer."""
        sges = [SGE(self.mrs[0].buf, PIECE, self.mrs[0].lkey) for _ in range(PIECES - 1)]
        last = self.mrs[-1]
        return [*sges, SGE(last.buf, PIECE + more, last.lkey)]

    def completion(self):
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            if found := self.cq.poll(1)[1]:
                return found[0]
        raise SystemExit(f"FAIL: no completion within {self.patience} s")


def arrives(sender, receiver):
    """Check that the received bytes are those sent, in the first and in the last piece."""
    pattern = os.urandom(PIECE)
    sender.mrs[0].write(pattern, PIECE)
    receiver.qp.post_recv(RecvWR(wr_id=2, num_sge=PIECES, sg=receiver.pieces()))
    sender.qp.post_send(SendWR(wr_id=1, opcode=e.IBV_WR_SEND, num_sge=PIECES, sg=sender.pieces()))
    sent, came = sender.completion(), receiver.completion()
    if (sent.status, came.status) != (e.IBV_WC_SUCCESS, e.IBV_WC_SUCCESS):
        return f"status {sent.status} and {came.status}"
    if came.byte_len != PIECE * PIECES:
        return f"{came.byte_len} bytes"
    wrong = [i for i, mr in enumerate(receiver.mrs) if mr.read(PIECE, 0) != pattern]
    return f"buffers {wrong} hold something else" if wrong else None


def one_more_is_refused(sender):
    """IBA 10.2.5: the sender gets the error, before it sends a byte."""
    sender.qp.post_send(SendWR(wr_id=3, opcode=e.IBV_WR_SEND, num_sge=PIECES, sg=sender.pieces(1)))
    status = sender.completion().status
    return None if status == e.IBV_WC_LOC_LEN_ERR else f"status {status}"


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog=__doc__.split("\n\n")[2],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    for end in ("from", "to"):
        ap.add_argument(f"--{end}", dest=end + "_", metavar="DEVICE", required=True)
        ap.add_argument(f"--{end}-gid-index", type=int, required=True)
    ap.add_argument("--patience", type=int, default=900, metavar="SECONDS",
                    help="how long a message may take (%(default)s)")
    args = ap.parse_args()

    sender = End(args.from_, args.from_gid_index, 1, args.patience)
    receiver = End(args.to_, args.to_gid_index, 2, args.patience)
    sender.connect(receiver)
    receiver.connect(sender)
    failed = False
    for what, wrong in (("2^31 bytes in 32 pieces", arrives(sender, receiver)),
                        ("a byte more", one_more_is_refused(sender))):
        failed |= wrong is not None
        print(f"{'FAIL' if wrong else 'ok  '} {what}: {wrong or 'as it should be'}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
