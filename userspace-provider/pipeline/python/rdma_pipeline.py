# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""librdma_pipeline for Python: many authenticated RDMA connections, set up in a pipeline.

The manual pages of the C functions of the same names describe what these functions do:
rdma_pipeline_connect(3) and so on; rdma_pipeline(7) is an overview. Failures raise Error, an
OSError whose text says how to correct them.

    keys = rdma_pipeline.Keys()
    keys.add(1, "sha256", secret)
    with rdma_pipeline.Pipeline() as pipe:
        conns = pipe.params(Param((host, 7471), keys=keys) for host in hosts)
        pipe.connect()
        if pipe.wait():
            for conn in conns:
                if conn.error:
                    print(conn.error.reason, "in stage", conn.error.stage)

and the other side:

    with rdma_pipeline.Pipeline() as pipe:
        pipe.listen(Param(("::", 7471), keys=keys))
        for event in pipe.events():
            if event.kind == "closed":
                event.conn.disconnect()

A Pipeline has a fileno() for select and asyncio; next() then returns the events one by one.
"""
import ctypes
import errno
import os
import select
import socket
import struct
import weakref
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_uint16, c_uint32
from ctypes import c_uint64, c_uint8, c_void_p
from dataclasses import dataclass, field

ALGORITHMS = {"md5": 1, "sha1": 2, "sha256": 3}
REFUSALS = {"reject": 0, "silence": 1}
EVENTS = ("up", "failed", "closed")
CAPS = ("max_send_wr", "max_recv_wr", "max_send_sge", "max_recv_sge", "max_inline_data")


class Error(OSError):
    """The errno value, and the library's message."""


class _QpAttr(ctypes.Structure):
    _fields_ = [("context", c_void_p), ("send_cq", c_void_p), ("recv_cq", c_void_p),
                ("srq", c_void_p), ("cap", c_uint32 * len(CAPS)), ("type", c_int),
                ("sq_sig_all", c_int)]


class _Param(ctypes.Structure):
    _fields_ = [("src", c_char_p), ("dst", c_char_p), ("qp", _QpAttr), ("pd", c_void_p),
                ("private_data", c_char_p), ("private_data_len", c_uint8),
                ("responder_resources", c_uint8), ("initiator_depth", c_uint8),
                ("retry_count", c_uint8), ("rnr_retry_count", c_uint8), ("version", c_uint8),
                ("keys", c_void_p), ("timeout_ms", c_uint32), ("resolve_ms", c_uint32),
                ("context", c_void_p), ("reserved", c_uint64 * 4)]


class _ListenParam(ctypes.Structure):
    _fields_ = [("conn", _Param), ("backlog", c_uint32), ("refusal", c_int),
                ("skew_s", c_uint32), ("illegal_fd", c_int), ("illegal", c_void_p),
                ("illegal_context", c_void_p), ("reserved", c_uint64 * 4)]


class _PipelineAttr(ctypes.Structure):
    _fields_ = [("notify", c_void_p), ("context", c_void_p), ("window", c_uint32),
                ("event_threads", c_uint32), ("cqe", c_uint32), ("srq_wr", c_uint32),
                ("srq_sge", c_uint32), ("reserved", c_uint32 * 7)]


class _ErrorOf(ctypes.Structure):
    _fields_ = [("stage", c_int), ("reason", c_int), ("error", c_int), ("status", c_int)]


class _Event(ctypes.Structure):
    _fields_ = [("type", c_int), ("conn", c_void_p), ("listener", c_void_p)]


class Stats(ctypes.Structure):
    """Counters of a pipeline: struct rdma_pipeline_stats."""
    _fields_ = [(name, c_uint64) for name in ("established", "failed", "accepted", "refused",
                                              "busy", "retries", "lost")] + \
        [("window", c_uint32), ("event_threads", c_uint32), ("reserved", c_uint64 * 4)]


_lib = ctypes.CDLL("librdma_pipeline.so.1")
_FUNCTIONS = {
    "create": (c_int, POINTER(c_void_p), POINTER(_PipelineAttr)),
    "params": (c_int, c_void_p, POINTER(_Param), c_uint, POINTER(c_void_p)),
    "connect": (c_int, c_void_p),
    "wait": (c_int, c_void_p, c_int),
    "cancel": (None, c_void_p, c_void_p),
    "error": (c_int, c_void_p, POINTER(_ErrorOf)),
    "disconnect": (c_int, c_void_p, c_void_p),
    "destroy": (c_int, c_void_p),
    "fd": (c_int, c_void_p),
    "next": (c_int, c_void_p, POINTER(_Event)),
    "listen": (c_int, c_void_p, POINTER(_ListenParam), POINTER(c_void_p)),
    "unlisten": (c_int, c_void_p),
    "port": (c_uint16, c_void_p),
    "id": (c_void_p, c_void_p),
    "private_data": (c_void_p, c_void_p, POINTER(c_size_t)),
    "stats": (None, c_void_p, POINTER(Stats)),
    "stage_name": (c_char_p, c_int),
    "reason_name": (c_char_p, c_int),
    "message": (c_char_p,),
    "keys_create": (c_int, POINTER(c_void_p)),
    "keys_free": (None, c_void_p),
    "key_add": (c_int, c_void_p, c_uint32, c_int, c_char_p, c_size_t),
    "key_use": (c_int, c_void_p, c_uint32),
    "key_del": (c_int, c_void_p, c_uint32),
}


