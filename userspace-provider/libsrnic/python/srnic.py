# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""libsrnic for Python: keys of domains, queue pairs and regions, and grants.

The manual pages of the C functions of the same names describe what these functions do:
srnic_key_pd(3) and so on. They take an Object, which wraps an object of pyverbs or of another
binding together with its context. Failures raise Error, an OSError whose text says how to
correct them.

    pd = srnic.Object(ctx, PD(ctx))
    mr = srnic.Object(ctx, MR(pd.of, size, access))
    srnic.key_pd(pd)
    srnic.protect_mr(mr, depth=4, block=4096)
    with srnic.Grant.of(mr, "read") as grant:
        packed = grant.narrow(mr.buf, 4096).pack()

pyverbs does not expose the handles of queue pairs; made() finds them out at creation:

    qp = srnic.made(ctx, lambda: QP(pd.of, attr))
    srnic.seal_qp(qp, "aead", "aes-gcm-128", secret)
"""
import ctypes
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_size_t, c_uint, c_uint16, c_uint32
from ctypes import c_uint64, c_uint8, c_void_p
from dataclasses import dataclass

MODES = {"header": 1, "packet": 2, "aead": 3, "opaque": 4}
RIGHTS = {"read": 1, "write": 2, "atomic": 3}
GRANT_LEN = 64
MKEY_LEN = 16

DRIVER_ID = 0x73726e63                  # rdma/srnic-abi.h
RDMA_VERBS_IOCTL = 0xc0181b01           # rdma/rdma_user_ioctl_cmds.h
OBJECT_DEVICE, METHOD_INFO_HANDLES = 0, 1
OBJECTS = {"pd": 1, "qp": 4, "mr": 7}
ATTR_OBJECT_ID, ATTR_TOTAL, ATTR_LIST = range(3)
MANDATORY = 1
MOST_HANDLES = 4096


class Error(OSError):
    """The errno value, and libsrnic's message."""


class _Device(ctypes.Structure):
    _fields_ = [("ops", c_void_p * 2), ("node_type", c_int), ("transport", c_int),
                ("name", c_char * 64)]


class _Context(ctypes.Structure):
    _fields_ = [("device", POINTER(_Device)), ("ops", c_void_p * 32), ("cmd_fd", c_int)]


class _Pd(ctypes.Structure):
    _fields_ = [("context", POINTER(_Context)), ("handle", c_uint32)]


class _Qp(ctypes.Structure):
    _fields_ = [("context", POINTER(_Context)), ("other", c_void_p * 5), ("handle", c_uint32)]


class _Mr(ctypes.Structure):
    _fields_ = [("context", POINTER(_Context)), ("pd", c_void_p), ("addr", c_void_p),
                ("length", c_size_t), ("handle", c_uint32)]


class _Tree(ctypes.Structure):
    _fields_ = [("depth", c_uint), ("block", c_uint64)]


class _Attr(ctypes.Structure):
    _fields_ = [("id", c_uint16), ("len", c_uint16), ("flags", c_uint16), ("zero", c_uint16),
                ("data", c_uint64)]


class _Call(ctypes.Structure):
    _fields_ = [("length", c_uint16), ("object", c_uint16), ("method", c_uint16),
                ("num_attrs", c_uint16), ("zero1", c_uint64), ("driver", c_uint32),
                ("zero2", c_uint32), ("attrs", _Attr * 3)]


_libc = ctypes.CDLL(None, use_errno=True)
_lib = ctypes.CDLL("libsrnic.so.1")
_ARGUMENTS = {
    "key_pd": (POINTER(_Pd), c_char_p, c_size_t),
    "seal_qp": (POINTER(_Qp), c_int, c_char_p, c_char_p, c_size_t),
    "protect_mr": (POINTER(_Mr), POINTER(_Tree), c_char_p),
    "grant_mr": (POINTER(_Mr), c_int, POINTER(c_void_p)),
    "grant_derive": (c_char_p, c_size_t, c_uint64, c_uint64, c_uint32, POINTER(_Tree), c_int,
                     POINTER(c_void_p)),
    "grant_narrow": (c_void_p, c_uint64, c_uint64, POINTER(c_void_p)),
    "grant_cover": (c_void_p, POINTER(c_uint64), POINTER(c_uint64), POINTER(c_void_p)),
    "grant_addr": (c_void_p,), "grant_len": (c_void_p,), "grant_rkey": (c_void_p,),
    "grant_right": (c_void_p,), "grant_free": (c_void_p,),
    "grant_pack": (c_void_p, POINTER(c_uint8)),
    "grant_unpack": (c_char_p, c_size_t, POINTER(c_void_p)),
    "use_grant": (POINTER(_Qp), c_void_p),
    "drop_grants": (POINTER(_Qp), c_uint32),
    "bind_mr": (POINTER(_Mr), POINTER(_Qp)),
    "error": (),
}
_RESULTS = {"grant_addr": c_uint64, "grant_len": c_uint64, "grant_rkey": c_uint32,
            "grant_free": None, "error": c_char_p}


def _function(name):
    function = getattr(_lib, f"srnic_{name}")
    function.argtypes = _ARGUMENTS[name]
    function.restype = _RESULTS.get(name, c_int)
    return function


_c = {name: _function(name) for name in _ARGUMENTS}


def _do(name, *args):
    err = _c[name](*args)
    if err:
        raise Error(-err, _c["error"]().decode(errors="replace"))


