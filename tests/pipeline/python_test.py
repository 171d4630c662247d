#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""The library's Python module on the stand-in for librdmacm: FAKE_CM names the preloaded
stand-in. Needs the module and the library in the paths."""

import ctypes
import errno
import gc
import os
import re
import select
import subprocess
import sys
import unittest
from pathlib import Path

import rdma_pipeline
from rdma_pipeline import Param, Pipeline

FAKE = ctypes.CDLL(os.environ["FAKE_CM"])
HEADER = Path(__file__).with_name("fake_cm.h").read_text()
FATES = {name: 1000 + i for i, name in enumerate(re.findall(r"^\tFATE_(\w+)", HEADER, re.M))}
FINE, ADDR_ERROR, SILENT = FATES["FINE"], FATES["ADDR_ERROR"], FATES["SILENT"]
REJECT, NO_LISTENER, CLOSE = FATES["REJECT"], FATES["NO_LISTENER"], FATES["CLOSE"]
PORT = 7000
SECRET = b"a secret of thirty-two bytes...."


def to(port, **more):
    return Param(("10.0.0.2", port), **more)


class Clean(unittest.TestCase):
    """Each test must leave nothing behind in the stand-in."""

    def setUp(self):
        FAKE.fake_reset()

    def tearDown(self):
        self.assertTrue(FAKE.fake_is_clean())


class Connections(Clean):
    def test_a_hundred_are_up_and_go(self):
        with Pipeline(window=16) as pipe:
            conns = pipe.params(to(FINE) for _ in range(100))
            self.assertIsNone(conns[0].id)
            self.assertIsNone(conns[0].error)
            self.assertFalse(conns[0].is_up)
            pipe.connect()
            self.assertEqual(pipe.wait(), 0)
            self.assertTrue(all(conn.is_up and conn.id for conn in conns))
            self.assertEqual(pipe.stats.established, 100)
            conns[0].disconnect()
            with self.assertRaisesRegex(ValueError, "was disconnected"):
                conns[0].is_up
            pipe.disconnect()
            with self.assertRaisesRegex(ValueError, "was disconnected"):
                conns[1].error

    def test_failures_have_stage_and_reason(self):
        expected = {ADDR_ERROR: ("resolve_addr", errno.EHOSTUNREACH),
                    REJECT: ("connect", errno.ECONNREFUSED),
                    NO_LISTENER: ("connect", errno.ECONNREFUSED)}
        with Pipeline() as pipe:
            conns = pipe.params(to(port) for port in expected)
            pipe.connect()
            self.assertEqual(pipe.wait(), len(expected))
            found = {(conn.error.stage, conn.error.errno) for conn in conns}
            self.assertEqual(found, set(expected.values()))
            self.assertEqual(conns[2].error.reason, "no listener")

    def test_waiting_has_a_limit_and_can_be_canceled(self):
        with Pipeline() as pipe:
            conn, = pipe.params([to(SILENT)])
            pipe.connect()
            with self.assertRaises(rdma_pipeline.Error) as caught:
                pipe.wait(1)
            self.assertEqual(caught.exception.errno, errno.ETIMEDOUT)
            conn.cancel()
            pipe.cancel()
            self.assertEqual(pipe.wait(), 1)
            self.assertEqual(conn.error.errno, errno.ECANCELED)

    def test_parameters_are_checked(self):
        with Pipeline() as pipe:
            for words, param in (("different families", to(FINE, src=("::1", 0))),
                                 ("no key", to(FINE, keys=rdma_pipeline.Keys())),
                                 ("57", to(FINE, private_data=bytes(57))),
                                 ("7", to(FINE, retry_count=8)),
                                 ("version 3", to(FINE, version=3))):
                with self.assertRaisesRegex(rdma_pipeline.Error, words):
                    pipe.params([param])
            with self.assertRaisesRegex(ValueError, "max_send_wr"):
                pipe.params([to(FINE, cap={"max_send": 1})])

    def test_all_members_can_be_given(self):
        with Pipeline() as pipe:
            conns = pipe.params([to(
                FINE, src=("10.0.0.1", 0), private_data=b"hello", timeout_ms=60000,
                resolve_ms=1000, responder_resources=2, initiator_depth=3, retry_count=4,
                rnr_retry_count=5, version=2, cap={"max_send_wr": 8, "max_recv_wr": 9})])
            pipe.connect()
            self.assertEqual(pipe.wait(), 0)
            self.assertTrue(conns[0].is_up)


class Events(Clean):
    def test_they_can_be_polled_for(self):
        with Pipeline() as pipe:
            self.assertIsNone(pipe.next())
            self.assertEqual(select.select([pipe], [], [], 0)[0], [])
            conn, = pipe.params([to(CLOSE)])
            pipe.connect()
            kinds = []
            for event in pipe.events():
                self.assertIs(event.conn, conn)
                kinds.append(event.kind)
                if event.kind == "closed":
                    break
            self.assertEqual(kinds, ["up", "closed"])
            self.assertEqual(list(pipe.events(timeout=0)), [])

    def test_there_are_no_callbacks(self):
        with self.assertRaisesRegex(ValueError, "events"):
            Pipeline(notify=1)


class Listeners(Clean):
    def keys(self):
        keys = rdma_pipeline.Keys()
        keys.add(7, "sha256", SECRET)
        return keys

    def test_authenticated_requests_are_accepted(self):
        with Pipeline() as server, Pipeline() as client:
            listener = server.listen(Param(("10.0.0.2", PORT), keys=self.keys()), backlog=8)
            self.assertEqual(listener.port, PORT)
            conns = client.params([to(PORT, keys=self.keys()) for _ in range(4)])
            client.connect()
            self.assertEqual(client.wait(), 0)
            for _, event in zip(conns, server.events()):
                self.assertEqual((event.kind, event.listener), ("up", listener))
                self.assertTrue(event.conn.is_up)
            conns[0].disconnect()
            event = next(server.events())
            self.assertEqual(event.kind, "closed")
            event.conn.disconnect()
            client.disconnect()
            listener.unlisten()
            self.assertEqual(server.stats.accepted, 4)

    def test_others_are_refused_and_logged(self):
        log = os.memfd_create("illegal")
        with Pipeline() as server, Pipeline() as client:
            server.listen(Param(("10.0.0.2", PORT), keys=self.keys()), illegal_fd=log)
            conn, = client.params([to(PORT)])
            client.connect()
            self.assertEqual(client.wait(), 1)
            self.assertEqual(conn.error.errno, errno.EACCES)
        self.assertIn(b'"reason":"missing"', os.pread(log, 4096, 0))
        os.close(log)


# A program that ends without destroying its pipeline, as does a process that it has forked
FORGETFUL = """
import atexit, ctypes, os, sys
fake = ctypes.CDLL(os.environ["FAKE_CM"])
program = os.getpid()
# The first handler is called last
atexit.register(lambda: os._exit(0 if fake.fake_is_clean() or os.getpid() != program else 9))
import rdma_pipeline
keys = rdma_pipeline.Keys()
keys.add(7, "sha256", bytes(32))
pipe = rdma_pipeline.Pipeline()
pipe.params(rdma_pipeline.Param(("10.0.0.2", int(sys.argv[1])), keys=keys) for _ in range(100))
pipe.connect()
child = os.fork()
if child:
    _, status = os.waitpid(child, 0)
    sys.exit(status)
