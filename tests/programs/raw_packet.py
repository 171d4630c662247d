#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""raw_packet - send and receive Ethernet frames by raw packet QPs.

    raw_packet.py check DEVICE PEER      all checks, as root in the test bed's namespace a, beside
                                         frame_mirror.py at the other end of the wire, whose
                                         address is PEER
    raw_packet.py hold DEVICE PEER FILE  receive and send until the device goes; create FILE first

Example:
    in b tests/programs/frame_mirror.py srnic1 /run/test/mirror &
    in a tests/programs/raw_packet.py check srnic0 02:00:00:00:00:02
"""
import ctypes
import errno
import os
import socket
import struct
import subprocess
import sys
import time

import pyverbs.enums as e
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.flow import Flow, FlowAttr
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.pyverbs_error import PyverbsError
from pyverbs.qp import QP, QPAttr, QPCap, QPEx, QPInitAttr, QPInitAttrEx
from pyverbs.spec import EthSpec, TcpUdpSpec
from pyverbs.wq import RwqIndTable, RwqIndTableInitAttr, RxHashConf, WQ, WQAttr, WQInitAttr
from pyverbs.wr import RecvWR, SGE, SendWR

from endpoint import errno_of
from frame_mirror import OTHER_PROTOCOL, PROTOCOL, create_file, netdev_of

IPV4 = 0x0800
GROUP = bytes.fromhex("015056192077")
SLOTS = 512
PORT = 7777
QUEUES = 4
IP_UDP = 17
IP_TCP = 6
FLAGS_EGRESS = 1 << 2
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
NOBODY = 65534
SENDS = 8               # frames that are sent at once
PAST = 0.3              # seconds after which a frame that has not come is taken for absent


def expect(truth, what):
    print(f"{'ok  ' if truth else 'FAIL'} {what}", flush=True)
    if not truth:
        sys.exit(1)


def read_net(netdev, name):
    with open(f"/sys/class/net/{netdev}/{name}", encoding="ascii") as f:
        return f.read().strip()


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


def text_of(address):
    return ":".join(f"{byte:02x}" for byte in address)


def checksum(data):
    data += bytes(len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def transport_ok(frame):
    """Whether the checksum of a TCP or UDP packet over IPv4 without options is right."""
    pseudo = frame[26:34] + struct.pack("!BBH", 0, frame[23], len(frame) - 34)
    return checksum(pseudo + frame[34:]) == 0xffff


class Room:
    """Memory in slots, which frames are sent from and received to."""

    def __init__(self, pd, size):
        self.size = size
        self.mr = MR(pd, SLOTS * size, e.IBV_ACCESS_LOCAL_WRITE)

    def sge(self, slot, length):
        return SGE(self.mr.buf + slot * self.size, length, self.mr.lkey)

    def read(self, slot, length):
        return self.mr.read(length, slot * self.size)

    def write(self, slot, data):
        self.mr.write(data, len(data), slot * self.size)


class End:
    """A raw packet QP, and memory."""

    def __init__(self, ctx, mtu, slots=SLOTS):
        self.ctx = ctx
        self.pd = PD(ctx)
        self.sent = CQ(ctx, SLOTS)
        self.received = CQ(ctx, SLOTS)
        self.room = Room(self.pd, mtu + 64)
        cap = QPCap(max_send_wr=16, max_recv_wr=SLOTS, max_send_sge=2, max_recv_sge=2,
                    max_inline_data=128)
        self.qp = QP(self.pd, QPInitAttr(qp_type=e.IBV_QPT_RAW_PACKET, scq=self.sent,
                                         rcq=self.received, cap=cap, sq_sig_all=1))
        self.qp.to_rts(QPAttr(port_num=1))
        for slot in range(1, slots):
            self.post(slot)

    def post(self, slot, length=0):
        self.qp.post_recv(RecvWR(wr_id=slot, num_sge=1,
                                 sg=[self.room.sge(slot, length or self.room.size)]))

    def start(self, slot, length):
        """Send the frame in a slot; do not wait for its completion."""
        self.qp.post_send(SendWR(opcode=e.IBV_WR_SEND, num_sge=1,
                                 sg=[self.room.sge(slot, length)],
                                 send_flags=e.IBV_SEND_SIGNALED))

    def send(self, frame, flags=0, lkey=None):
        """Send a frame from slot 0; return the status of its completion."""
        self.room.write(0, frame)
        sge = self.room.sge(0, len(frame))
        if lkey is not None:
            sge = SGE(self.room.mr.buf, len(frame), lkey)
        self.qp.post_send(SendWR(opcode=e.IBV_WR_SEND, num_sge=1, sg=[sge],
                                 send_flags=flags | e.IBV_SEND_SIGNALED))
        return wait_for(self.sent).status

    def recover(self):
        """A failed send stops the send queue."""
        attr = QPAttr(qp_state=e.IBV_QPS_RTS)
        attr.cur_qp_state = e.IBV_QPS_SQE
        self.qp.modify(attr, e.IBV_QP_STATE)

    def receive(self, limit=60):
        """Return the next frame, or its status if that is an error, or None."""
        wc = wait_for(self.received, limit)
        if wc is None:
            return None
        if wc.status:
            return wc.status
        frame = self.room.read(wc.wr_id, wc.byte_len)
        self.post(wc.wr_id)
        return frame

    def flow(self, *specs, kind=e.IBV_FLOW_ATTR_NORMAL, priority=0, flags=0):
        attr = FlowAttr(num_of_specs=len(specs), flow_type=kind, priority=priority, flags=flags)
        attr.specs.extend(specs)
        return Flow(self.qp, attr)


def wait_for(cq, limit=60):
    end = time.monotonic() + limit
    while time.monotonic() < end:
        found = cq.poll(1)[1]
        if found:
            return found[0]
        time.sleep(0.001)
    return None


def by_protocol(protocol):
    return EthSpec(ether_type=protocol)


class Wire:
    """The addresses of both ends."""

    def __init__(self, device, peer):
        self.netdev = netdev_of(device)
        self.mtu = int(read_net(self.netdev, "mtu"))
        self.own = mac(read_net(self.netdev, "address"))
        self.peer = mac(peer)

    def frame(self, length, protocol=PROTOCOL, to=None):
        """A frame of that length for the peer."""
        head = (to or self.peer) + self.own + struct.pack("!H", protocol)
        return (head + bytes(i * 7 & 0xff for i in range(length)))[:length]

    def mirrored(self, frame):
        return frame[6:12] + frame[:6] + frame[12:]


def check_both_ways(end, wire):
    flow = end.flow(EthSpec(ether_type=PROTOCOL, dst_mac=text_of(wire.own)))
    lengths = (60, 61, 127, 1000, wire.mtu + 13, wire.mtu + 14)
    for length in lengths:
        frame = wire.frame(length)
        expect(end.send(frame) == 0, f"a frame of {length} bytes is sent")
        expect(end.receive() == wire.mirrored(frame), "and received, as it was")
    frame = wire.frame(100)
    expect(end.send(frame, e.IBV_SEND_INLINE) == 0 and end.receive() == wire.mirrored(frame),
           "an inline frame is sent and received")
    expect(end.send(wire.frame(100, OTHER_PROTOCOL)) == 0 and end.send(frame) == 0 and
           end.receive() == wire.mirrored(frame) and end.receive(PAST) is None,
           "a frame that matches no rule is not received")
    flow.close()
    expect(end.send(frame) == 0 and end.receive(PAST) is None,
           "without the rule, no frame is received")


def check_hostile(end, wire):
    flow = end.flow(by_protocol(PROTOCOL))
    for length, word in ((0, "no bytes"), (13, "13 bytes"), (wire.mtu + 15, "a byte too much")):
        expect(end.send(wire.frame(length)) == e.IBV_WC_LOC_LEN_ERR, f"a frame of {word} fails")
        end.recover()
    tagged = wire.own + wire.own + struct.pack("!HH", 0x8100, 5)
    expect(end.send(tagged + bytes(wire.mtu + 2)) == 0, "a VLAN header does not count")
    expect(end.send(wire.frame(60), lkey=end.room.mr.lkey ^ 0x100) == e.IBV_WC_LOC_PROT_ERR,
           "memory of nobody is not sent (R10)")
    end.recover()
    short = End(end.ctx, wire.mtu, slots=1)
    short.post(1, 59)
    short.post(2, 60)
    both = short.flow(by_protocol(PROTOCOL))
    expect(end.send(wire.frame(60)) == 0 and short.receive() == e.IBV_WC_LOC_LEN_ERR,
           "a receive that is too short fails")
    expect(end.send(wire.frame(60)) == 0 and short.receive() == wire.mirrored(wire.frame(60)),
           "and the queue goes on")
    both.close()
    flow.close()
    while end.receive(PAST) is not None:
        pass


def check_stack(end, wire):
    """Packets of the kernel of b arrive whole, and the stack of a gets them, too."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("0.0.0.0", PORT))
        flow = end.flow(by_protocol(IPV4), TcpUdpSpec(e.IBV_FLOW_SPEC_UDP, dst_port=PORT))
        subprocess.run(["in", "b", "bash", "-c", f"echo -n hello >/dev/udp/10.77.0.1/{PORT}"],
                       check=True)
        frame = end.receive()
        expect(frame[42:] == b"hello" and frame[23] == IP_UDP and transport_ok(frame),
               "a datagram of the stack has its checksum")
        expect(udp.recv(100) == b"hello", "and the stack gets it, too")
        flow.close()

    total = 100 * (wire.mtu - 100)
    with socket.create_server(("0.0.0.0", PORT)) as tcp:
        flow = end.flow(by_protocol(IPV4), TcpUdpSpec(e.IBV_FLOW_SPEC_TCP, dst_port=PORT))
        program = (f"import socket; s = socket.create_connection(('10.77.0.1', {PORT})); "
                   f"s.sendall(b'x' * {total}); s.close()")
        with subprocess.Popen(["in", "b", "python3", "-c", program]):
            peer = tcp.accept()[0]
            got = 0
            while data := peer.recv(65536):
                got += len(data)
            peer.close()
        payload = 0
        while (frame := end.receive(PAST)) is not None:
            expect(len(frame) <= wire.mtu + 14 and frame[23] == IP_TCP and
                   checksum(frame[34 - 20:34]) == 0xffff and transport_ok(frame),
                   "a segment of a stream is one frame") if payload == 0 else None
            if len(frame) > wire.mtu + 14 or not transport_ok(frame):
                expect(False, "a frame is too long, or its checksum is wrong")
            head = 34 + (frame[46] >> 4) * 4
            payload += struct.unpack("!H", frame[16:18])[0] + 14 - head
        expect(got == total and payload >= total, "a stream is received frame by frame")
        flow.close()


