#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Test vectors of sealed datagrams, made by the independent codec.

usage: datagram_vectors.py [--json | --c | --example]

  --json     everything, for any consumer (default)
  --c        kunit/vectors/datagram.h
  --example  the last part of section 15 of Documentation/protocol.md

The same arguments always give the same vectors.
"""


from sth import (SUITES, UD_OPCODES, End, Header, Packet, Seal, Speaker, deth, has_datagrams,
                 k_group, k_pair)
from sth.datagram import GROUP_QPN
from sth.packet import INFINIBAND
from vectors import KEY_LENS, c_bytes, c_ext, draw, listing, parser_of, payload, say

# name, sender, destination, group or pair. The addresses of pairs occur in both orders.
PLACES = [
    ("pair ipv4", End.at("10.77.0.1", 0x11), End.at("10.77.0.2", 0x12), False),
    ("pair ipv6", End.at("fd77::2", 0x000100), End.at("fd77::1", 0xfffffe), False),
    ("group ipv4", End.at("10.77.0.2", 0x21), End.at("239.77.0.1", GROUP_QPN), True),
    ("group ipv6", End.at("fd77::1", 0x31), End.at("ff15::77", GROUP_QPN), True),
]
# the same between InfiniBand ports: one packet a seal each
IB_PLACES = [
    ("pair infiniband", End.at("fe80::1:2", 0x000100, INFINIBAND),
     End.at("fe80::1:1", 0x12, INFINIBAND), False),
    ("group infiniband", End.at("fe80::1:2", 0x31, INFINIBAND),
     End.at("ff12:401b:ffff::ffff:ffff", GROUP_QPN, INFINIBAND), True),
]
PAYLOADS = [0, 1, 4, 256]
# the smallest, the largest, and those around the edge of the replay window
COUNTERS = [0, 1, 2, 1983, 1984, 4096, 0x123456, (1 << 26) - 1]
IMM = bytes.fromhex("01020304")


def seals():
    return sorted(((suite, mode) for suite in SUITES.values() if has_datagrams(suite)
                   for mode in suite.modes), key=lambda seal: seal[1] == "opaque")


def key_row(suite, mode, place, sender, receiver, group):
    name = f"{suite.name} {mode} {place}"
    key = draw(f"datagram key {name}", KEY_LENS[len(name) % len(KEY_LENS)])
    k_ud = k_group(key) if group else k_pair(key, sender.gid, receiver.gid)
    salt = draw(f"salt {name}", 8)
    return {"name": name, "suite": suite.name, "mode": mode, "group": group, "key": key,
            "sgid": sender.gid, "dgid": receiver.gid, "kind": sender.kind, "sqpn": sender.qpn,
            "dqpn": receiver.qpn, "salt": salt, "k_ud": k_ud,
            "sub_key": Seal(suite, mode, k_ud).sub_key(sender, salt)}


def key_rows():
    """Yield a row for each seal at each place, in that order; InfiniBand ports come last."""
    for places in (PLACES, IB_PLACES):
        for suite, mode in seals():
            for place in places:
                yield key_row(suite, mode, *place)


def packet_of(index, keys, opcode, size, n):
    pad, counter = -size % 4, COUNTERS[n]
    ext = deth(0x80010000 + n, keys["sqpn"]) + (IMM if "ImmDt" in opcode.ext else b"")
    header = Header(opcode.value, keys["dqpn"], 0xfffffe + index & 0xffffff, ext, se=n % 3 == 0,
                    pad=pad, ackreq=n % 2 == 0)
    seal = Seal(SUITES[keys["suite"]], keys["mode"], keys["k_ud"])
    speaker = Speaker(End(keys["sgid"], keys["sqpn"], keys["kind"]), keys["salt"])
    return {"name": f"{keys['name']} {opcode.name} {size}", "keys": index,
            "header_length": opcode.hdr_len, "pad": pad, "payload_length": size, "ext": ext,
            "counter": counter,
            "sealed": speaker.seal(seal, header, payload(size) + bytes(pad), keys["dgid"],
                                   counter)}


def packet_rows(keys):
    """Yield for each seal both opcodes with each length; places and lengths take turns, so
    that each opcode meets each of them."""
    for i in range(len(seals())):
        for j, opcode in enumerate(UD_OPCODES.values()):
            for k, size in enumerate(PAYLOADS):
                index = len(PLACES) * i + (i + j + k) % len(PLACES)
                yield packet_of(index, keys[index], opcode, size, len(PAYLOADS) * j + k)
    opcodes = list(UD_OPCODES.values())
    for n, index in enumerate(range(len(PLACES) * len(seals()), len(keys))):
        yield packet_of(index, keys[index], opcodes[n // 2 % 2], PAYLOADS[n % len(PAYLOADS)],
                        n % len(COUNTERS))


def collect():
    keys = list(key_rows())
    return {"keys": keys, "packets": list(packet_rows(keys))}


C_TYPES = """\
/* how two hosts, or the members of a group, seal the datagrams of one sender */
struct datagram_key_vector {
	const char *name;
	const char *suite;
	u8 mode;
	bool group;
	u8 key_len;
	u8 key[32];		/* the rule's: K_PD of two hosts, a group's own */
	u8 sgid[16];
	u8 dgid[16];		/* of a group: the MGID */
	u32 sqpn;		/* its first byte: the kind of port */
	u32 dqpn;
	u8 salt[8];
	u8 k_ud[32];
	u8 sub_key[32];		/* as long as the suite's keys */
};

