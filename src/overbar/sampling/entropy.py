"""Random bits from the operating system. No other file asks for them.

Nothing is kept between calls: no generator, no seed, no state to fork, pickle or copy. The one
exception is :func:`drawn_ahead`, for whoever refuses forks and copies: bytes not used yet. A short
request is answered by the system itself. A long one is the keystream of ChaCha20 (RFC 8439) under
a key that the system hands out for this request alone and that is dropped with it.

A sampler takes its bits from a *source*: any function from a number of bytes to that many bytes.
The default is :func:`system`; tests pass their own. There is no switch that changes it for others.

Theory: :doc:`/theory/exact`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from numpy.typing import NDArray

#: Answers a request for that many random bytes.
Source = Callable[[int], bytes]

#: Up to here the system call is as fast as setting up the cipher.
SHORT_REQUEST = 1024
#: The longest stretch under one key, in bytes.
STRETCH = 1 << 18

_ZEROS = memoryview(bytes(STRETCH))
_NONCE = bytes(16)


def system(count: int) -> bytes:
    """Return `count` bytes from the operating system's generator.

    A key encrypts one stretch of zeros and nothing else, so the nonce may be constant.
    """
    if count <= SHORT_REQUEST:
        return os.urandom(count)
    return b"".join(_stretch(min(STRETCH, count - start)) for start in range(0, count, STRETCH))


def _stretch(count: int) -> bytes:
    cipher = Cipher(algorithms.ChaCha20(os.urandom(32), _NONCE), mode=None)
    return cipher.encryptor().update(_ZEROS[:count])


def drawn_ahead(source: Source, size: int) -> Source:
    """Return a source that asks another for so many bytes at a time, and hands out each once.

    Precondition: one thread at a time, and no use after a fork.
    """
    held = memoryview(b"")

    def take(count: int) -> bytes:
        nonlocal held
        if len(held) < count:
            held = memoryview(source(max(count, size)))
        taken, held = held[:count], held[count:]
        return taken.tobytes()

    return take


def random_bits(count: int, source: Source = system) -> int:
    """Return a whole number, uniform in [0, 2**count).

    Exact because surplus bits of the last byte are shifted out, never folded in.
    """
    length = (count + 7) // 8
    return int.from_bytes(source(length), "little") >> (8 * length - count)


def random_words(
    count: int, bits: int = 64, source: Source = system
) -> NDArray[np.unsignedinteger]:
    """Return `count` words, independent and uniform in [0, 2**bits), for bits from 0 to 64.

    The element type is the narrowest that holds them. Exact as :func:`random_bits` is.
    """
    if bits == 0:
        return np.zeros(count, dtype=np.uint8)
    kind = _narrowest(bits)
    words: NDArray[np.unsignedinteger] = np.frombuffer(source(count * kind.itemsize), dtype=kind)
    surplus = 8 * kind.itemsize - bits
    return words >> kind.type(surplus) if surplus else words


@cache
def _narrowest(bits: int) -> np.dtype[np.unsignedinteger]:
    return np.min_scalar_type((1 << bits) - 1)


def random_below(bound: int, source: Source = system) -> int:
    """Return a whole number, uniform in [0, bound).

    Precondition: bound >= 1. Exact because a draw that does not fit is thrown away whole.
    """
    bits = (bound - 1).bit_length()
    while (draw := random_bits(bits, source)) >= bound:
        pass
    return draw
