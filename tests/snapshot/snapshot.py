#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Continue the snapshot of a machine twice, and compare the nonces of both lives (README.md).

A sealed connection is stopped while the snapshot is taken, so that nothing is sealed before the
second life has been told that it is one. (What a busy machine seals in that time is a stated
limit: protocol.md, section 13.)
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/codec"))
# pylint: disable=wrong-import-position
from capture import frames, roce  # noqa: E402
from machine import Machine, make_initramfs  # noqa: E402

SUITE = "aes-gcm-128"
PING = "/bin/ip netns exec {end} ibv_rc_pingpong -d {device} -g {gid} -s 64 -n {count} {peer}"
CONFIRM, CONFIRM_ACK = 0xC2, 0xC3
HELLO, HELLO_ACK = 0xC0, 0xC1
# SEND and ACK: bytes of their extension headers
EXTENSIONS = {0x00: 0, 0x01: 0, 0x02: 0, 0x04: 0, 0x11: 4}
BTH_LEN = 12


class Nonces:
    """All (sub-key, nonce) of a capture, and the random numbers of its handshakes."""

    def __init__(self, keys=None):
        self.keys = dict(keys or {})
        self.used = []
        self.drawn = set()

    def add(self, frame):
        packet = roce(frame)
        if not packet:
            return
        source, to, body = packet
        opcode, dqpn, psn = body[0], body[5:8], body[9:12]
        nq, nr = body[BTH_LEN:BTH_LEN + 16], body[BTH_LEN + 16:BTH_LEN + 32]
        if opcode >= HELLO:
            self.drawn.add(nq if opcode in (HELLO, CONFIRM) else nr)
        if opcode in (CONFIRM, CONFIRM_ACK):
            # a flow's requests go the way of CONFIRM, the responses to them that of the answer
            self.keys[source, to, dqpn, opcode == CONFIRM_ACK] = nq + nr
        elif opcode < HELLO and body[8] >> 4 & 7:
            at = BTH_LEN + EXTENSIONS[opcode]
            key = source, to, dqpn, opcode == 0x11
            self.used.append((key, self.keys[key], psn, body[at:at + 4]))

    def read(self, path, first=0):
        """Read the frames from number @first on; return how many the file has."""
        count = 0
        for count, frame in enumerate(frames(path), 1):
            if count > first:
                self.add(frame)
        return count


def set_up(machine):
    machine.must(f"umask 077; echo {'5a' * 32} >/tmp/key")
    for n, end in enumerate("ab"):
        run = f"/bin/ip netns exec {end} "  # the shell prefers the ip of busybox
        machine.must(f"/bin/ip netns add {end}")
        machine.must(f"for d in /sys/class/net/*; do "
                     f"[ \"$(cat $d/address)\" != 52:54:00:77:01:0{n + 1} ] || "
                     f"/bin/ip link set ${{d##*/}} name v{end} netns {end}; done")
        machine.must(f"{run}ip link set lo up && {run}ip addr add 10.77.0.{n + 1}/24 dev v{end} && "
                     f"{run}ip link set v{end} up")
        machine.must(f"{run}rdma link add srnic{n} type srnic netdev v{end}")
        machine.must(f"{run}srnic key add k --file /tmp/key")
        machine.must(f"{run}srnic policy add default require aead {SUITE} key k")


def gid_of(machine, n):
    """Index of the IPv4 GID of RoCEv2."""
    end = "ab"[n]
    text = machine.must(f"/bin/ip netns exec {end} sh -c 'cd /sys/class/infiniband/srnic{n}/ports/1/gids"
                        f" && grep -l ffff:0a4d:000{n + 1} *'")
    return text.split()[-1]


def start(machine, count, tag):
    """Start a connection in the background; its processes' numbers are in $server and $client."""
    gids = gid_of(machine, 0), gid_of(machine, 1)
    server = PING.format(end="b", device="srnic1", gid=gids[1], count=count, peer="")
    client = PING.format(end="a", device="srnic0", gid=gids[0], count=count, peer="10.77.0.2")
    machine.must(f"{server} >/tmp/s{tag} 2>&1 & server=$!")
    machine.must("until /bin/ip netns exec b netstat -ltn | grep -q :18515; do sleep 0.2; done")
    machine.must(f"{client} >/tmp/c{tag} 2>&1 & client=$!")


