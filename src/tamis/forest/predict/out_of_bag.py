"""Out-of-bag answers: each row judged by the trees that did not see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tamis import _core
from tamis.forest.layout import ForestTarget

LEAST = 50  # trees before a curve can be called flat
EVERY = 10  # trees between two looks at it


@dataclass(frozen=True, eq=False)
class OutOfBag:
    """Answers of a growing forest for rows left out, or for the copies of rows that count several times.

    Attributes
    ----------
    target : what is to be predicted, of these rows.
    weight : of each row in the error.
    """

    forest: _core.GrowingForest
    target: ForestTarget
    weight: np.ndarray
    of_copies: bool = False

    @property
    def votes(self) -> np.ndarray:
        """Sums of the trees' answers: rows × classes or targets."""
        return self.forest.out_of_bag(self.of_copies)[0]

    @property
    def n_trees(self) -> np.ndarray:
        """How many trees left each row out."""
        return self.forest.out_of_bag(self.of_copies)[1]

    @property
    def curve(self) -> np.ndarray:
        """The error after each tree."""
        return self.forest.out_of_bag(self.of_copies)[2]

    def answers(self) -> np.ndarray:
        """Average answers of each row; NaN where no tree left the row out."""
        votes, n_trees, _ = self.forest.out_of_bag(self.of_copies)
        with np.errstate(invalid="ignore"):
            return np.asarray(votes / n_trees[:, None])

    def is_stable(self) -> bool:
        """Whether the curve is flat within its own noise."""
        curve = self.curve
        return len(curve) >= LEAST and len(curve) % EVERY == 0 and is_flat(curve)


def is_flat(curve: np.ndarray) -> bool:
    r"""Whether further trees would change the error by less than its curve already scatters.

    The error of an average of t trees falls like a + b / t. Fitted to the second half of the curve, b / t is what is
    still to be won, and the scatter around the fit is the noise.

    >>> t = np.arange(1, 201)
    >>> is_flat(0.1 + 0.5 / t), is_flat(0.1 + 0.5 / t + 0.01 * np.sin(t))
    (False, True)
    """
    half = curve[len(curve) // 2 :]
    if np.isnan(half).any():
        return False
    t = np.arange(len(curve) - len(half) + 1, len(curve) + 1)
    design = np.column_stack([np.ones(len(half)), 1.0 / t])
    fit, *_ = np.linalg.lstsq(design, half, rcond=None)
    noise = float(np.std(half - design @ fit))
    return bool(abs(fit[1]) / len(curve) <= noise or np.ptp(half) <= 1e-12 * abs(half).max())
