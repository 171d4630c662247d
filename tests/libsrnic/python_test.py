#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The library's Python module, without a kernel. Needs the library and the codec in the paths."""

import errno
import types
import unittest

import memory_vectors
import srnic

DATA = memory_vectors.collect()


def grant_of(row):
    region = DATA["regions"][row["region"]]
    return region, srnic.Grant.derive(DATA["k_pd"], region["addr"], region["length"],
                                      region["rkey"], row["right"], region["depth"],
                                      1 << region["block_shift"])


class Grants(unittest.TestCase):
    def test_keys_are_the_codecs(self):
        for row in DATA["accesses"]:
            region, grant = grant_of(row)
            self.assertEqual((grant.addr, grant.length, grant.rkey, grant.right),
                             (region["addr"], region["length"], region["rkey"], row["right"]))
            self.assertEqual(grant.pack()[40:56], row["root"])
            length = min(1 << row["node_shift"], region["length"] - row["node_start"])
            part = grant.narrow(region["addr"] + row["node_start"], length)
            self.assertEqual(part.pack()[40:56], row["node"])

    def test_what_is_packed_is_unpacked(self):
        _, grant = grant_of(DATA["accesses"][0])
        with srnic.Grant.unpack(grant.pack()) as again:
            self.assertEqual(again.pack(), grant.pack())

    def test_a_range_is_covered(self):
        region, grant = grant_of(DATA["accesses"][0])
        parts = list(grant.cover(region["addr"] + (3 << 20), 6 << 20))
        self.assertEqual([(part.addr - region["addr"], part.length) for part in parts],
                         [(3 << 20, 1 << 20), (4 << 20, 4 << 20), (8 << 20, 1 << 20)])

    def test_refusals_have_errno_and_words(self):
        region, grant = grant_of(DATA["accesses"][0])
        for code, words, call in (
                (errno.EINVAL, "are not a block", lambda: grant.narrow(region["addr"], 4096)),
                (errno.ERANGE, "the grant is for", lambda: grant.narrow(0, 1)),
                (errno.EINVAL, "3 bytes: it must have 64", lambda: srnic.Grant.unpack(b"abc"))):
            with self.assertRaisesRegex(srnic.Error, words) as caught:
                call()
            self.assertEqual(caught.exception.errno, code)


class Objects(unittest.TestCase):
    """Calls on objects of another driver reach the kernel, which rejects them."""

    def setUp(self):
        context = types.SimpleNamespace(cmd_fd=-1, name="srnic7")
        self.thing = srnic.Object(context, types.SimpleNamespace(handle=5, other="its own"))

    def test_an_object_is_what_it_wraps(self):
        self.assertEqual((self.thing.handle, self.thing.other), (5, "its own"))
        self.assertEqual(srnic.Object(None, self.thing, 6).handle, 6)

    def test_every_function_asks_the_kernel(self):
        _, grant = grant_of(DATA["accesses"][0])
        for call in (lambda: srnic.key_pd(self.thing), lambda: srnic.protect_mr(self.thing),
                     lambda: srnic.seal_qp(self.thing, "aead", "aes-gcm-128", bytes(16)),
                     lambda: srnic.Grant.of(self.thing, "read"), lambda: grant.use(self.thing),
                     lambda: srnic.drop_grants(self.thing, 1),
                     lambda: srnic.bind_mr(self.thing, self.thing),
                     lambda: srnic.made(self.thing.context, lambda: None)):
            with self.assertRaises(srnic.Error) as caught:
                call()
            self.assertEqual(caught.exception.errno, errno.EBADF)

    def test_the_library_reads_what_is_lent(self):
        lent = self.thing.lent(srnic._Qp)
        self.assertEqual((lent.context.contents.cmd_fd, lent.handle,
                          lent.context.contents.device.contents.name), (-1, 5, b"srnic7"))


if __name__ == "__main__":
    unittest.main()