def _function(name):
    function = getattr(_lib, f"rdma_pipeline_{name}")
    function.restype, *function.argtypes = _FUNCTIONS[name]
    return function


_c = {name: _function(name) for name in _FUNCTIONS}


def _do(name, *args):
    result = _c[name](*args)
    if result < 0:
        raise Error(-result, _c["message"]().decode(errors="replace"))
    return result


def _sockaddr(address):
    """Return the struct sockaddr of a host's numeric address and a port, as Python's sockets
    write them."""
    if address is None:
        return None
    host, port = address[:2]
    if ":" in host:
        _, _, _, _, (host, port, flow, scope) = socket.getaddrinfo(
            host, port, socket.AF_INET6, socket.SOCK_STREAM, 0, socket.AI_NUMERICHOST)[0]
        return struct.pack("=H", socket.AF_INET6) + struct.pack("!HI", port, flow) + \
            socket.inet_pton(socket.AF_INET6, host.partition("%")[0]) + struct.pack("=I", scope)
    return struct.pack("=H", socket.AF_INET) + struct.pack("!H", port) + \
        socket.inet_pton(socket.AF_INET, host) + bytes(8)


class Keys:
    """A ring of keys. It is wiped when no pipeline and no program uses it any more."""

    def __init__(self):
        self.handle = c_void_p()
        _do("keys_create", byref(self.handle))

    def __del__(self):
        _c["keys_free"](self.handle)

    def add(self, number, algorithm, secret):
        """Add a key: algorithm is "sha256", or for version 1 also "sha1" or "md5"."""
        _do("key_add", self.handle, number, ALGORITHMS[algorithm], secret, len(secret))

    def use(self, number):
        _do("key_use", self.handle, number)

    def delete(self, number):
        _do("key_del", self.handle, number)


@dataclass
class Param:
    """struct rdma_pipeline_param: parameters of a connection, or of a listener's connections.

    `cap` may have max_send_wr, max_recv_wr, max_send_sge, max_recv_sge, max_inline_data. `pd`
    and the queues in `qp` (send_cq, recv_cq, srq) are addresses of libibverbs' structures."""

    dst: tuple
    src: tuple = None
    keys: Keys = None
    version: int = 0
    private_data: bytes = b""
    timeout_ms: int = 0
    resolve_ms: int = 0
    responder_resources: int = 0
    initiator_depth: int = 0
    retry_count: int = 0
    rnr_retry_count: int = 0
    pd: int = None
    cap: dict = field(default_factory=dict)
    qp: dict = field(default_factory=dict)

    PLAIN = ("version", "timeout_ms", "resolve_ms", "responder_resources", "initiator_depth",
             "retry_count", "rnr_retry_count", "pd")

    def fill(self, param):
        if wrong := set(self.cap) - set(CAPS):
            raise ValueError(f"cap has no {', '.join(wrong)}: it has {', '.join(CAPS)}")
        for name in self.PLAIN:
            setattr(param, name, getattr(self, name))
        param.src, param.dst = _sockaddr(self.src), _sockaddr(self.dst)
        param.keys = self.keys and self.keys.handle
        param.private_data = self.private_data or None
        param.private_data_len = len(self.private_data)
        param.qp.cap[:] = [self.cap.get(name, 0) for name in CAPS]
        for name, value in self.qp.items():
            setattr(param.qp, name, value)


@dataclass
class Failure:
    """How a connection has failed: struct rdma_pipeline_error."""
    stage: str
    reason: str
    errno: int      # that rdma_pipeline_error(3) returns
    error: int
    status: int


@dataclass
class Event:
    """kind is "up", "failed" or "closed"; listener accepted the connection, or is None."""
    kind: str
    conn: "Conn"
    listener: "Listener"


class Conn:
    """A connection."""

    def __init__(self, pipe, handle):
        self.pipe = pipe
        self._handle = handle

    @property
    def handle(self):
        if self._handle is None:
            raise ValueError("the connection was disconnected")
        return self._handle

    @property
    def is_up(self):
        """It is up, or was until its peer disconnected."""
        return _c["error"](self.handle, None) == 0

    @property
    def error(self):
        """The Failure; None if it has not failed."""
        what = _ErrorOf()
        err = -_c["error"](self.handle, byref(what))
        if err in (0, errno.EINPROGRESS):
            return None
        return Failure(_c["stage_name"](what.stage).decode(),
                       _c["reason_name"](what.reason).decode(), err, what.error, what.status)

    @property
    def id(self):
        """The address of its struct rdma_cm_id, for bindings of librdmacm; None: not up."""
        return _c["id"](self.handle)

    @property
    def private_data(self):
        """The peer's private data, in bytes; the CM pads them with zeros."""
        length = c_size_t()
        data = _c["private_data"](self.handle, byref(length))
        return ctypes.string_at(data, length.value) if data else b""

    def cancel(self):
        _c["cancel"](self.pipe.handle, self.handle)

    def disconnect(self):
        _do("disconnect", self.pipe.handle, self.handle)
        self.pipe.forget(self)

    def released(self):
        self._handle = None


