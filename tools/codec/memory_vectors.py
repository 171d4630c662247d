#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Test vectors of memory keys, made by the independent codec.

usage: memory_vectors.py [--json | --c | --example]

  --json     everything, for any consumer (default)
  --c        kunit/vectors/memory.h; its packets are of connections in sth.h
  --example  the last part of section 15 of Documentation/protocol.md

The same arguments always give the same vectors.
"""

import itertools
import struct

from sth import (OPCODES, RIGHTS, SUITES, Connection, End, Flow, Header, Region, Sender, Shared,
                 access_key, block_key, k_access, k_memory, root_key)
from sth.seal import mac_input, prove
from vectors import EXAMPLE_SCALARS, c_bytes, connections, draw, is_thorough, listing, parser_of, payload, say

K_PD = draw("memory domain", 32)
MIB = 1 << 20

# the paper's own; no delegation; odd lengths; smallest; largest; at the last address
REGIONS = [
    Region(0x7f0000000000, 16 * MIB, 0x00001234, 4, 20),
    Region(0x7f0000001003, 4096, 0x00abcdef, 0, 12),
    Region(0x7fffffffe001, 4097, 0x80000001, 63, 0),
    Region(0, 100000, 0x00010200, 3, 12),
    Region(0x10000, 4096, 0x00010203, 8, 20),
    Region(0, 1, 0xffffffff, 63, 0),
    Region(0, 1 << 63, 0x00000100, 63, 0),
    Region((1 << 64) - 8192, 8192, 0x00777700, 5, 9),
]

# opcode, right, length requested (for WRITE FIRST more than it carries), payload length
REQUESTS = [
    ("WRITE_FIRST", "write", 1000, 256), ("WRITE_ONLY", "write", 5, 5),
    ("WRITE_ONLY_IMM", "write", 64, 64), ("READ_REQ", "read", 70000, 0),
    ("CMP_SWAP", "atomic", 8, 0), ("FETCH_ADD", "atomic", 8, 0),
    ("FLUSH", "write", 300, 0), ("ATOMIC_WRITE", "write", 8, 8),
]


def ranges(region):
    """Yield accesses to a region: whole, both ends, middle, and an arbitrary one."""
    length = region.length
    half = 1 << max(region.root_shift - 1, 0)
    start = int.from_bytes(draw(f"range {region.rkey}", 8), "big") % length
    end = start + 1 + int.from_bytes(draw(f"length {region.rkey}", 8), "big") % (length - start)
    found = [(0, length), (0, min(8, length)), (length - 1, length), (half - 1, half + 1),
             (half, half + 8), (start, end), (start, min(start + 512, end))]
    return [r for r in dict.fromkeys(found) if 0 <= r[0] < r[1] <= length]


def access_rows():
    rights = itertools.cycle(RIGHTS)
    k_m = k_memory(K_PD)
    for index, region in enumerate(REGIONS):
        for start, end in ranges(region):
            right = next(rights)
            root = root_key(region.k_mr(k_m), right)
            path = region.path(start, end)
            node = block_key(root, path)
            yield {"region": index, "right": right, "start": start, "end": end,
                   "node_start": path[-1][0], "node_shift": path[-1][1],
                   "k_mr": region.k_mr(k_m), "root": root, "node": node,
                   "k_sr": access_key(node, start, end)}


def ext_of(opcode, region, start, length):
    if "AtomicETH" in opcode.ext:
        return struct.pack(">QIQQ", region.addr + start, region.rkey, 7, 11)
    reth = struct.pack(">QII", region.addr + start, region.rkey, length)
    feth = struct.pack(">I", 1) if "FETH" in opcode.ext else b""
    return feth + reth + (bytes.fromhex("01020304") if "ImmDt" in opcode.ext else b"")


def packet_rows(conns):
    names = {o.name: o for o in OPCODES.values()}
    region = REGIONS[0]
    k_mr = region.k_mr(k_memory(K_PD))
    for index, (conn, _, _, flows) in enumerate(conns):
        if not is_thorough(conn) or conn.mode == "opaque":      # it has no proofs
            continue
        for n, (name, right, asked, carried) in enumerate(REQUESTS):
            opcode, flow, start = names[name], flows[n % 2], n % 6 * 0x2a8000 + 8 * n
            k_sr = k_access(k_mr, region, right, start, start + asked)
            psn64 = flow.start + n
            counter = 1000 + n if conn.suite.nonce_family else None
            header = Header(opcode.value, conn.other(flow.owner).qpn, 0,
                            ext_of(opcode, region, start, asked), pad=-carried % 4, ackreq=True)
            sealed = Sender(flow, False).seal(header, payload(carried) + bytes(header.pad), psn64,
                                              counter, k_sr)
            head = mac_input(conn, flow.owner, psn64, counter, header.bytes(),
                             8 + len(sealed) + 4)
            yield {"connection": index, "opcode": name, "owner": "xy"[n % 2], "psn64": psn64,
                   "counter": counter or 0, "header_length": opcode.hdr_len, "pad": header.pad,
                   "payload_length": carried, "right": right, "start": start,
                   "end": start + asked, "k_sr": k_sr,
                   "proof": prove(flow, k_sr, head, sealed[opcode.hdr_len + conn.suite.sth_len:]),
                   "sealed": sealed}


def collect():
    conns = list(connections(SUITES))
    return {"k_pd": K_PD, "k_m": k_memory(K_PD), "regions": [vars(r) for r in REGIONS],
            "accesses": list(access_rows()), "packets": list(packet_rows(conns)),
            "names": [f"{conn.suite.name} {conn.mode}" for conn, *_ in conns]}


C_TYPES = """\
/* all under one K_PD */
struct memory_region_vector {
	u64 addr;		/* START */
	u64 length;
	u32 rkey;
	u8 depth;
	u8 block_shift;
};

