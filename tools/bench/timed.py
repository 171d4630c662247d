# SPDX-License-Identifier: GPL-2.0
"""timed - runs of a fixed number of seconds, for several flows in parallel."""
import subprocess
from contextlib import ExitStack

from contenders import PEER
from perftest import PORT, messages_of, perftest_args
from programs import Failed, await_listener, background, environment, last_line
from tcp import iperf_says, parse_iperf

# Seconds of a run, and of its start and end that do not count: perftest omits one at either
# end, iperf3 the first
SECONDS, MARGIN = 5, 1
LENGTH = ("-D", str(SECONDS), "-f", str(MARGIN))
TCP_LENGTH = ("-t", str(SECONDS - 2 * MARGIN), "-O", str(MARGIN))
LIMIT = 30

# perftest reports a completion for 100 messages, more than a flow beside others may send in a
# run: report each
EACH = ("-Q", "1")


def jain(rates):
    """Return Jain's index: 1 if all rates are equal, 1/n if one flow has everything."""
    return sum(rates) ** 2 / (len(rates) * sum(rate ** 2 for rate in rates)) if any(rates) else 0


def start(stack, contender, work, number, options=EACH):
    """Start a server and its client with a port of their own; return the client."""
    port = PORT + number
    length = (*LENGTH, *options)
    server = stack.enter_context(background(perftest_args(contender, work, length, 1, port)))
    await_listener(server, port)
    client = subprocess.Popen([*perftest_args(contender, work, length, 0, port), PEER], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment())
    stack.callback(client.kill)
    return client


def rate_of(client, work):
    try:
        out, _ = client.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Failed(f"{work.tool}: no result in {LIMIT} s") from None
    if client.returncode:
        raise Failed(f"{work.tool} failed: {last_line(out)}")
    # perftest may find no clock, but counts the messages of a known time
    return messages_of(work, out) * work.size / (SECONDS - 2 * MARGIN) / (1 << 20)


def shared(contender, work):
    """Run connections in separate processes; return their sum and fairness."""
    if not contender.devices:
        rates = parse_iperf(iperf_says(["-P", str(work.qps), *TCP_LENGTH]))["each"]
    else:
        with ExitStack() as stack:
            clients = [start(stack, contender, work, number) for number in range(work.qps)]
            rates = [rate_of(client, work) for client in clients]
    return {"MiBps": sum(rates), "jain": jain(rates)}


def beside(contender, work):
    """Run one connection beside a TCP flow."""
    with ExitStack() as stack:
        client = start(stack, contender, work, 0)
        theirs = parse_iperf(iperf_says(TCP_LENGTH))["MiBps"]
        mine = rate_of(client, work)
    return {"MiBps": mine, "tcp": theirs, "least": min(mine, theirs) / (mine + theirs)}


def datagrams(contender, work):
    """Send datagrams; return the rate that the sender reports."""
    with ExitStack() as stack:
        return {"MiBps": rate_of(start(stack, contender, work, 0, ()), work)}
