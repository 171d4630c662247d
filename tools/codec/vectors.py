#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Test vectors of the Secure Transport Header, made by the independent codec.

usage: vectors.py [--suites NAME,...] [--json | --c | --example]

Some suites and modes have packets of every opcode, all others a handful: they differ in how
the key is used, not in what it is used for.

  --json     everything, for any consumer (default)
  --c        kunit/vectors/sth.h
  --example  section 15 of Documentation/protocol.md

The same arguments always give the same vectors.
"""

import argparse
import hashlib
import itertools
import json
import textwrap

from sth import (OPCODES, SUITES, XRC_OPCODES, Connection, End, Flow, Frame, Header, Packet, Sender, Shared,
                 handshake_frame, kdf_pair_paper, ratchet)
from sth.packet import CONFIRM, CONFIRM_ACK, EXT_LEN, HELLO, HELLO_ACK
from sth.seal import EMISSIONS

THOROUGH = {("aes-cmac-128", "header"), ("aes-cmac-128", "packet"), ("aes-gcm-128", "aead"),
            ("aes-gcm-128", "opaque")}
# of the others: opcode and size; covers all extension headers, pads, and several blocks
BRIEF = [("SEND_ONLY_IMM", 0), ("WRITE_ONLY", 5), ("CMP_SWAP", 0), ("READ_RESP_FIRST", 100),
         ("ACK", 0)]

ENDS = [
    (End.at("10.77.0.1", 0x11), End.at("10.77.0.2", 0x12)),
    (End.at("fd77::2", 0x000100), End.at("fd77::1", 0xfffffe)),
    (End.at("10.77.0.1", 0x21), End.at("10.77.0.1", 0x20)),
    (End.at("fd77::1", 0x31), End.at("fd77::2", 0x31)),
]
STARTS = [0x000000, 0x123456, 0xfffff0, 0x800000]
KEY_LENS = [32, 16, 24]
EXAMPLE_SCALARS = b"\x44" * 32, b"\x55" * 32
PAYLOADS = [0, 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 256]
EPOCHS = [0, 0, 1, 0, 9]
PHASES = [1, 2, 7]      # of the last packets of each connection
KEY_EPOCHS = [0, 1, 9]


def draw(label, length):
    """Return bytes that look random and are the same in each run."""
    return hashlib.shake_256(f"srnic {label}".encode()).digest(length)


def payload(length):
    """Return the payload of vectors; consumers compute it, too."""
    return bytes((13 * i + 5) & 0xff for i in range(length))


def scalars(index):
    """Return the ephemeral keys of x and y."""
    return draw(f"scalar {index} x", 32), draw(f"scalar {index} y", 32)


def connections(suites):
    cases = [(SUITES[s], mode) for s in suites for mode in SUITES[s].modes]
    cases.sort(key=lambda case: case[1] == "opaque")    # the youngest mode: others keep their vectors
    for i, (suite, mode) in enumerate(cases):
        x, y = ENDS[i % len(ENDS)]
        pair_key = i % 3 == 2
        key = draw(f"key {i}", 32 if pair_key else KEY_LENS[i % len(KEY_LENS)])
        conn = Connection(x, y, suite, mode, key, pair_key)
        shared = Shared.between(conn, x, *scalars(i))
        flows = [Flow(conn, owner, STARTS[(i + j) % len(STARTS)], draw(f"nq {i} {j}", 16),
                      draw(f"nr {i} {j}", 16), shared) for j, owner in enumerate((x, y))]
        yield conn, x, y, flows


def frames(conn, flow):
    r, s = flow.owner, conn.other(flow.owner)
    share = {end: flow.shared.share(conn, end) for end in (r, s)}
    return [handshake_frame(conn, end, Frame(opcode, flow.start, flow.nq, share[end], nr))
            for end, opcode, nr in ((r, HELLO, bytes(16)), (s, HELLO_ACK, flow.nr),
                                    (r, CONFIRM, flow.nr), (s, CONFIRM_ACK, flow.nr))]


def is_thorough(conn):
    return (conn.suite.name, conn.mode) in THOROUGH


def contents(index, conn):
    """Return (opcode, payload length) of a connection's packets."""
    if not is_thorough(conn):
        names = {o.name: o for o in OPCODES.values()}
        yield from ((names[name], size) for name, size in BRIEF)
        return
    lengths = itertools.cycle(PAYLOADS)
    for opcode in OPCODES.values():
        sizes = [next(lengths), next(lengths)] if opcode.payload else [0]
        if opcode.value in XRC_OPCODES:
            sizes = sizes[:1]
        if opcode.name == "WRITE_MIDDLE":
            sizes.append(4096 if index % 2 else 1024)
        yield from ((opcode, size) for size in sizes)


