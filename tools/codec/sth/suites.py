# SPDX-License-Identifier: GPL-2.0
"""Suites and modes (protocol.md, section 3)."""

import hmac
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.cmac import CMAC

MODES = {"header": 1, "packet": 2, "aead": 3, "opaque": 4}
ENCRYPTING = ("aead", "opaque")

# section 2: STH length for each code
CODE_LEN = [0, 12, 16, 20, 28, 32, 48, 64]


@dataclass(frozen=True)
class Suite:
    """A row of the table of suites."""

    name: str
    id: int
    nonce_family: bool
    key_len: int
    tag_len: int
    code: int
    modes: tuple

    @property
    def sth_len(self):
        return self.tag_len + (4 if self.nonce_family else 0)


_MAC = ("header", "packet")
_AEAD = ENCRYPTING

SUITES = {s.name: s for s in [
    Suite("aes-cmac-128", 0x0101, False, 16, 16, 2, _MAC),
    Suite("aes-cmac-192", 0x0102, False, 24, 16, 2, _MAC),
    Suite("aes-cmac-256", 0x0103, False, 32, 16, 2, _MAC),
    Suite("aes-cmac-128/96", 0x0111, False, 16, 12, 1, _MAC),
    Suite("aes-cmac-192/96", 0x0112, False, 24, 12, 1, _MAC),
    Suite("aes-cmac-256/96", 0x0113, False, 32, 12, 1, _MAC),
    Suite("hmac-sha1", 0x0201, False, 20, 20, 3, _MAC),
    Suite("hmac-sha224", 0x0202, False, 28, 28, 4, _MAC),
    Suite("hmac-sha256", 0x0203, False, 32, 32, 5, _MAC),
    Suite("hmac-sha384", 0x0204, False, 48, 48, 6, _MAC),
    Suite("hmac-sha512", 0x0205, False, 64, 64, 7, _MAC),
    Suite("aes-gmac-128", 0x0301, True, 16, 16, 3, _MAC),
    Suite("aes-gmac-256", 0x0303, True, 32, 16, 3, _MAC),
    Suite("aes-gcm-128", 0x0401, True, 16, 16, 3, _AEAD),
    Suite("aes-gcm-192", 0x0402, True, 24, 16, 3, _AEAD),
    Suite("aes-gcm-256", 0x0403, True, 32, 16, 3, _AEAD),
    Suite("chacha20-poly1305", 0x0501, True, 32, 16, 3, _AEAD),
]}


def cmac(key, data):
    mac = CMAC(AES(key))
    mac.update(data)
    return mac.finalize()


def prf_tag(suite, key, data):
    """Compute the tag of a PRF suite over `data`."""
    if suite.name.startswith("aes-cmac"):
        return cmac(key, data)[:suite.tag_len]
    return hmac.digest(key, data, suite.name.removeprefix("hmac-"))


def _aead(suite, key):
    return ChaCha20Poly1305(key) if suite.name.startswith("chacha") else AESGCM(key)


def aead_seal(suite, key, nonce, ad, text):
    """Return (ciphertext, tag)."""
    out = _aead(suite, key).encrypt(nonce, text, ad)
    return out[:-16], out[-16:]


def aead_open(suite, key, nonce, ad, text, tag):
    """Return the plaintext, or None if the tag is wrong."""
    try:
        return _aead(suite, key).decrypt(nonce, text + tag, ad)
    except InvalidTag:
        return None
