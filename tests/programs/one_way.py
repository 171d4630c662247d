#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""one_way - a sealed connection that confirms one of its two flows, and stays.

one_way.py DEVICE

Connects two QPs with each other; a rule seals them. The second stays in RTR, so only the first
one's flow begins. Prints "delivered" when a message has arrived and was acknowledged, and then
waits to be killed.

Example:
    in a tests/programs/one_way.py srnic0
"""
import signal
import sys

from pyverbs.device import Context
from pyverbs.wr import RecvWR

from early import HANGS, End
from endpoint import connection, way_to_self


class Listener(End):
    def connect(self, peer):
        self.qp.to_rtr(connection(self.way, peer.qp.qp_num))
        self.qp.post_recv(RecvWR(num_sge=1, sg=[self.sge]))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    ctx = Context(name=sys.argv[1])
    way = way_to_self(ctx)
    sender, listener = End(ctx, way), Listener(ctx, way)
    listener.connect(sender)
    sender.connect(listener)
    sender.send()
    if not listener.done(HANGS) or not sender.done(HANGS):
        print("the message did not arrive")
        return 1
    print("delivered", flush=True)
    signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main())
