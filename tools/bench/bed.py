# SPDX-License-Identifier: GPL-2.0
"""bed - the test bed that contenders run on, and its surroundings.

Every context manager here undoes its changes when its block ends.
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
    """Take all cores but one offline, so that threads, interrupts and timers of every
    contender stay on that core."""
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
    """Set up the test bed with devices of that kind, at that place."""
    at = PLACES[place]
    flat = () if at.pair else ("--flat",)
    with one_core(at.one_core):
        sh("testbed", "up", *flat, "--mtu", str(mtu or at.mtu), "--type", kind, "--rps", rps, *at.args)
        try:
            yield
        finally:
            sh("testbed", "down")


def lose(percent, delay):
    """Set the loss of the lossy place, in percent, and its delay in ms, for both
    directions."""
    for dev in ("ma", "mb"):
        sh("tc", "-n", "m", "qdisc", "change", "dev", dev, "root", "netem", "limit", "100000",
           "loss", f"{percent}%", "delay", f"{delay}ms")


def crossed():
    """Return the number of bytes that have crossed the pair so far, in both directions."""
    return sum(int(Path(f"/sys/class/net/{dev}/statistics/tx_bytes").read_text()) for dev in ("v0", "v1"))


@contextmanager
def protected(contender):
    """Set up the contender's protection, if it has any."""
    with esp(contender.esp), sealed(contender.policy, *contender.words):
        yield


@contextmanager
def esp(proto):
    """Set up IPsec ESP between the ends. The policies name no ports, because rxe's route
    lookup sets none."""
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
    """Add a rule of srnic that requires that mode and suite; `words` are appended to it."""
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
