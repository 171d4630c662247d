#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Generate vectors for the ICRC and for parsing: kunit/vectors/icrc.py > kunit/vectors/icrc.h

The implementation shares nothing with srnic's. For IPv4, scapy builds the packets and their
ICRC (scapy.contrib.roce). Scapy supports no IPv6 ICRC: there scapy's layers write the headers,
with the variant fields set to ones (IBA 7.8.1, RoCEv2 annex A17.3.3), and zlib computes the CRC.
For each IPv4 packet, that code must agree with scapy's. Two packets were captured on a wire:
hardware computed their ICRC, and scapy's test suite contains them.
"""
import random
import struct
import zlib

from scapy.all import IP, IPv6, UDP, Raw, raw
from scapy.contrib.roce import BTH

RNG = random.Random(20)


def icrc(packet):
    """Compute the ICRC, as on the wire, of an IP packet without one whose lengths are final."""
    p = packet.copy()
    if IP in p:
        p[IP].tos, p[IP].ttl, p[IP].chksum = 0xff, 0xff, 0xffff
    else:
        p[IPv6].tc, p[IPv6].fl, p[IPv6].hlim = 0xff, 0xfffff, 0xff
    p[UDP].chksum = 0xffff
    b = bytearray(raw(p))
    b[(20 if IP in p else 40) + 8 + 4] = 0xff
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(b)))


def ext(n):
    return bytes(RNG.randrange(256) for _ in range(n))


def ip(v6, length, ident, df):
    if v6:
        return IPv6(src="fd77::1", dst="fd77::2", tc=0x5a, fl=0xbeef1, hlim=61,
                    plen=8 + length)
    return IP(src="10.77.0.1", dst="10.77.0.2", tos=0x2, ttl=63, id=ident,
              flags="DF" if df else 0, len=28 + length)


def make(v6, opcode, headers, payload, sth=0, ident=0x1234, df=True, sport=49152 + 77,
         **bth):
    """Make one packet: BTH, `headers` extension bytes, STH by code, payload, pad."""
    sth_len = [0, 12, 16, 20, 28, 32, 48, 64][sth]
    pad = -payload % 4
    b = dict(opcode=opcode, padcount=pad, resv7=sth << 4, **bth)
    body = ext(headers + sth_len + payload) + bytes(pad)
    length = 12 + len(body) + 4
    net = ip(v6, length, ident, df) / UDP(sport=sport, dport=4791, len=8 + length,
                                      chksum=RNG.randrange(65536))
    # scapy always appends an ICRC to its BTH: cut it off, and append our own
    head = raw(BTH(icrc=0, **b))[:12]
    ours = icrc(net / Raw(head + body))
    if not v6:
        scapys = raw(net / BTH(**b) / Raw(body))[-4:]
        assert scapys == ours, (scapys, ours)
    return raw(net / Raw(head + body + ours)), dict(
        opcode=opcode, pad=pad, sth=sth, payload=payload,
        psn=bth.get("psn", 0), dqpn=bth.get("dqpn", 0), ackreq=bth.get("ackreq", 0),
        se=bth.get("solicited", 0), mig=bth.get("migreq", 0), becn=bth.get("becn", 0),
        fecn=bth.get("fecn", 0), pkey=bth.get("pkey", 0xffff))


def vectors():
    for v6 in (False, True):
        ver = "IPv6" if v6 else "IPv4"
        yield f"{ver} RC SEND_ONLY, empty", make(
            v6, 0x04, 0, 0, psn=0, dqpn=0x11, ackreq=1)
        yield f"{ver} RC SEND_ONLY_IMM, 1 byte, pad 3", make(
            v6, 0x05, 4, 1, psn=0xffffff, dqpn=0xffffff, solicited=1)
        yield f"{ver} RC WRITE_FIRST, 256 bytes", make(
            v6, 0x06, 16, 256, psn=0x800000, dqpn=0x123456, migreq=1)
        yield f"{ver} RC WRITE_LAST, 2 bytes, pad 2", make(
            v6, 0x08, 0, 2, psn=0x800001, dqpn=0x123456, ackreq=1)
        yield f"{ver} RC READ_REQ, marked FECN", make(
            v6, 0x0c, 16, 0, psn=1, dqpn=2, fecn=1)
        yield f"{ver} RC READ_RESP_ONLY, 3 bytes, pad 1", make(
            v6, 0x10, 4, 3, psn=1, dqpn=2, becn=1)
        yield f"{ver} RC ATOMIC_ACK", make(
            v6, 0x12, 12, 0, psn=9, dqpn=0x7f, df=False)
        yield f"{ver} RC CMP_SWAP, other P_Key", make(
            v6, 0x13, 28, 0, psn=9, dqpn=0x7f, pkey=0x8001)
        yield f"{ver} RC SEND_ONLY_INV", make(v6, 0x17, 4, 8, psn=10, dqpn=0x7f)
        yield f"{ver} RC ACK, STH of 16 bytes", make(v6, 0x11, 4, 0, sth=2, psn=3, dqpn=4)
        yield f"{ver} RC SEND_ONLY, STH of 64 bytes", make(
            v6, 0x04, 0, 5, sth=7, psn=4, dqpn=4, ackreq=1)
        yield f"{ver} UC WRITE_ONLY_IMM", make(v6, 0x2b, 20, 12, psn=5, dqpn=6)
        yield f"{ver} UD SEND_ONLY", make(v6, 0x64, 8, 64, psn=7, dqpn=1, df=False)
        yield f"{ver} HELLO", make(v6, 0xc0, 72, 0, sth=2, psn=0xabcdef, dqpn=8)


def segments():
    """Yield the segments of a super-packet: IDs rise, and the last segment is shorter."""
    for v6 in (False, True):
        for i, size in enumerate((256, 256, 60)):
            yield ("IPv6" if v6 else "IPv4") + f" segment {i}", make(
                v6, 0x08 if size == 60 else 0x07, 0, size, ident=(0xffff + i) & 0xffff,
                psn=100 + i, dqpn=3)


def captured():
    """Yield packets whose ICRC hardware computed, as scapy's test suite records them."""
    send = (IP(id=1144, flags="DF", tos=1, ttl=64, src="192.168.0.7", dst="192.168.0.7",
               len=64) / UDP(sport=49152, dport=4791, len=44) /
            BTH(opcode=0x24, migreq=1, padcount=2, dqpn=211, psn=13571856, icrc=0x78f353f3) /
            Raw(b"F0\x81\x8b\xe2\x895\xd9\x0e\x9a\x95PT\x01\xbe\x88^P\0\0"))
    cnp = bytes.fromhex("45c2003c718c4000401191610a0011010a001201"
                        "000012b700280000" "8100ffff4000011800000000" + "00" * 16 + "82fd002a")
    yield "UC SEND_ONLY, from a wire", (raw(send), dict(
        opcode=0x24, pad=2, sth=0, payload=18, psn=13571856, dqpn=211, ackreq=0, se=0,
        mig=1, becn=0, fecn=0, pkey=0xffff))
    yield "CNP of a ConnectX-4 Lx", (cnp, dict(
        opcode=0x81, pad=0, sth=0, payload=0, psn=0, dqpn=0x118, ackreq=0, se=0,
        mig=0, becn=1, fecn=0, pkey=0xffff))