def check_groups(end, wire):
    other = End(end.ctx, wire.mtu, slots=8)
    flow = other.flow(EthSpec(ether_type=PROTOCOL, dst_mac=text_of(GROUP)))
    own = other.flow(EthSpec(ether_type=PROTOCOL, dst_mac=text_of(wire.own)))
    frame = wire.frame(200, to=GROUP)
    expect(end.send(frame) == 0 and other.receive() == frame,
           "a frame for a group is received by another QP of the device")
    expect(end.send(wire.frame(200, OTHER_PROTOCOL, to=wire.own)) == 0 and
           other.receive(PAST) is None, "one for a single address is not")
    own.close()
    flow.close()


def check_refused(end):
    tries = ((dict(flags=FLAGS_EGRESS), errno.EOPNOTSUPP, "a rule for what is sent"),
             (dict(kind=4), errno.EOPNOTSUPP, "a rule of an unknown type"))
    for how, want, what in tries:
        try:
            end.flow(**how)
            got = 0
        except PyverbsError as error:
            got = errno_of(error)
        expect(got == want, f"{what} is refused: {errno.errorcode.get(got, got)}")


class Spread:
    """A QP with receive queues, each with a completion queue of its own."""

    def __init__(self, ctx, mtu):
        self.pd = PD(ctx)
        self.room = Room(self.pd, mtu + 64)
        self.cqs = [CQ(ctx, SLOTS) for _ in range(QUEUES)]
        self.wqs = [WQ(ctx, WQInitAttr(wq_context=None, wq_pd=self.pd, wq_cq=cq, max_wr=64,
                                       wq_type=e.IBV_WQT_RQ, max_sge=1)) for cq in self.cqs]
        for queue in self.wqs:
            queue.modify(WQAttr(attr_mask=e.IBV_WQ_ATTR_STATE, wq_state=e.IBV_WQS_RDY))
        for i, queue in enumerate(self.wqs):
            for slot in range(i * 64, i * 64 + 40):
                self.post(queue, slot)
        self.table = RwqIndTable(ctx, RwqIndTableInitAttr(2, self.wqs))
        conf = RxHashConf(rx_hash_function=e.IBV_RX_HASH_FUNC_TOEPLITZ, rx_hash_key_len=40,
                          rx_hash_key=list(range(1, 41)),
                          rx_hash_fields_mask=e.IBV_RX_HASH_SRC_IPV4)
        mask = (e.IBV_QP_INIT_ATTR_PD | e.IBV_QP_INIT_ATTR_RX_HASH |
                e.IBV_QP_INIT_ATTR_IND_TABLE)
        self.qp = QPEx(ctx, QPInitAttrEx(qp_type=e.IBV_QPT_RAW_PACKET, comp_mask=mask, pd=self.pd,
                                         hash_conf=conf, ind_table=self.table))
        self.flow = Flow(self.qp, FlowAttr(num_of_specs=0))

    def close(self):
        """pyverbs does not know the order."""
        for part in (self.flow, self.qp, self.table, *self.wqs, *self.cqs, self.room.mr, self.pd):
            part.close()

    def post(self, queue, slot):
        queue.post_recv(RecvWR(wr_id=slot, num_sge=1, sg=[self.room.sge(slot, self.room.size)]))

    def next_queue(self):
        """Return which queue has got a frame."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for i, cq in enumerate(self.cqs):
                found = cq.poll(1)[1]
                if found:
                    expect(found[0].status == 0, "success") if found[0].status else None
                    return i
        return None


def ip_frame(wire, source):
    ip = struct.pack("!BBHHHBBHII", 0x45, 0, 60, 0, 0, 64, IP_UDP, 0, source, 0xe0000001)
    return GROUP + wire.own + struct.pack("!H", IPV4) + ip + bytes(40)


def check_spread(end, wire):
    caps = end.ctx.query_device_ex().rss_caps
    expect(caps.supported_qpts == 1 << e.IBV_QPT_RAW_PACKET and caps.rx_hash_fields_mask == 0xff and
           caps.rx_hash_function == e.IBV_RX_HASH_FUNC_TOEPLITZ, "the device says how it hashes")
    spread = Spread(end.ctx, wire.mtu)
    queues = {}
    for source in range(0x0a000001, 0x0a000021):
        expect(end.send(ip_frame(wire, source)) == 0, "sent") if source == 0x0a000001 else \
            end.send(ip_frame(wire, source))
        queues[source] = spread.next_queue()
    expect(None not in queues.values() and len(set(queues.values())) == QUEUES,
           "frames are spread over all receive queues")
    again = []
    for source in (0x0a000001, 0x0a000002, 0x0a000003):
        end.send(ip_frame(wire, source))
        again.append(spread.next_queue() == queues[source])
    expect(all(again), "frames of one source go to one queue")
    try:
        spread.qp.to_rts(QPAttr(port_num=1))
        got = 0
    except PyverbsError as error:
        got = errno_of(error)
    expect(got == errno.EOPNOTSUPP, "a QP without a queue has no states")
    spread.wqs[0].modify(WQAttr(attr_mask=e.IBV_WQ_ATTR_STATE, wq_state=e.IBV_WQS_ERR))
    expect(wait_for(spread.cqs[0]).status == e.IBV_WC_WR_FLUSH_ERR,
           "in error, the receives of a queue are flushed")
    while wait_for(spread.cqs[0], PAST):
        pass
    spread.post(spread.wqs[0], 5)
    flushed = wait_for(spread.cqs[0])
    expect(flushed.status == e.IBV_WC_WR_FLUSH_ERR and flushed.wr_id == 5,
           "and those that are posted later, too")
    spread.close()


def ask(device):
    """Ask for a raw packet QP and a flow rule; return "granted" or the errno."""
    try:
        End(Context(name=device), 1500).flow()
        return "granted"
    except PyverbsError as error:
        return errno.errorcode.get(errno_of(error), str(error))


def ask_as(device, become):
    """Ask as another process, after it has become another."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        try:
            become()
            os.write(into, ask(device).encode())
        finally:
            os._exit(0)
    os.close(into)
    os.waitpid(child, 0)
    with open(out, encoding="ascii") as answer:
        return answer.read()