def packets(index, conn, flows):
    # each epoch has keys of its own, which take the kernel time to derive
    epochs = itertools.cycle(EPOCHS if is_thorough(conn) else EPOCHS[:1])
    last = next(o for o in OPCODES.values() if o.name == "SEND_ONLY"), 8
    rows = [(*row, 0) for row in contents(index, conn)] + [(*last, phase) for phase in PHASES]
    for n, (opcode, size, phase) in enumerate(rows):
        owner = (n + size) % 2 if not phase else 0
        flow, sender = flows[owner], Sender(flows[owner], opcode.response)
        psn64 = max(flow.start, (0 if phase else next(epochs)) << 24) + n
        pad = -size % 4
        ext = draw(f"ext {index} {n} {size}", sum(EXT_LEN[e] for e in opcode.ext))
        header = Header(opcode.value, conn.other(flow.sender(opcode.response)).qpn, 0, ext,
                        se=n % 3 == 0, pad=pad, ackreq=n % 2 == 0)
        counter = n * 1000003 % EMISSIONS if conn.suite.nonce_family else 0
        text = payload(size) + bytes(pad)
        yield {
            "connection": index, "opcode": opcode.name, "owner": "xy"[owner],
            "response": opcode.response, "psn64": psn64, "counter": counter, "phase": phase,
            "header_length": opcode.hdr_len, "pad": pad, "payload_length": size, "ext": ext,
            "sealed": sender.seal(header, text, psn64, phase * EMISSIONS + counter),
        }


def sub_keys(index, conn, flows):
    epochs = itertools.cycle(KEY_EPOCHS)
    for j, flow in enumerate(flows):
        for response in (False, True):
            for epoch in KEY_EPOCHS if is_thorough(conn) else [next(epochs)]:
                yield {"connection": index, "owner": "xy"[j], "response": response,
                       "epoch": epoch, "key": flow.key(response, epoch)}


def collect(suites):
    out = {"connections": [], "sub_keys": [], "packets": []}
    for i, (conn, x, y, flows) in enumerate(connections(suites)):
        out["connections"].append({
            "suite": conn.suite.name, "mode": conn.mode, "key": conn.key,
            "pair_key": conn.pair_key, "thorough": is_thorough(conn),
            "x": {"gid": x.gid, "qpn": x.qpn}, "y": {"gid": y.gid, "qpn": y.qpn},
            "k_ab": conn.k_ab, "k_ab_paper": kdf_pair_paper(conn.key[:16], x, y),
            "key_id": conn.key_id, "k_hs": conn.k_hs, "scalars": scalars(i),
            "shares": [flows[0].shared.share(conn, end) for end in (x, y)],
            "roots": [flows[0].shared.root(conn, end) for end in (x, y)],
            "flows": [{"owner": "xy"[j], "start": f.start, "nq": f.nq, "nr": f.nr,
                       "k_flow": f.k_flow, "frames": frames(conn, f)}
                      for j, f in enumerate(flows)],
        })
        out["sub_keys"] += sub_keys(i, conn, flows)
        out["packets"] += packets(i, conn, flows)
    return out


def c_bytes(data, indent):
    pad = "\t" * indent
    lines = textwrap.wrap(", ".join(f"0x{b:02x}" for b in data), 88 - 8 * indent)
    return "{\n" + "".join(f"{pad}\t{line}\n" for line in lines) + pad + "}"


C_TYPES = """\
struct sth_flow_vector {
	u32 start;
	u8 nq[16];
	u8 nr[16];
	u8 key[32];		/* K_F of epoch 0 */
	const u8 (*frames)[100];	/* HELLO, HELLO-ACK, CONFIRM, CONFIRM-ACK; if thorough */
};

/* a connection between x and y, in whatever order, and both flows: x's, y's */
struct sth_connection_vector {
	const char *name;
	const char *suite;
	u8 mode;
	bool thorough;		/* has frames, and packets of every opcode */
	bool pair_key;
	u8 key_len;
	u8 key[32];
	u8 x_gid[16];
	u8 y_gid[16];
	u32 x_qpn;
	u32 y_qpn;
	u8 pair[32];		/* K_AB */
	u8 paper[16];		/* the paper's, under the first 16 bytes of the key */
	u32 key_id;
	u8 hs[32];		/* K_HS */
	u8 share_secret[2][32];	/* X25519: scalars of x and y */
	u8 share[2][32];
	u8 root[2][32];		/* K_X of x's flow and of y's */
	struct sth_flow_vector flow[2];
};

struct sth_sub_key_vector {
	u8 connection;
	u8 owner;		/* 0: x's flow, 1: y's */
	bool response;
	u64 epoch;
	u8 key[64];
};

/* BTH to pad; before sealing, byte i of the payload was 13 * i + 5, the pad zero */
struct sth_packet_vector {
	const char *name;
	u8 connection;
	u8 owner;
	bool response;
	u8 hdr_len;
	u8 pad;
	u16 payload_len;
	u16 len;
	u32 counter;
	u16 phase;		/* rises in a flow's epoch from one vector to the next */
	u64 psn64;
	const u8 *sealed;
	const u8 *ext;		/* opaque mode: extension headers before sealing */
};
"""


