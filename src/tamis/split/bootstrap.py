"""The bootstrap as a splitter."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from tamis.engine.seed import generator
from tamis.errors import ParameterError
from tamis.table.like import TableLike


@dataclass(eq=False)
class BootstrapSplit:
    """A splitter: rows (or whole groups) drawn with replacement train, the rows never drawn judge.

    >>> train, test = next(BootstrapSplit(1).split(range(5)))
    >>> len(train), sorted({*train.tolist(), *test.tolist()})
    (5, [0, 1, 2, 3, 4])
    """

    n_resamples: int = 25
    random_state: int = field(default=0, kw_only=True)

    def get_n_splits(
        self, X: TableLike | None = None, y: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> int:
        """How many resamples there are."""
        return self.n_resamples

    def split(
        self, X: TableLike, y: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pairs of (train, test); a draw that leaves no row out is drawn again."""
        n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
        codes = np.arange(n_rows) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
        n_groups = int(codes.max()) + 1
        if n_groups < 2:
            raise ParameterError("a bootstrap needs at least 2 rows (or groups) to leave one out; give more rows")
        rows_of = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
        for number_of_draw in range(self.n_resamples):
            draw = generator(self.random_state, "bootstrap", number_of_draw)
            drawn = draw.integers(n_groups, size=n_groups)
            while len(np.unique(drawn)) == n_groups:
                drawn = draw.integers(n_groups, size=n_groups)
            train = np.concatenate([rows_of[g] for g in drawn])
            left_out = np.ones(n_rows, dtype=bool)
            left_out[train] = False
            yield train, np.flatnonzero(left_out)
