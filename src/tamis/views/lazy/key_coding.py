"""Columns of numbers as small codes without a search: the leading 16 bits of each value look its code up.

A value less the middle of its column, as a float32, keeps its sign, its exponent and 7 bits of its fraction: 65,536
keys in the order of the values, a hundredth apart. A table gives each key its code. Codes are quantiles of the sample,
or one for each of its values where these are few and have keys of their own. Ten times faster than a search among
1,000 edges.
"""

from dataclasses import dataclass

import numpy as np

from tamis.table import Column

KEYS = 1 << 16
_SIGN = 1 << 15
_NOT_NUMBERS = np.concatenate([np.arange(0x7F81, 0x8000), np.arange(0xFF81, KEYS)])


@dataclass(frozen=True, eq=False)
class KeyCoding:
    """How a column of numbers is coded.

    Attributes
    ----------
    name : of the column.
    middle : taken from each value before its key is.
    table : the code of each key, uint16; `n_values` for missing.
    n_values : number of codes.

    >>> coding = KeyCoding.learn(Column("x", "numeric", np.array([1.0, 2.0, 2.0, 5.0])), 10)
    >>> coding.encode(Column("x", "numeric", np.array([5.0, np.nan, 1.0, 2.0, 9.0]))).tolist()
    [2, 3, 0, 1, 2]
    """

    name: str
    middle: float
    table: np.ndarray
    n_values: int

    @classmethod
    def learn(cls, column: Column, most: int) -> "KeyCoding":
        """The coding by the values of a sample."""
        values = column.values[~np.isnan(column.values)]
        if not len(values):
            table = np.zeros(KEYS, dtype=np.uint16)
            table[_NOT_NUMBERS] = 1
            return cls(column.name, 0.0, table, 1)
        middle = float(np.sort(values)[len(values) // 2])
        counts = np.bincount(_ordered(keys_of(values, middle)), minlength=KEYS)
        codes, size = _quantiles(counts, most)
        table = codes[_ordered(np.arange(KEYS))].astype(np.uint16)
        table[_NOT_NUMBERS] = size
        return cls(column.name, middle, table, size)

    def keys(self, column: Column) -> np.ndarray:
        """The key of each row."""
        return keys_of(column.values, self.middle)

    def encode(self, column: Column) -> np.ndarray:
        """The code of each row."""
        return self.table[self.keys(column)]


def keys_of(values: np.ndarray, middle: float) -> np.ndarray:
    """The leading 16 bits of values less the middle, as float32."""
    with np.errstate(over="ignore"):
        bits = (values - middle).astype(np.float32).view(np.uint32)
    return bits >> np.uint32(16)


def _ordered(keys: np.ndarray) -> np.ndarray:
    """The place of each key in the order of the values."""
    plain = keys.astype(np.int64)
    return np.where(plain < _SIGN, plain + _SIGN, KEYS - 1 - plain)


def _quantiles(counts: np.ndarray, max_codes: int) -> tuple[np.ndarray, int]:
    """The code of each place, by how many values of the sample it holds, and the number of codes.

    Empty places between two codes go to the nearer one.
    """
    present = np.flatnonzero(counts)
    if len(present) > max_codes:
        before = np.cumsum(counts[present]) - counts[present]
        share = before * max_codes // counts.sum()
        new = np.concatenate([[0], np.cumsum(np.diff(share) > 0)])
    else:
        new = np.arange(len(present))
    edges = (present[:-1] + present[1:] + 1) // 2  # places from here on belong to the next one seen
    codes = new[np.searchsorted(edges, np.arange(KEYS), side="right")]
    return codes, int(new[-1]) + 1
