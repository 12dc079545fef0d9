"""Hashes of 64 bits, the same on every machine: of texts and bytes (BLAKE2b), of words of 64 bits (SplitMix64).

References
----------
Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
"""

import hashlib
from typing import Any

import numpy as np

#: The increment of SplitMix64: 2⁶⁴ over the golden ratio, odd.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)

NAN_BITS = np.uint64(0x7FF8000000000000)


def splitmix64(z: Any) -> Any:
    """The finaliser of SplitMix64: every input bit flips every output bit with probability near one half.

    >>> hex(splitmix64(GOLDEN * np.ones(1, dtype=np.uint64))[0])  # the generator's first number from seed 0
    '0xe220a8397b1dcdaf'
    """
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def mix(bits: np.ndarray) -> np.ndarray:
    """`splitmix64` of every word; NumPy tells of overflow for a word alone, and overflow is what is wanted."""
    with np.errstate(over="ignore"):
        return np.asarray(splitmix64(bits))


def bytes_hash(*chunks: bytes) -> bytes:
    """8 bytes of BLAKE2b of the parts, one after the other.

    >>> bytes_hash(b"ab", b"c") == bytes_hash(b"abc")
    True
    """
    digest = hashlib.blake2b(digest_size=8)
    for chunk in chunks:
        digest.update(chunk)
    return digest.digest()


def text_hash(text: str) -> np.uint64:
    """64 bits of a text.

    >>> hex(text_hash(""))
    '0xe4a6a0577479b2b4'
    """
    return np.uint64(int.from_bytes(bytes_hash(text.encode("utf-8", "surrogatepass")), "big"))


def number_bits(values: np.ndarray, missing: np.uint64 = NAN_BITS) -> np.ndarray:
    """The bits of float64 numbers; one zero, not two, and one pattern for every missing number.

    >>> number_bits(np.array([0.0, -0.0, np.nan])).tolist() == [0, 0, int(NAN_BITS)]
    True
    """
    values = np.ascontiguousarray(values, dtype=np.float64) + 0.0  # -0.0 + 0.0 is 0.0
    bits = values.view(np.uint64)
    bits[np.isnan(values)] = missing
    return bits
