#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""redteam - attack RDMA connections on the wire, in the clear and sealed, and report the results.

Two applications, in the namespaces a and b of the test bed, have a connection; the
attacker is the wire between them, in a third namespace, and has no key. Each attack is made
on a fresh connection: in the clear, where it must succeed (otherwise it shows nothing), and
under each seal, where it must fail and leave the connection intact. Exceptions are stated
in the threat model (Documentation/security/threat-model.md).

Exits with 1 if a result differs from this.

Examples:
  srnic-redteam                           all attacks, as a table
  srnic-redteam --only reflect,repeat_a_read --seal packet:aes-cmac-128
  srnic-redteam --json                    for a program
"""

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from attacks import ATTACKS  # noqa: E402  (beside this file)
from victims import Bed, Host  # noqa: E402
from wire import Wire  # noqa: E402

ADDRESSES = {"a": "10.77.0.1", "b": "10.77.0.2"}
KEY = "redteam"
SEALS = ("header:aes-cmac-128", "header:aes-gmac-128", "packet:aes-cmac-128",
         "packet:aes-gmac-128", "aead:aes-gcm-128", "opaque:aes-gcm-256")
PRF = ("cmac", "hmac")


@dataclass(frozen=True)
class Seal:
    """A column of the table."""

    protection: str = None
    suite: str = None

    @property
    def name(self):
        return f"{self.protection} {self.suite}" if self.suite else "clear"

    def limit(self, attack):
        """Return why the attack is documented to succeed under this seal, or None."""
        if self.suite and any(word in self.suite for word in PRF) and "prf" in attack.limits:
            return attack.limits["prf"]
        return attack.limits.get(self.protection)

    def apply(self):
        """Set the rule for new connections, at both ends."""
        rule = ["require", self.protection, self.suite, "key", KEY] if self.suite else ["off"]
        for netns in ADDRESSES:
            srnic(netns, "policy", "replace", "10.77.0.0/24", *rule)


@dataclass(frozen=True)
class Outcome:
    attack: object
    seal: Seal
    achieved: str       # None: the attack failed
    survived: bool

    @property
    def as_stated(self):
        if not self.seal.suite or self.seal.limit(self.attack):
            return bool(self.achieved)
        return not self.achieved and self.survived

    @property
    def words(self):
        if self.achieved:
            return "limit" if self.seal.suite and self.as_stated else "SUCCEEDS"
        return "refused" if self.survived else "CONNECTION LOST"

    def row(self):
        return {"attack": self.attack.name, "title": self.attack.title,
                "source": self.attack.source, "seal": self.seal.name, "achieved": self.achieved,
                "survived": self.survived, "limit": self.seal.limit(self.attack),
                "as_stated": self.as_stated}


def srnic(netns, *words):
    subprocess.run(["ip", "netns", "exec", netns, "srnic", *words], check=True,
                   stdout=subprocess.DEVNULL)


def give_key():
    """Give both ends a key; the attacker does not use it."""
    path = f"/run/srnic-redteam.{os.getpid()}"
    try:
        subprocess.run(["ip", "netns", "exec", "a", "srnic", "key", "gen", KEY, "--file", path],
                       check=True, stdout=subprocess.DEVNULL, umask=0o077)
        srnic("b", "key", "add", KEY, "--file", path)
    finally:
        if os.path.exists(path):
            os.unlink(path)


def acquaint():
    """Set permanent neighbours: no frames are carried while a verb is waiting."""
    mac = {}
    for netns in ADDRESSES:
        said = subprocess.run(["ip", "-n", netns, "-j", "link", "show", "dev", f"v{netns}"],
                              check=True, stdout=subprocess.PIPE).stdout
        mac[netns] = json.loads(said)[0]["address"]
    for netns, peer in (("a", "b"), ("b", "a")):
        subprocess.run(["ip", "-n", netns, "neigh", "replace", ADDRESSES[peer], "lladdr",
                        mac[peer], "dev", f"v{netns}", "nud", "permanent"], check=True)


def mount(attack, seal, hosts, wire):
    """Run one attack on one connection."""
    bed = Bed(hosts, wire, seal.protection)
    try:
        achieved = attack.run(bed)
        return Outcome(attack, seal, achieved, bed.works())
    finally:
        bed.close()


def table(outcomes, seals, attacks, out):
    cell = {(o.attack.name, o.seal): o for o in outcomes}
    width = max(len(a.title) for a in attacks)
    columns = [max(len(word) for word in [*seal.name.split(), "SUCCEEDS"]) for seal in seals]
    for line in range(2):
        heads = [(seal.name.split() + [""])[line] for seal in seals]
        print(" " * width, *(f"{h:{w}}" for h, w in zip(heads, columns)), sep="  ", file=out)
    for attack in attacks:
        row = [cell[attack.name, seal] for seal in seals]
        words = [o.words + ("" if o.as_stated else " !") for o in row]
        print(f"{attack.title:{width}}", *(f"{x:{w}}" for x, w in zip(words, columns)),
              sep="  ", file=out)
    reasons = {(o.attack.title, o.seal.limit(o.attack)): [] for o in outcomes
               if o.words == "limit"}
    for o in outcomes:
        if o.words == "limit":
            reasons[o.attack.title, o.seal.limit(o.attack)].append(o.seal.name)
    print("\nLimits, as stated:", file=out)
    for (title, why), where in reasons.items():
        print(f"  {title}: {', '.join(where)} {why}", file=out)


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                 epilog="Examples:" + __doc__.split("Examples:")[1],
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--only", default="", metavar="NAME,...", help="these attacks")
    ap.add_argument("--list", action="store_true", help="say which there are")
    ap.add_argument("--seal", action="append", metavar="PROTECTION:SUITE",
                    help=f"instead of {', '.join(SEALS)}")
    ap.add_argument("--json", action="store_true", help="one object for each outcome")
    ap.add_argument("--ports", default="ma,mb", help="the wire's netdevs, in the namespace m")
    args = ap.parse_args()

    if args.list:
        for attack in ATTACKS:
            print(f"{attack.name:32}{attack.title} ({attack.source})")
        return 0
    only = [name for name in args.only.split(",") if name]
    if unknown := set(only) - {attack.name for attack in ATTACKS}:
        ap.error(f"no attack {', '.join(sorted(unknown))}: see --list")
    attacks = [attack for attack in ATTACKS if not only or attack.name in only]
    seals = [Seal(), *(Seal(*words.split(":", 1)) for words in args.seal or SEALS)]

    give_key()
    acquaint()
    hosts = [Host(netns, device, f"::ffff:{address}") for (netns, address), device in
             zip(ADDRESSES.items(), ("srnic0", "srnic1"))]
    wire = Wire("m", args.ports.split(","))
    outcomes = []
    for seal in seals:
        seal.apply()
        for attack in attacks:
            start = time.monotonic()
            outcomes.append(mount(attack, seal, hosts, wire))
            print(f"{seal.name}: {attack.name}: {outcomes[-1].words}"
                  f" [{time.monotonic() - start:.1f} s]", file=sys.stderr, flush=True)
    if args.json:
        print(json.dumps([o.row() for o in outcomes], indent=1))
    else:
        table(outcomes, seals, attacks, sys.stdout)
    wrong = [o for o in outcomes if not o.as_stated]
    for o in wrong:
        print(f"redteam: {o.attack.title}, {o.seal.name}: {o.words}"
              f"{': ' + o.achieved if o.achieved else ''}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
