# SPDX-License-Identifier: GPL-2.0
"""bed - the pair that contenders run across, and what is put around it for them.

Everything here undoes what it did when its block ends.
"""
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from contenders import HERE, NETWORK, PEER
from places import PLACES

# The two ends of each direction, and the direction's SPI
DIRECTIONS = ((HERE, PEER, "0x101"), (PEER, HERE, "0x102"))
KEY = Path("/run/bench-key")


def sh(*cmd):
    ran = subprocess.run(cmd, text=True, capture_output=True)
    if ran.returncode:
        sys.exit(f"bench: '{' '.join(cmd)}' failed: {ran.stderr.strip()}")
    return ran.stdout


@contextmanager
def one_core(wanted):
    """The other cores are off: threads, interrupts and timers of every contender obey that."""
    switches = []
    if wanted:
        switches = sorted(Path("/sys/devices/system/cpu").glob("cpu[1-9]*/online"))
    for switch in switches:
        switch.write_text("0")
    try:
        yield
    finally:
        for switch in switches:
            switch.write_text("1")


@contextmanager
def bed(kind, place="plain", rps="0", mtu=None):
    """The test bed with devices of that kind, at that place."""
    at = PLACES[place]
    with one_core(at.one_core):
        sh("testbed", "up", "--flat", "--mtu", str(mtu or at.mtu), "--type", kind, "--rps", rps, *at.args)
        try:
            yield
        finally:
            sh("testbed", "down")


def lose(percent, delay):
    """Both directions of the lossy place lose that much from now on, and take so many ms longer."""
    for dev in ("ma", "mb"):
        sh("tc", "-n", "m", "qdisc", "change", "dev", dev, "root", "netem", "limit", "100000",
           "loss", f"{percent}%", "delay", f"{delay}ms")


def crossed():
    """Bytes that have crossed the pair so far, both ways."""
    return sum(int(Path(f"/sys/class/net/{dev}/statistics/tx_bytes").read_text()) for dev in ("v0", "v1"))


@contextmanager
def protected(contender):
    """What seals the contender's packets, if anything does."""
    with esp(contender.esp), sealed(contender.policy, *contender.words):
        yield


@contextmanager
def esp(proto):
    """IPsec ESP between the ends. The policies name no ports: rxe's route look-up sets none."""
    if not proto:
        yield
        return
    key = "0x" + os.urandom(20).hex()
    for src, dst, spi in DIRECTIONS:
        sh("ip", "xfrm", "state", "add", "src", src, "dst", dst, "proto", "esp", "spi", spi,
           "mode", "transport", "aead", "rfc4106(gcm(aes))", key, "128")
        for way in ("out", "in"):
            sh("ip", "xfrm", "policy", "add", "dir", way, "src", src, "dst", dst, "proto", proto,
               "tmpl", "src", src, "dst", dst, "proto", "esp", "mode", "transport")
    try:
        yield
    finally:
        sh("ip", "xfrm", "policy", "flush")
        sh("ip", "xfrm", "state", "flush")


@contextmanager
def sealed(policy, *words):
    """A rule of srnic's: that mode and suite, or nothing passes; `words` end it."""
    if not policy:
        yield
        return
    KEY.write_text(os.urandom(32).hex() + "\n")
    sh("srnic", "key", "add", "bench", "--file", str(KEY))
    sh("srnic", "policy", "add", NETWORK, "require", *policy, "key", "bench", *words)
    try:
        yield
    finally:
        sh("srnic", "policy", "del", NETWORK)
        sh("srnic", "key", "del", "bench")