@dataclass
class Object:
    """Wrapper of `of`, created in `context`, which must have cmd_fd and may have a name.

    All attributes but `handle` are those of `of`."""

    context: object
    of: object
    number: int = None      # the handle, if `of` does not expose it

    @property
    def handle(self):
        return self.of.handle if self.number is None else self.number

    def __getattr__(self, name):
        return getattr(self.of, name)

    def lent(self, kind):
        """Return the fields of libibverbs' structure that libsrnic reads."""
        name = getattr(self.context, "name", "the device")
        name = name if isinstance(name, bytes) else name.encode()
        device = _Device(name=name[:63])
        context = _Context(device=ctypes.pointer(device), cmd_fd=self.context.cmd_fd)
        return kind(context=ctypes.pointer(context), handle=self.handle)


def _handles(context, kind):
    """Return the handles of a context's objects (UVERBS_METHOD_INFO_HANDLES)."""
    total, found = c_uint32(), (c_uint32 * MOST_HANDLES)()
    call = _Call(object=OBJECT_DEVICE, method=METHOD_INFO_HANDLES, num_attrs=3, driver=DRIVER_ID,
                 length=ctypes.sizeof(_Call))
    call.attrs[0] = _Attr(ATTR_OBJECT_ID, 8, MANDATORY, 0, OBJECTS[kind])
    call.attrs[1] = _Attr(ATTR_TOTAL, 4, MANDATORY, 0, ctypes.addressof(total))
    call.attrs[2] = _Attr(ATTR_LIST, ctypes.sizeof(found), MANDATORY, 0, ctypes.addressof(found))
    if _libc.ioctl(context.cmd_fd, c_uint64(RDMA_VERBS_IOCTL), byref(call)):
        raise Error(ctypes.get_errno(), "the kernel does not list the context's handles")
    return set(found[:total.value])


def made(context, create, kind="qp"):
    """Call `create` and return the new object as an Object. Not safe for concurrent calls."""
    before = _handles(context, kind)
    thing = create()
    new = _handles(context, kind) - before
    if len(new) != 1:
        raise RuntimeError(f"{len(new)} objects were made, not one")
    return Object(context, thing, new.pop())


def key_pd(pd, key=None):
    """Set the domain's key; None: the kernel generates a random one."""
    _do("key_pd", byref(pd.lent(_Pd)), key, len(key or b""))


def seal_qp(qp, mode, suite, key=None):
    """Seal a queue pair; call it before the transition to RTR."""
    _do("seal_qp", byref(qp.lent(_Qp)), MODES[mode], suite.encode(), key, len(key or b""))


def protect_mr(mr, depth=0, block=0, key=None):
    """Protect a region by its key; None: derived from the domain's key."""
    if key is not None and len(key) != MKEY_LEN:
        raise ValueError(f"a region's key has {MKEY_LEN} bytes")
    _do("protect_mr", byref(mr.lent(_Mr)), byref(_Tree(depth, block)), key)


def drop_grants(qp, rkey):
    """Remove the queue pair's grants for that rkey."""
    _do("drop_grants", byref(qp.lent(_Qp)), rkey)


def bind_mr(mr, qp):
    """Bind the region to that queue pair."""
    _do("bind_mr", byref(mr.lent(_Mr)), byref(qp.lent(_Qp)))


class Grant:
    """A block of a region, one right, and the key; wiped when closed or garbage-collected."""

    def __init__(self, pointer):
        self._pointer = pointer

    @classmethod
    def _made(cls, name, *args):
        pointer = c_void_p()
        _do(name, *args, byref(pointer))
        return cls(pointer)

    @classmethod
    def of(cls, mr, right):
        """Create a grant for a whole region, as its owner."""
        return cls._made("grant_mr", byref(mr.lent(_Mr)), RIGHTS[right])

    @classmethod
    def derive(cls, kpd, addr, length, rkey, right, depth=0, block=0):
        """Create a grant for a whole region from the domain's key."""
        return cls._made("grant_derive", kpd, len(kpd), addr, length, rkey,
                         byref(_Tree(depth, block)), RIGHTS[right])

    @classmethod
    def unpack(cls, packed):
        return cls._made("grant_unpack", packed, len(packed))

    def narrow(self, addr, length):
        """Return a grant for one block."""
        return self._made("grant_narrow", self._pointer, addr, length)

    def cover(self, addr, length):
        """Yield grants for the blocks that a range consists of, in order."""
        addr, left = c_uint64(addr), c_uint64(length)
        while left.value:
            yield self._made("grant_cover", self._pointer, byref(addr), byref(left))

    def pack(self):
        """Return the encoded grant, which is secret."""
        packed = (c_uint8 * GRANT_LEN)()
        _do("grant_pack", self._pointer, packed)
        return bytes(packed)

    def use(self, qp):
        """Add the grant to a queue pair, to prove its requests."""
        _do("use_grant", byref(qp.lent(_Qp)), self._pointer)

    @property
    def addr(self):
        return _c["grant_addr"](self._pointer)

    @property
    def rkey(self):
        return _c["grant_rkey"](self._pointer)

    @property
    def right(self):
        return next(name for name, number in RIGHTS.items()
                    if number == _c["grant_right"](self._pointer))

    @property
    def length(self):
        return _c["grant_len"](self._pointer)

    def close(self):
        _c["grant_free"](self._pointer)
        self._pointer = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_pointer", None):
            self.close()