"""


class Forgotten(Clean):
    """A pipeline that nobody destroys is destroyed before the keys that its threads use."""

    def keys(self):
        keys = rdma_pipeline.Keys()
        keys.add(7, "sha256", SECRET)
        return keys

    def test_dropped(self):
        pipe = Pipeline()
        pipe.listen(Param(("10.0.0.2", PORT), keys=self.keys()))
        pipe.params(to(PORT, keys=self.keys()) for _ in range(100))
        pipe.connect()
        del pipe
        gc.collect()
        self.assertTrue(FAKE.fake_is_clean())

    def test_at_the_end_of_the_program(self):
        done = subprocess.run([sys.executable, "-c", FORGETFUL, str(SILENT)], timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0)


class Keys(unittest.TestCase):
    def test_a_ring(self):
        keys = rdma_pipeline.Keys()
        keys.add(1, "sha256", SECRET)
        keys.add(2, "md5", SECRET)
        keys.use(2)
        keys.delete(1)
        for code, call in ((errno.ENOENT, lambda: keys.use(1)),
                           (errno.EEXIST, lambda: keys.add(2, "sha1", SECRET)),
                           (errno.EINVAL, lambda: keys.add(3, "sha256", b"short"))):
            with self.assertRaises(rdma_pipeline.Error) as caught:
                call()
            self.assertEqual(caught.exception.errno, code)


class Structures(unittest.TestCase):
    def test_they_are_those_of_the_header(self):
        structures = [getattr(rdma_pipeline, name) for name in (
            "_PipelineAttr", "_Param", "_ListenParam", "_ErrorOf", "_Event", "Stats")]
        sizes = (ctypes.c_size_t * len(structures)).in_dll(FAKE, "pipeline_sizes")
        self.assertEqual([ctypes.sizeof(each) for each in structures], list(sizes))


if __name__ == "__main__":
    unittest.main()
