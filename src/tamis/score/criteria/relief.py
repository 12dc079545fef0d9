"""Whether a column differs between near rows of different classes, and not between near rows of the same class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from tamis import _core, check
from tamis.engine import drawn_seed, generator, map_threads
from tamis.errors import ParameterError
from tamis.score.criterion import Criterion, Target, score_columns
from tamis.table import Table
from tamis.table.like import TableLike
from tamis.typing import RandomState

if TYPE_CHECKING:
    from tamis.views.neighbours import Neighbours


DIFFERENCES = ("absolute", "squared")
ROWS = 64  # drawn rows a task: fixed, so that weights have the same bits for any number of threads


class Relief(Criterion):
    """Relief, ReliefF for classes, RReliefF for numbers."""

    name = "relief"
    takes_weights = False

    def __init__(
        self, k: int = 10, draws: int | None = None, random_state: RandomState = 0, difference: str = "absolute"
    ) -> None:
        self.k = check.count("k", k)
        self.draws = None if draws is None else check.count("draws", draws)
        self.random_state = random_state
        self.difference = check.one_of("difference", difference, DIFFERENCES)

    def view(self, table: Table, target: Target, weights: np.ndarray | None, n_jobs: int | None) -> Neighbours:
        from tamis.views.neighbours import Neighbours

        n_others = table.n_rows - 1
        if self.k > n_others:
            raise ParameterError(
                f"k={self.k} neighbours, but each of the {table.n_rows:,} rows has only {n_others:,} others; "
                f"give k between 1 and {max(n_others, 1):,}, or more rows"
            )
        return Neighbours(table, squared=self.difference == "squared")

    def values(self, view: Neighbours, target: Target, n_jobs: int | None = None) -> np.ndarray:
        return self._weights(view, [target], n_jobs)[0]

    def values_of_targets(self, view: Neighbours, targets: Sequence[Target]) -> np.ndarray:
        if view.has_holes and targets[0].kind == "classes":  # what stands in for a missing value depends on the classes
            return super().values_of_targets(view, targets)
        return self._weights(view, targets, None)

    def rows(self, n: int) -> np.ndarray:
        """The rows whose neighbours are asked: all, or some drawn once without replacement."""
        if self.draws is None or self.draws >= n:
            return np.arange(n)
        seed = drawn_seed(self.random_state)
        return np.sort(generator(seed, "relief").choice(n, self.draws, replace=False))

    def _weights(self, view: Neighbours, targets: Sequence[Target], n_jobs: int | None) -> np.ndarray:
        rows = self.rows(view.n_rows)
        blocks = [rows[first : first + ROWS] for first in range(0, len(rows), ROWS)]
        weigh = self._classes if targets[0].kind == "classes" else self._numbers
        weights = np.zeros((len(targets), view.n_columns))
        weights[:, view.places] = weigh(view, targets, blocks, n_jobs)
        return weights

    def _classes(
        self, view: Neighbours, targets: Sequence[Target], blocks: list[np.ndarray], n_jobs: int | None
    ) -> np.ndarray:
        codes = np.array([target.codes for target in targets], dtype=np.int32)
        n_classes = targets[0].n_classes
        if n_classes < 2:
            return np.zeros((len(targets), view.n_columns))
        priors = np.bincount(codes[0], minlength=n_classes) / view.n_rows
        points = view.given(codes[0], n_classes)

        def weigh_block(rows: np.ndarray) -> np.ndarray:
            weights = np.zeros((len(targets), view.n_columns))
            neighbours = view.nearest(rows, self.k, codes, n_classes, points)
            _core.hits_and_misses(points, rows, codes, neighbours, priors, weights)
            return weights

        return np.sum(map_threads(weigh_block, blocks, n_jobs), axis=0) / sum(map(len, blocks))

    def _numbers(
        self, view: Neighbours, targets: Sequence[Target], blocks: list[np.ndarray], n_jobs: int | None
    ) -> np.ndarray:
        y = np.array([target.values for target in targets])
        width = float(np.ptp(y[0]))
        if width == 0:
            return np.zeros((len(targets), view.n_columns))
        y = (y - y.min()) / width

        def weigh_block(rows: np.ndarray) -> tuple[np.ndarray, ...]:
            far, changed, far_and_changed = (
                np.zeros(len(y)),
                np.zeros(view.n_columns),
                np.zeros((len(y), view.n_columns)),
            )
            _core.near_and_far(view.points, rows, y, view.nearest(rows, self.k), far, changed, far_and_changed)
            return far, changed, far_and_changed

        block_sums = map_threads(weigh_block, blocks, n_jobs)
        far, changed, far_and_changed = (np.sum([sums[q] for sums in block_sums], axis=0) for q in range(3))
        far, near = far[:, None], sum(map(len, blocks)) - far[:, None]
        first = np.divide(far_and_changed, far, out=np.zeros_like(far_and_changed), where=far > 0)
        return first - np.divide(changed - far_and_changed, near, out=np.zeros_like(far_and_changed), where=near > 0)


def relief(
    X: TableLike,
    y: ArrayLike,
    *,
    k: int = 10,
    draws: int | None = None,
    difference: str = "absolute",
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> np.ndarray:
    r"""Relief weight of each column: differences to near misses less differences to near hits.

    .. math:: w_j = \frac1m \sum_i \Big[ \sum_{c \ne c_i} \frac{P(c)}{1 - P(c_i)}
              \overline{\mathrm{diff}_j(i, \mathrm{misses}_c)} - \overline{\mathrm{diff}_j(i, \mathrm{hits})} \Big]

    where hits and misses are the k nearest rows of the same and of each other class, by the sum over columns of
    \|difference\| over the column's range (0 or 1 for categories). Columns that tell only together with others, as in
    XOR, are found too. A missing value counts by its class-conditional probability. `k=1` with two classes is Relief,
    several neighbours or classes ReliefF. With a numeric target it is RReliefF, each neighbour counting alike:

    .. math:: w_j = \frac{N_{dy, dx_j}}{N_{dy}} - \frac{N_{dx_j} - N_{dy, dx_j}}{m - N_{dy}}

    Parameters
    ----------
    X : table of n rows and d columns, numeric or categorical, missing values allowed.
    y : target, classes or numbers.
    k : number of neighbours of each class; a class with fewer rows gives what it has.
    draws : number m of rows drawn at random whose neighbours are asked; None asks all.
    difference : "absolute", or "squared": the squared difference of numbers, in the weights and in the distance, which
        orders rows as the Euclidean distance does (Kira and Rendell's update).
    random_state : seed of the draws.
    n_jobs : number of threads.

    Returns
    -------
    array of d numbers from −1 to 1; 0 or below for a column that does not matter, 0 for a constant one.

    References
    ----------
    K. Kira and L. Rendell, "A practical approach to feature selection", 1992 (Relief).
    I. Kononenko, "Estimating attributes: analysis and extensions of RELIEF", 1994 (ReliefF).
    M. Robnik-Šikonja and I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF", Machine Learning
    53, 2003.

    >>> relief([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1], k=1)
    array([ 1., -1.])
    """
    return score_columns(Relief(k, draws, random_state, difference), X, y, n_jobs=n_jobs)
