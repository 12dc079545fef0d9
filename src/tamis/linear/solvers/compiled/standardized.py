"""All columns of a table, as rows of one matrix or by their entries, in units shared by the fits of every fold."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from tamis.engine import map_threads
from tamis.linear.design import Design
from tamis.table.like import TableLike

_BLOCK = 256  # columns at a time: a block stays in the cache while it is centred, scaled and summed
_EPS = 16 * np.finfo(float).eps


@dataclass(frozen=True, eq=False)
class StandardizedColumns:
    """Standardised columns, and the units of several weightings of the rows (each summing to 1) upon them.

    Attributes
    ----------
    Z : columns × rows, (x - centre) · inverse; of a sparse table 1 × entries, column by column, as they are.
    centre, inverse : units of the first weighting; inverse is 0 for a column that does not vary.
    centres, inverses : columns × weightings, in units of Z: a fit's own column is (z - centres) · inverses.
    norms : columns × weightings, the length of a fit's own columns.
    begin, row : of a sparse table, where each column begins (and the last one ends), the row of every entry; or empty.
    """

    Z: np.ndarray
    centre: np.ndarray
    inverse: np.ndarray
    centres: np.ndarray
    inverses: np.ndarray
    norms: np.ndarray
    begin: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    row: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def of_sparse(cls, X: TableLike, weights: np.ndarray, *, standardize: bool, centred: bool) -> StandardizedColumns:
        """The entries of a sparse matrix; centring is left to the intercept of the fit."""
        design = Design(X)
        entries = design.X
        centres, inverses = design.units(weights, standardize, centred)
        second = np.asarray(entries.multiply(entries).T @ weights)
        spread = design.deviations(weights) if centred else np.sqrt(second)
        p = entries.shape[1]
        begin, row = entries.indptr.astype(np.int64), entries.indices.astype(np.int64)
        Z = np.ascontiguousarray(entries.data, dtype=np.float64)[None]
        return cls(Z, np.zeros(p), np.ones(p), centres, inverses, spread * inverses, begin, row)

    def block(self, which: np.ndarray, rows: slice) -> np.ndarray:
        """Some columns (as rows) at some rows, dense."""
        if not len(self.begin):
            return np.asarray(self.Z[which, rows])
        n = max(int(self.row.max(initial=-1)) + 1, rows.stop)
        entries = sparse.csr_array((self.Z[0], self.row, self.begin), shape=(len(self.centre), n))
        return np.asarray(entries[which][:, rows].toarray())

    @classmethod
    def of(
        cls, X: np.ndarray, weights: np.ndarray, *, standardize: bool, centred: bool, n_jobs: int | None = None
    ) -> StandardizedColumns:
        """Read a dense matrix once, block by block."""
        (n, p), m = X.shape, weights.shape[1]
        out = cls(*(np.empty(shape) for shape in ((p, n), p, p, (p, m), (p, m), (p, m))))
        starts = range(0, p, _BLOCK)
        map_threads(
            lambda a: out._block(X, slice(a, min(p, a + _BLOCK)), weights, standardize, centred), starts, n_jobs
        )
        return out

    def _block(self, X: np.ndarray, here: slice, weights: np.ndarray, standardize: bool, centred: bool) -> None:
        Z = self.Z[here]
        Z[:] = X[:, here].T
        mean = Z @ weights[:, 0]
        Z -= mean[:, None]
        rest = Z @ weights[:, 0]  # what rounding left: a column that does not vary is then exactly 0
        Z -= rest[:, None]
        mean += rest
        spread = np.sqrt((Z * Z) @ weights[:, 0])
        varies = spread > _EPS * np.abs(mean)
        inverse = np.divide(1.0, spread, out=np.zeros_like(spread), where=varies)
        if not centred:
            inverse[~varies & (mean != 0)] = 1.0
            Z += mean[:, None]
        Z *= inverse[:, None]
        self.centre[here], self.inverse[here] = mean if centred else 0.0, inverse
        noise = _EPS * np.abs(mean) * inverse
        self._units(here, Z, weights, inverse, noise, standardize, centred)

    def _units(
        self,
        here: slice,
        Z: np.ndarray,
        weights: np.ndarray,
        inverse: np.ndarray,
        noise: np.ndarray,
        standardize: bool,
        centred: bool,
    ) -> None:
        """Centres, scales and lengths of a block under every weighting."""
        centres, second = Z @ weights, (Z * Z) @ weights
        spread = np.sqrt(np.maximum(second - centres**2, 0.0))
        for j, f in zip(*np.nonzero(spread**2 <= 1e-8 * second)):  # nearly all cancelled: sum about the mean itself
            left = Z[j] - centres[j, f]
            left -= weights[:, f] @ left
            spread[j, f] = np.sqrt(weights[:, f] @ left**2)
        varies = spread > noise[:, None] + _EPS * np.abs(centres)
        raw = np.divide(1.0, inverse, out=np.ones_like(inverse), where=inverse > 0)[:, None]
        scale = np.where(varies, spread, 1.0) if standardize else np.broadcast_to(1.0 / raw, spread.shape)
        alive = (varies if centred else second > 0) & (inverse > 0)[:, None]
        self.inverses[here] = np.divide(1.0, scale, out=np.zeros_like(spread), where=alive)
        self.centres[here] = centres if centred else 0.0
        self.norms[here] = (spread if centred else np.sqrt(second)) * self.inverses[here]