/* an access to bytes [start, end) of a region, and its keys from K_MR on */
struct memory_access_vector {
	u8 region;
	u8 right;		/* 1 read, 2 write, 3 atomic */
	u64 start;
	u64 end;
	u64 node_start;		/* the smallest block that contains it */
	u8 node_shift;
	u8 k_mr[16];
	u8 root[16];
	u8 node[16];
	u8 k_sr[16];
};

/* a request to the first region, of a connection in sth.h; as sth_packet_vector */
struct memory_packet_vector {
	const char *name;
	u8 connection;
	u8 owner;
	u8 hdr_len;
	u8 pad;
	u16 payload_len;
	u16 len;
	u8 right;
	u32 counter;
	u64 psn64;
	u64 start;
	u64 end;
	u8 k_sr[16];
	u8 proof[16];
	const u8 *sealed;
};
"""


def c_access(row):
    keys = ",\n".join(f"\t\t{c_bytes(row[k], 2)}" for k in ("k_mr", "root", "node", "k_sr"))
    return (f"\t{{\n\t\t{row['region']}, {RIGHTS[row['right']]}, 0x{row['start']:x}, "
            f"0x{row['end']:x}, 0x{row['node_start']:x}, {row['node_shift']},\n{keys}\n\t}},")


def c_packet(index, row, names):
    name = f"{names[row['connection']]} {row['opcode']}"
    return (f"\t{{\n\t\t\"{name}\", {row['connection']}, {'xy'.index(row['owner'])}, "
            f"{row['header_length']}, {row['pad']}, {row['payload_length']},\n"
            f"\t\t{len(row['sealed'])}, {RIGHTS[row['right']]}, {row['counter']}, "
            f"0x{row['psn64']:x}, 0x{row['start']:x}, 0x{row['end']:x},\n"
            f"\t\t{c_bytes(row['k_sr'], 2)},\n\t\t{c_bytes(row['proof'], 2)},\n"
            f"\t\tmemory_packet_{index}\n\t}},")


def c_header(data):
    out = ["/* SPDX-License-Identifier: GPL-2.0 */",
           "/* Generated by tools/codec/memory_vectors.py --c. Do not edit. */", "", C_TYPES]
    out += [f"static const u8 {name}[] __maybe_unused = {c_bytes(data[key], 0)};\n"
            for name, key in (("memory_k_pd", "k_pd"), ("memory_k_m", "k_m"))]
    out.append("static const struct memory_region_vector memory_region_vectors[] "
               "__maybe_unused = {")
    out += [f"\t{{ 0x{r['addr']:x}, 0x{r['length']:x}, 0x{r['rkey']:x}, {r['depth']}, "
            f"{r['block_shift']} }}," for r in data["regions"]]
    out.append("};\n\nstatic const struct memory_access_vector memory_access_vectors[] "
               "__maybe_unused = {")
    out += [c_access(row) for row in data["accesses"]]
    out.append("};\n")
    out += [f"static const u8 memory_packet_{i}[] __maybe_unused = {c_bytes(row['sealed'], 0)};\n"
            for i, row in enumerate(data["packets"])]
    out.append("static const struct memory_packet_vector memory_packet_vectors[] "
               "__maybe_unused = {")
    out += [c_packet(i, row, data["names"]) for i, row in enumerate(data["packets"])]
    out.append("};")
    return "\n".join(out)


def example():
    """Seal a WRITE of the other example with a proof, step by step."""
    x, y = End.at("10.77.0.1", 0x11), End.at("10.77.0.2", 0x12)
    k_pd, nq, nr, start = bytes(range(32)), b"\x11" * 16, b"\x22" * 16, 0xfffffe
    region = Region(0x7f0000001000, 16 * MIB, 0x1234, 4, 20)
    first = 5 * MIB + 16
    k_m = k_memory(k_pd)
    path = region.path(first, first + 5)
    rows = [("K_M", k_m), ("K_MR", region.k_mr(k_m))]
    key = root_key(region.k_mr(k_m), "write")
    rows.append(("root, write", key))
    for number, block in enumerate(path[1:], 1):
        key = block_key(key, path[number - 1:number + 1])
        rows.append((f"step {number}: [0x{block[0]:x}, 0x{block[0] + (1 << block[1]):x})", key))
    k_sr = access_key(key, first, first + 5)
    rows.append((f"K_SR of [0x{first:x}, 0x{first + 5:x})", k_sr))
    ext = struct.pack(">QII", region.addr + first, region.rkey, 5)
    for suite, mode, counter in (("aes-cmac-128", "header", None), ("aes-gcm-128", "aead", 8)):
        conn = Connection(x, y, SUITES[suite], mode, k_pd)
        flow = Flow(conn, x, start, nq, nr, Shared.between(conn, x, *EXAMPLE_SCALARS))
        header = Header(0x0a, y.qpn, 0, ext, pad=3, ackreq=True)
        sealed = Sender(flow, False).seal(header, b"hello" + bytes(3), start, counter, k_sr)
        head = mac_input(conn, x, start, counter, header.bytes(), 8 + len(sealed) + 4)
        rows += [(f"{suite}, {mode}: M up to and with the extension headers", head),
                 ("proof", prove(flow, k_sr, head, sealed[-8:])),
                 ("WRITE ONLY, PSN64 0xfffffe" + (f", counter {counter}" if counter else "")
                  + ", payload \"hello\"", sealed)]
    return listing(rows)


def main():
    say(parser_of(__doc__, "kunit/vectors/memory.h").parse_args(), collect, c_header, example)


if __name__ == "__main__":
    main()
