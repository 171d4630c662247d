#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Make address handles of an InfiniBand port by LID alone: only its own has a destination.

    ipoib_lid.py DEVICE
"""

import errno
import sys

from pyverbs.addr import AH, AHAttr
from pyverbs.device import Context
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsRDMAError

from endpoint import errno_of

ctx = Context(name=sys.argv[1])
pd = PD(ctx)
own = ctx.query_port(1).lid
AH(pd, attr=AHAttr(port_num=1, dlid=own)).close()
try:
    AH(pd, attr=AHAttr(port_num=1, dlid=own % 0xbfff + 1))
    sys.exit("FAIL: a LID of another port needs no GRH")
except PyverbsRDMAError as why:
    if errno_of(why) != errno.EHOSTUNREACH:
        sys.exit(f"FAIL: {why}")