def call(name, *args):
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*args):
        raise OSError(ctypes.get_errno(), name)


def in_other_namespace():
    with open("/run/netns/b", encoding="ascii") as there:
        call("setns", there.fileno(), CLONE_NEWNET)


def user():
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)    # and this takes all capabilities


def root_of_user_namespace():
    call("unshare", CLONE_NEWUSER)
    for name, text in (("setgroups", "deny"), ("uid_map", "0 0 1"), ("gid_map", "0 0 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as f:
            f.write(text)


def check_permission(device):
    """Children of this process ask: to start another in a VM takes seconds."""
    for become, want, who in (
            (lambda: None, "granted", "root in the namespace of the netdev"),
            (in_other_namespace, "EPERM", "root in another namespace"),
            (user, "EPERM", "a user"),
            (root_of_user_namespace, "EPERM", "root of a user namespace")):
        got = ask_as(device, become)
        expect(got == want, f"{who}: {got} (R28)")


def check_quota(device):
    for rules, want in ((0, "ENOMEM"), (1024, "granted")):
        subprocess.run(["srnic", "quota", "set", device, "flow", str(rules)], check=True)
        got = ask(device)
        expect(got == want, f"of {rules} rules: {got} (R18)")


def check(device, peer):
    wire = Wire(device, peer)
    end = End(Context(name=device), wire.mtu)
    check_both_ways(end, wire)
    check_hostile(end, wire)
    check_stack(end, wire)
    check_groups(end, wire)
    check_refused(end)
    check_spread(end, wire)
    check_permission(device)
    check_quota(device)


def hold(device, peer, ready):
    """Frames wait in the netdev's queue at any time; those for a group return to this device."""
    wire = Wire(device, peer)
    end = End(Context(name=device), wire.mtu, slots=SLOTS - 1)
    flow = end.flow(kind=e.IBV_FLOW_ATTR_SNIFFER)
    frames = ((0, wire.frame(500)), (SLOTS - 1, wire.frame(500, to=GROUP)))
    for slot, frame in frames:
        end.room.write(slot, frame)
    create_file(ready)
    try:
        sent = left = 0
        while os.path.exists(f"/sys/class/infiniband/{device}"):
            while sent - left < SENDS:
                slot, frame = frames[sent % len(frames)]
                end.start(slot, len(frame))
                sent += 1
            left += len(end.sent.poll(SENDS)[1])
            end.receive(0.01)
    except PyverbsError as error:
        print(f"the device has gone: {error}")
    del flow


def main():
    commands = {"check": (check, 2), "hold": (hold, 3)}
    command, count = commands.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if not command or len(sys.argv) != 2 + count:
        print(__doc__)
        return 2
    command(*sys.argv[2:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