class Listener:
    """A port that connections are accepted at."""

    def __init__(self, pipe, handle):
        self.pipe = pipe
        self.handle = handle

    @property
    def port(self):
        return _c["port"](self.handle)

    def unlisten(self):
        _do("unlisten", self.handle)
        self.pipe.listeners.pop(self.handle)
        self.handle = None


def _destroy_forgotten(handle, _keys, process):
    """Destroy a pipeline that the program has dropped. Its threads, which the processes that it
    forks do not have, use the rings of keys until then: `_keys` holds them."""
    if os.getpid() == process:
        _c["destroy"](handle)


class Pipeline:
    """A pipeline; leaving its "with" destroys it, as do its last reference and the program's
    end. Arguments: those of struct rdma_pipeline_attr, but callbacks."""

    def __init__(self, **attributes):
        attr = _PipelineAttr(**attributes)
        if attr.notify or attr.context:
            raise ValueError("there are no callbacks: use events(), or fileno() and next()")
        handle = c_void_p()
        _do("create", byref(handle), byref(attr))
        self._handle = handle
        self.conns, self.listeners, self.keys = {}, {}, set()
        self._finalizer = weakref.finalize(self, _destroy_forgotten, handle, self.keys,
                                           os.getpid())

    @property
    def handle(self):
        if self._handle is None:
            raise ValueError("the pipeline was destroyed")
        return self._handle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.destroy()

    def params(self, params):
        """Add connections; return a list of Conn."""
        params = list(params)
        array = (_Param * len(params))()
        for param, one in zip(params, array):
            param.fill(one)
        handles = (c_void_p * len(params))()
        _do("params", self.handle, array, len(params), handles)
        self._keep(params)
        return [self._conn(handle) for handle in handles]

    def connect(self):
        _do("connect", self.handle)

    def wait(self, timeout_ms=-1):
        """Return the number of connections that have failed."""
        return _do("wait", self.handle, timeout_ms)

    def cancel(self):
        """End the set-up of all connections."""
        _c["cancel"](self.handle, None)

    def disconnect(self):
        """Disconnect and free all connections."""
        _do("disconnect", self.handle, None)
        for conn in list(self.conns.values()):
            self.forget(conn)

    def destroy(self):
        """Disconnect everything and free the pipeline; do nothing if this was done before."""
        if self._handle is None:
            return
        _do("destroy", self._handle)
        self._finalizer.detach()
        self._handle = None
        for conn in list(self.conns.values()):
            self.forget(conn)
        for listener in self.listeners.values():
            listener.handle = None
        self.listeners, self.keys = {}, set()

    def listen(self, param, *, backlog=0, refusal="reject", skew_s=0, illegal_fd=0):
        """Accept connections; return the Listener. Param.dst is the address to listen at."""
        listen = _ListenParam(backlog=backlog, refusal=REFUSALS[refusal], skew_s=skew_s,
                              illegal_fd=illegal_fd)
        param.fill(listen.conn)
        handle = c_void_p()
        _do("listen", self.handle, byref(listen), byref(handle))
        self._keep([param])
        return self.listeners.setdefault(handle.value, Listener(self, handle.value))

    @property
    def stats(self):
        stats = Stats()
        _c["stats"](self.handle, byref(stats))
        return stats

    def fileno(self):
        """Return a descriptor that is readable while next() has an event."""
        return _do("fd", self.handle)

    def next(self):
        """Return the next Event; None if there is none."""
        event = _Event()
        try:
            _do("next", self.handle, byref(event))
        except Error as error:
            if error.errno != errno.EAGAIN:
                raise
            return None
        return Event(EVENTS[event.type], self._conn(event.conn),
                     self.listeners.get(event.listener))

    def events(self, timeout=None):
        """Yield each Event; end if there is none for `timeout` seconds."""
        poll = select.poll()
        poll.register(self.fileno(), select.POLLIN)
        while True:
            event = self.next()
            if event:
                yield event
            elif not poll.poll(None if timeout is None else timeout * 1000):
                return

    def forget(self, conn):
        self.conns.pop(conn.handle)
        conn.released()

    def _conn(self, handle):
        if handle not in self.conns:
            self.conns[handle] = Conn(self, handle)
        return self.conns[handle]

    def _keep(self, params):
        """Keep the rings of keys as long as the library uses them."""
        self.keys.update(param.keys for param in params if param.keys)
