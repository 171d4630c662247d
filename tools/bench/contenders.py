# SPDX-License-Identifier: GPL-2.0
"""contenders - the ways to carry bytes across the pair that the bench compares.

A table: the test bed that each needs, its protection, and a rough guess of its
speed, from which pace.py chooses the length of the first run.
"""
from dataclasses import dataclass

MTU = 4200
HERE, PEER = "10.77.0.1", "10.77.0.2"
NETWORK = "10.77.0.0/24"


@dataclass(frozen=True)
class Contender:
    """A contender.

    bed      argument of `testbed up --type`; contenders with the same bed share it
    devices  the client's and the server's RDMA device; empty without RDMA
    options  for perftest
    esp      IP protocol that IPsec ESP covers
    policy   mode and suite of srnic's seal
    words    appended to its rule
    apart    runs only when it is named
    like     runs in the works of this contender, and only in a bench that is asked for it
    guess    microseconds a message, nanoseconds a byte
    what     description for the report
    """
    name: str
    bed: str
    devices: tuple = ()
    options: tuple = ()
    esp: str = ""
    policy: tuple = ()
    words: tuple = ()
    apart: bool = False
    like: str = ""
    guess: tuple = (50, 20)
    what: str = ""


RXE = ("rxe0", "rxe1")
SIW = ("siw0", "siw1")
SRNIC = ("srnic0", "srnic1")

CONTENDERS = {c.name: c for c in (
    Contender("rxe", "rxe", RXE, guess=(80, 25), what="the kernel's soft RoCEv2"),
    Contender("siw", "siw", SIW, options=("-R",), guess=(100, 20),
              what="the kernel's soft iWARP, over TCP, without CRC"),
    Contender("srnic", "srnic", SRNIC, guess=(40, 10), what="in the clear"),
    Contender("srnic-header", "srnic", SRNIC, policy=("header", "aes-cmac-128"),
              guess=(60, 11), what="headers authenticated"),
    Contender("srnic-uncached", "srnic", SRNIC, policy=("header", "aes-cmac-128"),
              words=("uncached",), apart=True, guess=(60, 11),
              what="the same, sub-keys derived when a packet comes"),
    Contender("srnic-packet", "srnic", SRNIC, policy=("packet", "aes-cmac-128"),
              guess=(100, 80), what="headers and payload authenticated"),
    Contender("srnic-aead", "srnic", SRNIC, policy=("aead", "aes-gcm-128"),
              guess=(100, 120), what="headers authenticated, payload encrypted"),
    Contender("srnic-opaque", "srnic", SRNIC, policy=("opaque", "aes-gcm-128"), apart=True,
              like="srnic-aead", guess=(100, 120),
              what="the same, and all headers but the first encrypted"),
    Contender("rxe-esp", "rxe", RXE, esp="udp", guess=(200, 250),
              what="rxe under IPsec ESP, rfc4106(gcm(aes)), transport mode"),
    Contender("tcp", "rxe", guess=(5, 8), what="iperf3"),
    Contender("floor", "rxe", apart=True, guess=(20, 10),
              what="a kernel module: the same packets by the same driver, copied and with a CRC at "
              "both ends, a window, no acknowledgments"),
    Contender("tcp-esp", "rxe", esp="tcp", guess=(20, 120), what="iperf3 under the same ESP"),
)}

# Sets of contenders: all, those with RDMA, and those measured in every detail
ALL = tuple(name for name, c in CONTENDERS.items() if not c.apart)
VERBS = tuple(name for name in ALL if CONTENDERS[name].devices)
MAIN = ("rxe", "siw", "srnic", "srnic-aead")
CLEAR = ("rxe", "siw", "srnic")
ROCE = ("rxe", "srnic", "srnic-aead")


def seconds_each(contender, size):
    """Return a guess of the seconds that one message takes."""
    message, byte = contender.guess
    return message * 1e-6 + size * byte * 1e-9
