# SPDX-License-Identifier: GPL-2.0
"""Keys of memory: regions, their blocks, and proofs (protocol.md, section 12)."""

from dataclasses import dataclass

from .keys import kdf
from .suites import cmac

RIGHTS = {"read": 1, "write": 2, "atomic": 3}


def k_memory(k_pd):
    """Derive K_M, the memory branch of a domain's key (section 6)."""
    return kdf(k_pd, "STH1 memory", b"", 16)


def _range(start, end):
    return (start % 2**64).to_bytes(8, "big") + (end % 2**64).to_bytes(8, "big")


@dataclass(frozen=True)
class Region:
    """The parameters of a region known to owner, holders and verifier. Lengths in bytes."""

    addr: int           # START: address of its first byte in RETHs
    length: int
    rkey: int
    depth: int          # maximum number of steps from the root
    block_shift: int    # log2 of the smallest block

    @property
    def root_shift(self):
        return (self.length - 1).bit_length()

    def path(self, start, end):
        """Return the blocks (start, shift) that contain an access, from the root to its node."""
        if not 0 <= start < end <= self.length:
            raise ValueError("not inside the region")
        blocks = [(0, self.root_shift)]
        for shift in range(self.root_shift - 1, -1, -1):
            block = (start >> shift << shift, shift)
            if (len(blocks) > self.depth or shift < self.block_shift
                    or end > block[0] + (1 << shift)):
                break
            blocks.append(block)
        return blocks

    def k_mr(self, k_m):
        return cmac(k_m, b"\0" + _range(self.addr, self.addr + self.length)
                    + self.rkey.to_bytes(4, "big"))


def root_key(k_mr, right):
    return cmac(k_mr, bytes([1, RIGHTS[right]]))


def block_key(key, path):
    """Derive the key of a path's last block; `key` is that of its first."""
    for start, shift in path[1:]:
        key = cmac(key, b"\2" + _range(start, start + (1 << shift)))
    return key


def access_key(node_key, start, end):
    """Derive K_SR of exactly these bytes."""
    return cmac(node_key, b"\3" + _range(start, end))


def k_access(k_mr, region, right, start, end):
    """Derive K_SR from K_MR, by the whole path."""
    node = block_key(root_key(k_mr, right), region.path(start, end))
    return access_key(node, start, end)
