#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""mpi - exchange messages of random bytes between two processes of Open MPI, and compare them.

One of two ranks sends messages of several sizes, several at a time, and the other one sends them
back; then each gives the other a part by a collective call. Rank 0 prints the bytes compared. It
calls the library by its ABI, so that no compiler and no headers are needed.

Example:
    mpirun -np 2 tests/programs/mpi.py --rounds 4
"""
import argparse
import ctypes
import hashlib
import sys

SIZES = 0, 1, 63, 4096, 8193, 65536, 300007
AT_ONCE = 4


class Mpi:
    """The calls that are needed, which end the process where one fails."""

    def __init__(self):
        self.lib = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
        self.world = self.at("ompi_mpi_comm_world")
        self.byte = self.at("ompi_mpi_byte")
        self("Init", None, None)
        rank = ctypes.c_int()
        self("Comm_rank", self.world, ctypes.byref(rank))
        self.rank = rank.value

    def at(self, name):
        return ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(self.lib, name)))

    def __call__(self, name, *args):
        if getattr(self.lib, f"MPI_{name}")(*args):
            sys.exit(f"mpi: MPI_{name} has failed")

    def begin(self, call, buffer, size, peer, tag):
        """Begin Isend or Irecv; return the request."""
        request = ctypes.c_void_p()
        self(call, buffer, ctypes.c_int(size), self.byte, ctypes.c_int(peer), ctypes.c_int(tag),
             self.world, ctypes.byref(request))
        return request

    def wait(self, requests):
        for request in requests:
            self("Wait", ctypes.byref(request), None)


def data_of(seed, size):
    """Return bytes that follow from the seed."""
    return hashlib.shake_128(seed).digest(size)


def exchange(mpi, seed, size):
    """Exchange some messages at once with the other rank; return the bytes compared."""
    peer = 1 - mpi.rank
    mine = [ctypes.create_string_buffer(data_of(b"%d %d " % (mpi.rank, i) + seed, size), size + 1)
            for i in range(AT_ONCE)]
    theirs = [ctypes.create_string_buffer(size + 1) for _ in range(AT_ONCE)]
    requests = [mpi.begin("Irecv", buffer, size, peer, i) for i, buffer in enumerate(theirs)]
    requests += [mpi.begin("Isend", buffer, size, peer, i) for i, buffer in enumerate(mine)]
    mpi.wait(requests)
    for i, buffer in enumerate(theirs):
        if buffer.raw[:size] != data_of(b"%d %d " % (peer, i) + seed, size):
            sys.exit(f"mpi: a message of {size} bytes has other bytes than were sent")
    return AT_ONCE * size


def gathered(mpi, seed, size):
    """Compare what MPI_Allgather has brought; return the bytes compared."""
    mine = ctypes.create_string_buffer(data_of(b"%d " % mpi.rank + seed, size), size)
    both = ctypes.create_string_buffer(2 * size)
    mpi("Allgather", mine, ctypes.c_int(size), mpi.byte, both, ctypes.c_int(size), mpi.byte,
        mpi.world)
    if both.raw != data_of(b"0 " + seed, size) + data_of(b"1 " + seed, size):
        sys.exit("mpi: MPI_Allgather has brought other bytes")
    return size


def main():
    ap = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    ap.add_argument("--rounds", type=int, default=2)
    args = ap.parse_args()
    mpi = Mpi()
    total = 0
    for turn in range(args.rounds):
        for size in SIZES:
            total += exchange(mpi, b"%d" % turn, size)
        total += gathered(mpi, b"%d" % turn, SIZES[-1])
    mpi("Finalize")
    if mpi.rank == 0:
        print(total, flush=True)


if __name__ == "__main__":
    main()