def c_bytes(data):
    for i in range(0, len(data), 12):
        yield "\t" + ", ".join(f"0x{b:02x}" for b in data[i:i + 12]) + ","


def table(name, rows):
    index = []
    for i, (title, (data, f)) in enumerate(rows):
        print(f"static const u8 {name}_{i}[] = {{")
        print("\n".join(c_bytes(data)))
        print("};\n")
        fields = "" if f is None else (
            f".known = true, .opcode = 0x{f['opcode']:02x},\n"
            f"\t\t.psn = 0x{f['psn']:x}, .dqpn = 0x{f['dqpn']:x}, .pkey = 0x{f['pkey']:x},\n"
            f"\t\t.payload_len = {f['payload']}, .pad = {f['pad']}, .sth_code = {f['sth']},\n"
            f"\t\t.ackreq = {f['ackreq']}, .se = {f['se']}, .mig = {f['mig']}, "
            f".becn = {f['becn']}, .fecn = {f['fecn']},\n")
        index.append(f"\t{{\n\t\t.name = \"{title}\",\n\t\t.ip = {name}_{i}, .len = "
                     f"sizeof({name}_{i}),\n" + (f"\t\t{fields}" if fields else "") + "\t},")
    print(f"static const struct icrc_vector {name}[] = {{")
    print("\n".join(index))
    print("};")


def main():
    rows = list(vectors()) + list(captured())
    segs = list(segments())
    print("""/* SPDX-License-Identifier: GPL-2.0 */
/* Generated by kunit/vectors/icrc.py, which says from what. Do not edit. */

/* an IP packet, from its IP header to its ICRC, and what its BTH says */
struct icrc_vector {
	const char *name;
	const u8 *ip;
	u16 len;
	bool known;	/* an opcode of srnic's; the fields below hold */
	u8 opcode;
	u8 pad;
	u8 sth_code;
	bool ackreq, se, mig, becn, fecn;
	u16 pkey;
	u16 payload_len;
	u32 psn;
	u32 dqpn;
};
""")
    table("icrc_vectors", rows)
    print()
    table("icrc_segments", segs)


if __name__ == "__main__":
    main()
