"""Locked rows known again in a table that was changed since: by hashes of their cells, column by column."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis import saved
from tamis.engine.hash import mix, text_hash
from tamis.errors import DamagedError
from tamis.table import Raw

#: Rows and columns whose cells are hashed; columns that are looked at to choose those.
MAX_ROWS, MAX_COLUMNS, MAX_CANDIDATES = 100, 32, 200

#: A row is known again where this share of the columns that both tables have agree, and a table where this share of the
#: hashed rows is.
AGREEING_COLUMNS, AGREEING_ROWS = 0.8, 0.8

#: Standard errors beyond what chance brings.
SURELY = 4.0

#: Rows that may have been added or deleted for rows to be known by their order.
MAX_SHIFT = 50

#: Numbers are hashed by their sign, exponent and 12 bits of their mantissa: those of 5 digits stay what they are when
#: more digits are rounded away.
_SHIFT, _HALF = np.uint64(40), np.uint64(1 << 39)

_DIGITS = re.compile("(?:[0-9a-f]{4})*")


@dataclass(frozen=True, eq=False)
class RowHashes:
    """16 bits of every cell of some locked rows, in the columns that tell these rows apart best; never the target's.

    Attributes
    ----------
    columns : names of the columns.
    values : (rows, columns) hashes; no value of a cell can be computed from them, but a guess can be checked.
    rows : positions of the rows in their table.
    n_rows : how many rows that has.
    """

    columns: tuple[str, ...]
    values: np.ndarray
    rows: np.ndarray
    n_rows: int

    @classmethod
    def of(cls, raw: Raw, rows: np.ndarray, digests: np.ndarray, target: str | None) -> "RowHashes":
        """Of the rows with the smallest digests; columns with the most different cells among them come first."""
        some = np.sort(rows[np.argsort(digests, kind="stable")[:MAX_ROWS]])
        names = sorted((name for name in raw.names if name != target), key=lambda name: (int(text_hash(name)), name))
        cells = dict(zip(names, _hashes(raw, names[:MAX_CANDIDATES], some)))
        order = sorted(cells, key=lambda name: (-len(np.unique(cells[name])), name))[:MAX_COLUMNS]
        values = np.array([cells[name] for name in order], dtype=np.uint16).T.reshape(len(some), len(order))
        return cls(tuple(order), values, some, raw.n_rows)

    def matches(self, raw: Raw) -> np.ndarray:
        """How many rows of a table agree with each hashed row in enough of the columns that both have."""
        return self._counts(raw, None)

    def recognised(self, counts: np.ndarray, names: Collection[str], n_rows: int) -> bool:
        """Whether a table of some columns and so many rows, with such `matches`, holds these rows.

        Of fresh rows, Poisson many with mean μ agree with a hashed row. Then 1 - exp(-μ) of the hashed rows have one,
        and μ - 1 + exp(-μ) rows beside the first agree, on average: these tell μ, whether the first is the row itself
        or not. Pairs of hashed rows that agree tell μ, too; the larger one counts. Rows with different μ make both too
        large, never too small.
        """
        shared = self._shared(names)
        if not shared or not len(counts):
            return False
        beside_first = float(np.maximum(counts - 1, 0).mean())
        return self._beyond_chance(counts, max(_mean_count(beside_first), n_rows * self._share_of_pairs(shared)))

    def holds(self, raw: Raw) -> bool:
        """Whether a table holds these rows, beyond chance: anywhere, or in the order in which they were.

        Rows of few kinds are everywhere; what tells them is their order. So each is looked for about its old position,
        too, as far away as rows were added or deleted.
        """
        if self.recognised(self.matches(raw), raw.names, raw.n_rows):
            return True
        shift = abs(raw.n_rows - self.n_rows)
        shared = self._shared(raw.names)
        if not shared or shift > MAX_SHIFT:
            return False
        return self._beyond_chance(self._counts(raw, shift), (2 * shift + 1) * self._share_of_pairs(shared))

    def _counts(self, raw: Raw, shift: int | None) -> np.ndarray:
        """How many rows agree with each hashed row: of all, or of those at most `shift` rows from its position."""
        shared = self._shared(raw.names)
        counts = np.zeros(len(self.values), dtype=np.int64)
        if not shared:
            return counts
        cells = _hashes(raw, [self.columns[j] for j in shared])
        min_agreeing = _min_agreeing(len(shared))
        for k, (row, position) in enumerate(zip(self.values[:, shared], self.rows)):
            near = slice(None) if shift is None else slice(max(0, position - shift), position + shift + 1)
            agreeing = sum((column[near] == value).astype(np.uint8) for column, value in zip(cells, row))
            counts[k] = np.count_nonzero(agreeing >= min_agreeing)
        return counts

    def _beyond_chance(self, counts: np.ndarray, mean: float) -> bool:
        """Whether more hashed rows agree with some row than fresh rows would, of which `mean` agree with one."""
        n_present, chance = int(np.count_nonzero(counts)), -np.expm1(-mean)
        spread = np.sqrt(len(counts) * chance * (1 - chance))
        return n_present >= AGREEING_ROWS * len(counts) and n_present > len(counts) * chance + SURELY * spread

    def _shared(self, names: Collection[str]) -> list[int]:
        """Places of the hashed columns that another table has, too."""
        names_here = set(names)
        return [j for j, name in enumerate(self.columns) if name in names_here]

    def _share_of_pairs(self, shared: list[int]) -> float:
        """The share of pairs of different hashed rows that agree."""
        n = len(self.values)
        agreeing = np.zeros((n, n), dtype=np.uint8)
        for column in self.values[:, shared].T:
            agreeing += column[:, None] == column[None, :]
        pairs = int(np.count_nonzero(agreeing >= _min_agreeing(len(shared)))) - n
        return pairs / max(1, n * (n - 1))

    def to_dict(self) -> dict[str, Any]:
        """Plain values: of every column four hexadecimal digits a row."""
        cells = {name: self.values[:, j].astype(">u2").tobytes().hex() for j, name in enumerate(self.columns)}
        return {"n_rows": self.n_rows, "rows": self.rows.tolist(), "cells": cells}

    @classmethod
    def from_dict(cls, plain: Any) -> "RowHashes":
        """What `to_dict` gave."""
        facts = saved.mapping("the hashes", plain)
        n_rows = saved.read_integer("n_rows", saved.read_entry(facts, "n_rows"))
        rows = saved.numbers("rows", saved.read_entry(facts, "rows"), np.int64)
        cells = saved.mapping("cells", saved.read_entry(facts, "cells"))
        saved.refuse_outside("rows", rows, 0, n_rows - 1)
        if len(rows) > MAX_ROWS or len(cells) > MAX_COLUMNS:
            raise DamagedError("it has too many hashes of cells")
        for text in cells.values():
            if not _DIGITS.fullmatch(saved.text("a hash", text)) or len(text) != 4 * len(rows):
                raise DamagedError("its hashes of cells are none")
        values = [np.frombuffer(bytes.fromhex(text), dtype=">u2") for text in cells.values()]
        return cls(tuple(cells), np.array(values, dtype=np.uint16).T.reshape(len(rows), len(cells)), rows, n_rows)


def _mean_count(beside_first: float) -> float:
    """The μ with μ - 1 + exp(-μ) = `beside_first`, by Newton's method from above: the function is convex and rises.

    >>> round(_mean_count(0.8 + np.exp(-1.8)), 6)
    1.8
    """
    mean = beside_first + 1.0
    for _ in range(60 if beside_first > 0 else 0):
        mean -= (mean - 1 + np.exp(-mean) - beside_first) / -np.expm1(-mean)
    return float(mean) if beside_first > 0 else 0.0


def _min_agreeing(n_columns: int) -> int:
    """How many of some columns must agree."""
    return int(np.ceil(AGREEING_COLUMNS * n_columns - 1e-9))


def _hashes(raw: Raw, names: list[str], rows: np.ndarray | slice = slice(None)) -> list[np.ndarray]:
    """16 bits of the cells of some columns, of some rows or of all."""
    index_of = {name: j for j, name in enumerate(raw.names)}

    def hashed(j: int) -> np.ndarray:
        rounded = (raw.canonical(j).bits[rows] + _HALF) >> _SHIFT
        return (mix(rounded + text_hash("cell")) & np.uint64(0xFFFF)).astype(np.uint16)

    return raw.each(hashed, [index_of[name] for name in names])