def c_frames(data):
    for i, conn in enumerate(data["connections"]):
        for flow in conn["flows"] if conn["thorough"] else []:
            frames_c = ",\n\t".join(c_bytes(f, 1) for f in flow["frames"])
            yield (f"static const u8 sth_frames_{i}_{flow['owner']}[4][100] __maybe_unused = {{\n"
                   f"\t{frames_c}\n}};\n")


def c_flow(i, conn, flow):
    names = f"\t\t.frames = sth_frames_{i}_{flow['owner']},\n" if conn["thorough"] else ""
    return (f"{{\n\t\t.start = 0x{flow['start']:06x},\n"
            f"\t\t.nq = {c_bytes(flow['nq'], 2)},\n\t\t.nr = {c_bytes(flow['nr'], 2)},\n"
            f"\t\t.key = {c_bytes(flow['k_flow'], 2)},\n{names}\t}}")


def c_connection(i, conn):
    modes = {"header": "SRNIC_STH_HEADER", "packet": "SRNIC_STH_PACKET",
             "aead": "SRNIC_STH_AEAD", "opaque": "SRNIC_STH_OPAQUE"}
    x, y = conn["x"], conn["y"]
    fields = [
        f'.name = "{conn["suite"]} {conn["mode"]}"', f'.suite = "{conn["suite"]}"',
        f".mode = {modes[conn['mode']]}", f".thorough = {str(conn['thorough']).lower()}",
        f".pair_key = {str(conn['pair_key']).lower()}",
        f".key_len = {len(conn['key'])}", f".key = {c_bytes(conn['key'], 1)}",
        f".x_gid = {c_bytes(x['gid'], 1)}", f".y_gid = {c_bytes(y['gid'], 1)}",
        f".x_qpn = 0x{x['qpn']:06x}", f".y_qpn = 0x{y['qpn']:06x}",
        f".pair = {c_bytes(conn['k_ab'], 1)}", f".paper = {c_bytes(conn['k_ab_paper'], 1)}",
        f".key_id = 0x{conn['key_id'].hex()}", f".hs = {c_bytes(conn['k_hs'], 1)}",
        *(f".{name} = {{ " + ", ".join(c_bytes(each, 1) for each in conn[of]) + " }"
          for name, of in (("share_secret", "scalars"), ("share", "shares"), ("root", "roots"))),
        ".flow = { " + ", ".join(c_flow(i, conn, f) for f in conn["flows"]) + " }",
    ]
    return "{\n" + "".join(f"\t{f},\n" for f in fields) + "}"


def c_ext(name, mode, ext):
    """Return the extension headers of a packet that hides them: an array, and the last member of
    the packet."""
    if mode != "opaque" or not ext:
        return "", ""
    return f"static const u8 {name}[] __maybe_unused = {c_bytes(ext, 0)};\n", f", {name}"


def c_header(data):
    out = ["/* SPDX-License-Identifier: GPL-2.0 */",
           "/* Generated by tools/codec/vectors.py --c. Do not edit. */", "", C_TYPES]
    out += c_frames(data)
    out.append("static const struct sth_connection_vector sth_connection_vectors[] __maybe_unused = { "
               + ", ".join(c_connection(i, c) for i, c in enumerate(data["connections"]))
               + " };\n")
    out.append("static const struct sth_sub_key_vector sth_sub_key_vectors[] __maybe_unused = {")
    for k in data["sub_keys"]:
        out.append(f"\t{{\n\t\t{k['connection']}, {'xy'.index(k['owner'])}, "
                   f"{str(k['response']).lower()}, 0x{k['epoch']:x},\n"
                   f"\t\t{c_bytes(k['key'], 2)}\n\t}},")
    out.append("};\n")
    exts = [c_ext(f"sth_ext_{i}", data["connections"][p["connection"]]["mode"], p["ext"])
            for i, p in enumerate(data["packets"])]
    for i, p in enumerate(data["packets"]):
        out.append(f"static const u8 sth_packet_{i}[] = {c_bytes(p['sealed'], 0)};\n")
        out += [exts[i][0]] if exts[i][0] else []
    out.append("static const struct sth_packet_vector sth_packet_vectors[] __maybe_unused = {")
    for i, p in enumerate(data["packets"]):
        conn = data["connections"][p["connection"]]
        name = f"{conn['suite']} {conn['mode']} {p['opcode']} {p['payload_length']}"
        out.append(f'\t{{ "{name}", {p["connection"]}, {"xy".index(p["owner"])}, '
                   f'{str(p["response"]).lower()}, {p["header_length"]}, {p["pad"]},\n'
                   f'\t  {p["payload_length"]}, {len(p["sealed"])}, {p["counter"]}, {p["phase"]}, '
                   f'0x{p["psn64"]:x}, sth_packet_{i}{exts[i][1]} }},')
    out.append("};")
    return "\n".join(out)