def count_of(machine, n, name):
    text = machine.must(f"/bin/ip netns exec {'ab'[n]} rdma statistic show link srnic{n}/1").split()
    return int(text[text.index(name) + 1]) if name in text else 0


def wait_for(what, condition, seconds=300):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return say(f"# {what}: not within {seconds} s")
        time.sleep(0.3)
    return True


def say(text):
    print(text, flush=True)


def advance(machine, what):
    before = count_of(machine, 1, "rcvd_pkts")
    if not wait_for(what, lambda: count_of(machine, 1, "rcvd_pkts") > before + 100):
        raise RuntimeError(f"{what}: nothing arrives: {machine.run('cat /tmp/c* /tmp/s*')[1]}")


def first_life(machine):
    """Boot, and stop a connection in the middle."""
    machine.answer()
    set_up(machine)
    start(machine, 10 ** 8, "1")
    advance(machine, "the first connection")
    machine.must("kill -STOP $server $client")
    time.sleep(2)


def another_connection(machine):
    """Make one more connection, of as many messages as it takes to compare."""
    machine.must("kill -KILL $server $client; wait")
    start(machine, 200, "2")
    machine.must("wait $client && wait $server || { cat /tmp/c2 /tmp/s2; false; }")


def go_on(machine, seconds=300):
    """Let the connection go on; tell whether it does within that time."""
    machine.must("kill -CONT $server $client")
    before = count_of(machine, 1, "sth_opened")
    goes = wait_for("the connection goes on",
                    lambda: count_of(machine, 1, "sth_opened") > before + 100, seconds)
    return bool(goes)


def live_twice(folder):
    """Return what was seen: (before, life 1, life 2) as Nonces, and a dict of answers."""
    image, state, seen = make_initramfs(folder), folder / "state", {}
    one = Machine(folder, "one", image)
    try:
        first_life(one)
        one.save(state)
        before, life1 = Nonces(), None
        at = before.read(one.capture)
        one.order("cont")
        seen["goes on"] = go_on(one)
        seen["ended 1"] = count_of(one, 0, "sth_ended") + count_of(one, 1, "sth_ended")
        another_connection(one)
    finally:
        one.end()
    life1 = Nonces(before.keys)
    life1.read(one.capture, at)

    two = Machine(folder, "two", image, state)
    try:
        two.until("query-status", "running")
        wait_for("connections end", lambda: count_of(two, 0, "sth_ended") and
                 count_of(two, 1, "sth_ended"))
        seen["ended 2"] = count_of(two, 0, "sth_ended") + count_of(two, 1, "sth_ended")
        seen["goes on twice"] = go_on(two, 20)
        another_connection(two)
    finally:
        two.end()
    life2 = Nonces(before.keys)
    life2.read(two.capture)
    return (before, life1, life2), seen


def results(lives, seen):
    """Yield (what must be, whether it is)."""
    before, life1, life2 = (set(life.used) for life in lives)
    yield "the first life goes on with its connection", seen["goes on"] and not seen["ended 1"]
    yield "the second life ends both ends of it", seen["ended 2"] == 2
    yield "it does not go on there", not seen["goes on twice"]
    yield "both lives have sealed packets", len(life1) > 300 and len(life2) > 100
    for name, life in zip(("before", "in life 1", "in life 2"), lives):
        yield f"no nonce is used twice {name}", len(life.used) == len(set(life.used))
    yield "life 1 uses no nonce of the time before", not life1 & before
    yield "life 2 uses no nonce of the time before", not life2 & before
    yield "no nonce is used in both lives", not life1 & life2
    drawn1, drawn2 = lives[1].drawn, lives[2].drawn
    yield "both lives draw numbers of their own for handshakes", \
        drawn1 and drawn2 and not drawn1 & drawn2
    say(f"# nonces: {len(before)} before, {len(life1)} in life 1, {len(life2)} in life 2, "
        f"{len(life1 & life2)} in both")


def main():
    failed = number = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (what, holds) in enumerate(results(*live_twice(Path(folder))), 1):
            say(f"{'ok' if holds else 'not ok'} {number} - {what}")
            failed += not holds
    say(f"1..{number}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
