"""The rows that each tree of a forest on a large table draws, by their numbers: the same wherever it is grown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis.engine import seed_of
from tamis.engine.hash import mix, text_hash
from tamis.table.lazy.sampled import row_hashes
from tamis.views.lazy.mapped_codes import MappedCodes

#: Rows that judge the trees that did not draw them.
JUDGED_ROWS = 50_000
#: What a tree draws by default, at most: rows, and codes in all.
DRAWN_ROWS, DRAWN_CODES = 1 << 18, 1 << 24


def default_size(n_rows: int, n_columns: int) -> int:
    """How many rows a tree draws: all, or as many as take about 100 MB while it grows.

    >>> default_size(1_000, 44), default_size(20_000_000, 44), default_size(20_000_000, 1_000)
    (1000, 262144, 16777)
    """
    return max(1, min(n_rows, DRAWN_ROWS, DRAWN_CODES // max(1, n_columns)))


@dataclass(frozen=True)
class RowDraws:
    """How the rows of each tree are drawn: `size` of all rows that have a target, with or without replacement."""

    size: int
    replace: bool
    seed: int

    def of(self, t: int, mapped: MappedCodes) -> tuple[np.ndarray, np.ndarray]:
        """The rows of tree t by their numbers, ascending, and how often each was drawn."""
        key = np.uint64(seed_of(self.seed, "rows", t)) << np.uint64(32)
        drawn, step = np.empty(0, dtype=np.int64), 0
        while len(drawn) < self.size:
            n_more = self.size - len(drawn) + 64
            more = _numbers(key, step, n_more, mapped.n_rows)
            step += n_more
            drawn = np.concatenate([drawn, more[mapped.present(more)]])
            if not self.replace:
                drawn = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
        rows, counts = np.unique(drawn[: self.size], return_counts=True)
        return rows, counts


def _numbers(key: np.uint64, first: int, n: int, below: int) -> np.ndarray:
    """Numbers first … first + n − 1 of a stream, each from 0 to below − 1."""
    with np.errstate(over="ignore"):
        words = mix(np.arange(first, first + n, dtype=np.uint64) + key)
    return (mix(words) % np.uint64(below)).astype(np.int64)


def judged_rows(mapped: MappedCodes, seed: int) -> np.ndarray:
    """The rows with a target that judge the trees, in the order of a keyed hash of their numbers: as good as random."""
    key, judged = int(text_hash(f"judged {seed}")), np.empty(0, dtype=np.int64)
    hashes = np.empty(0, dtype=np.uint64)
    for first in range(0, mapped.n_rows, 1 << 20):
        rows = np.arange(first, min(first + (1 << 20), mapped.n_rows))
        new = row_hashes(rows, key)
        if len(judged) == JUDGED_ROWS:  # only hashes below the largest kept so far count
            near = new < hashes[-1]
            rows, new = rows[near], new[near]
        present = mapped.present(rows)
        judged, hashes = np.append(judged, rows[present]), np.append(hashes, new[present])
        order = np.argsort(hashes, kind="stable")[:JUDGED_ROWS]
        judged, hashes = judged[order], hashes[order]
    return judged
