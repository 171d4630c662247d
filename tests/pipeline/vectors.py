#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Print requests with their authentication, computed by Python's hmac, as the C header vectors.h.

    tests/pipeline/vectors.py >FILE
"""

import hashlib
import hmac
import struct

ALGORITHMS = {1: "md5", 2: "sha1", 3: "sha256"}
# version, algorithm, key id, nonce, time, QPN, PSN, key
CASES = (
    (1, 1, 1, 0, 0, 0x11, 0xabcdef, bytes(range(16))),
    (1, 2, 0xdeadbeef, 0, 0, 0xffffff, 0, b"k" * 20),
    (1, 3, 7, 0, 0, 1, 0xffffff, bytes(range(64))),
    (2, 3, 7, 0x0123456789abcdef, 1795000000, 0x123456, 0x654321, bytes(range(32))),
    (2, 3, 0xffffffff, 0xffffffffffffffff, 0, 2, 3, b"\xff" * 64),
)
CLIENT = bytes(10) + b"\xff\xff" + bytes((10, 77, 0, 1))
SERVER = bytes.fromhex("fd770000000000000000000000000002")
SERVICE = 0x01061b58


def request(version, algorithm, key_id, nonce, time, qpn, psn, key):
    """Return the message that the MAC covers, and the private data."""
    digest = ALGORITHMS[algorithm]
    fields = b"SECM" + struct.pack("!BBBBIQ", version, algorithm, hashlib.new(digest).digest_size,
                                   0, key_id, nonce)
    message = struct.pack("!II", qpn, psn)
    if version == 2:
        fields += struct.pack("!I", time)
        message = b"SECM request 2\0" + fields + message + CLIENT + SERVER + \
            struct.pack("!Q", SERVICE)
    mac = hmac.new(key, message, digest).digest()
    return message, (fields + mac).ljust(56, b"\0")


def array(data):
    return "{ " + ", ".join(f"0x{byte:02x}" for byte in data) + " }"


def main():
    print("/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */")
    print("/* Written by vectors.py */")
    print(f"static const uint8_t client_gid[] = {array(CLIENT)};")
    print(f"static const uint8_t server_gid[] = {array(SERVER)};")
    print(f"#define VECTOR_SERVICE {SERVICE:#x}\n")
    print("static const struct vector {\n\tunsigned int version, algorithm, key_len, message_len;\n"
          "\tuint32_t key_id, time, qpn, psn;\n\tuint64_t nonce;\n"
          "\tuint8_t key[64], message[128], data[56];\n} vectors[] = {")
    for case in CASES:
        version, algorithm, key_id, nonce, time, qpn, psn, key = case
        message, data = request(*case)
        print(f"\t{{ {version}, {algorithm}, {len(key)}, {len(message)}, {key_id:#x}, {time}, "
              f"{qpn:#x}, {psn:#x}, {nonce:#x}ull,\n\t  {array(key)},\n\t  {array(message)},\n"
              f"\t  {array(data)} }},")
    print("};")


if __name__ == "__main__":
    main()