/* BTH to pad; before sealing, byte i of the payload was 13 * i + 5, the pad zero */
struct datagram_packet_vector {
	const char *name;
	u8 keys;
	u8 hdr_len;		/* BTH, DETH, ImmDt */
	u8 pad;
	u16 payload_len;
	u16 len;
	u64 counter;
	const u8 *sealed;
	const u8 *ext;		/* opaque mode: extension headers before sealing */
};
"""


def c_keys(row):
    fields = [f'.name = "{row["name"]}"', f'.suite = "{row["suite"]}"',
              f".mode = SRNIC_STH_{row['mode'].upper()}", f".group = {str(row['group']).lower()}",
              f".key_len = {len(row['key'])}", f".key = {c_bytes(row['key'], 2)}",
              f".sgid = {c_bytes(row['sgid'], 2)}", f".dgid = {c_bytes(row['dgid'], 2)}",
              f".sqpn = 0x{row['kind'] << 24 | row['sqpn']:06x}", f".dqpn = 0x{row['dqpn']:06x}",
              f".salt = {c_bytes(row['salt'], 2)}", f".k_ud = {c_bytes(row['k_ud'], 2)}",
              f".sub_key = {c_bytes(row['sub_key'], 2)}"]
    return "\t{\n" + "".join(f"\t\t{field},\n" for field in fields) + "\t},"


def c_packet(index, row, ext):
    return (f"\t{{ \"{row['name']}\", {row['keys']}, {row['header_length']}, {row['pad']},\n"
            f"\t  {row['payload_length']}, {len(row['sealed'])}, {row['counter']}, "
            f"datagram_packet_{index}{ext} }},")


def c_header(data):
    out = ["/* SPDX-License-Identifier: GPL-2.0 */",
           "/* Generated by tools/codec/datagram_vectors.py --c. Do not edit. */", "", C_TYPES,
           "static const struct datagram_key_vector datagram_key_vectors[] __maybe_unused = {"]
    out += [c_keys(row) for row in data["keys"]]
    out.append("};\n")
    out += [f"static const u8 datagram_packet_{i}[] __maybe_unused = {c_bytes(row['sealed'], 0)};\n"
            for i, row in enumerate(data["packets"])]
    exts = [c_ext(f"datagram_ext_{i}", data["keys"][row["keys"]]["mode"], row["ext"])
            for i, row in enumerate(data["packets"])]
    out += [array for array, _ in exts if array]
    out.append("static const struct datagram_packet_vector datagram_packet_vectors[] "
               "__maybe_unused = {")
    out += [c_packet(i, row, exts[i][1]) for i, row in enumerate(data["packets"])]
    out.append("};")
    return "\n".join(out)


def example():
    """Seal a datagram of the other examples' A, to B and to a group, step by step."""
    key, salt, rows = bytes(range(32)), bytes.fromhex("3333333333333333"), []
    x = End.at("10.77.0.1", 0x11)
    for what, receiver, suite, mode in (
            ("to B", End.at("10.77.0.2", 0x12), "aes-cmac-128", "packet"),
            ("to B", End.at("10.77.0.2", 0x12), "aes-gcm-128", "aead"),
            ("to B", End.at("10.77.0.2", 0x12), "aes-gcm-128", "opaque"),
            ("to the group", End.at("239.77.0.1", GROUP_QPN), "aes-gcm-128", "aead")):
        group = receiver.qpn == GROUP_QPN
        k_ud = k_group(key) if group else k_pair(key, x.gid, receiver.gid)
        seal = Seal(SUITES[suite], mode, k_ud)
        header = Header(0x64, receiver.qpn, 0x1001, deth(0x11111111, x.qpn), pad=3)
        sealed = Speaker(x, salt).seal(seal, header, b"hello" + bytes(3), receiver.gid, 7)
        m, nonce = seal.cover(salt, 7, x.gid, receiver.gid,
                              header.bytes()[:UD_OPCODES[0x64].clear_len(mode)],
                              b"hello" + bytes(3), 8 + len(sealed) + 4)
        rows += [(f"{suite}, {mode}, {what}: K_UD", k_ud), ("S", seal.s),
                 ("sub-key", seal.sub_key(x, salt)), ("M", m)]
        rows += [("N", nonce)] if seal.suite.nonce_family else []
        rows.append(('SEND ONLY, counter 7, payload "hello"', sealed))
    rows.append(("the same, IP to ICRC", Packet(x.gid, receiver.gid, sealed).bytes()))
    return listing(rows)


def main():
    say(parser_of(__doc__, "kunit/vectors/datagram.h").parse_args(), collect, c_header, example)


if __name__ == "__main__":
    main()