def jsonable(value):
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(type(value))


def listing(rows):
    """Format names and bytes as in section 15."""
    lines = []
    for name, value in rows:
        lines.append(f"    {name}")
        lines += [f"        {line}" for line in textwrap.wrap(value.hex(), 64)]
    return "\n".join(lines)


def example():
    """Seal packets of two connections with the same ends and secret, step by step."""
    x, y = End.at("10.77.0.1", 0x11), End.at("10.77.0.2", 0x12)
    k_pd, nq, nr, start = bytes(range(32)), b"\x11" * 16, b"\x22" * 16, 0xfffffe
    rows = [("A", x.bytes), ("B", y.bytes), ("K_PD", k_pd), ("n_q", nq), ("n_r", nr),
            ("ephemeral key of A", EXAMPLE_SCALARS[0]), ("ephemeral key of B", EXAMPLE_SCALARS[1])]
    for suite, mode in (("aes-cmac-128", "header"), ("aes-gcm-128", "aead"),
                        ("aes-gcm-128", "opaque")):
        conn = Connection(x, y, SUITES[suite], mode, k_pd)
        shared = Shared.between(conn, x, *EXAMPLE_SCALARS)
        flow = Flow(conn, x, start, nq, nr, shared)
        if suite == "aes-cmac-128":
            rows += [("E_A", shared.a), ("E_B", shared.b), ("Z", shared.z), ("K_C", conn.k_c),
                     ("K_AB", conn.k_ab), ("key id", conn.key_id), ("K_X of A", shared.root(conn, x)),
                     ("K_X of B", shared.root(conn, y))]
        rows += [(f"{suite}, {mode}: S", conn.s), ("K_HS", conn.k_hs),
                 ("K_F, epoch 0", flow.k_flow), ("K_F, epoch 1", ratchet(flow.k_flow)),
                 ("request key, epoch 0", flow.key(False, 0)),
                 ("response key, epoch 1", flow.key(True, 1))]
        for name, frame in zip(("HELLO", "HELLO-ACK", "CONFIRM", "CONFIRM-ACK"),
                               frames(conn, flow)):
            rows.append((name, frame))
        counters = 7, 0
        named = [f", counter {n}" if conn.suite.nonce_family else "" for n in counters]
        write = Sender(flow, False).seal(
            Header(0x0a, y.qpn, 0, bytes.fromhex("00007f0000001000" "00001234" "00000005"),
                   pad=3, ackreq=True), b"hello" + bytes(3), start, counters[0])
        ack = Sender(flow, True).seal(
            Header(0x11, x.qpn, 0, bytes.fromhex("1f000001")), b"", 0x1000001, counters[1])
        rows += [(f"WRITE ONLY, PSN64 0xfffffe{named[0]}, payload \"hello\"", write),
                 (f"ACK, PSN64 0x1000001{named[1]}", ack),
                 ("the same ACK, IP to ICRC", Packet(y.gid, x.gid, ack).bytes())]
    return listing(rows)


def parser_of(doc, header):
    """Parse the arguments of a generator of vectors, whose C form is that header."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="everything (default)")
    form.add_argument("--c", action="store_true", help=header)
    form.add_argument("--example", action="store_true", help="the specification's example")
    return parser


def say(args, collect_all, in_c, by_example):
    """Print in the form that was asked for."""
    if args.example:
        print(by_example())
    elif args.c:
        print(in_c(collect_all()))
    else:
        print(json.dumps(collect_all(), default=jsonable, indent=1))


def main():
    parser = parser_of(__doc__, "kunit/vectors/sth.h")
    parser.add_argument("--suites", default="all", help="comma-separated (default: all)")
    args = parser.parse_args()
    names = list(SUITES) if args.suites == "all" else args.suites.split(",")
    unknown = [n for n in names if n not in SUITES]
    if unknown and not args.example:
        parser.error(f"no suite {', '.join(unknown)}; there are {', '.join(SUITES)}")
    say(args, lambda: collect(names), c_header, example)


if __name__ == "__main__":
    main()
