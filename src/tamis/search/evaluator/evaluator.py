"""The role of an evaluator: values sets of columns, many at a time."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tamis.errors import ParameterError

Values = tuple[np.ndarray, np.ndarray]


class Evaluator:
    """Values sets of columns: larger is better.

    Attributes
    ----------
    cheap : True when valuing a set again costs less than looking it up.
    monotone : True when a score never falls when a column is added: what branch and bound needs.
    resolution : scores closer than this differ by rounding only.
    batch_size : how many sets to value between two looks at the clock.
    """

    cheap = False
    monotone = False
    resolution = 0.0
    batch_size = 16

    def sets(self, sets: Sequence[np.ndarray]) -> Values:
        """Score and standard error of each set (positions of columns); -inf where the model failed on every fold."""
        raise NotImplementedError

    def additions(self, base: np.ndarray, columns: np.ndarray) -> Values:
        """Values of `base` with each of some columns added."""
        return self.sets([np.sort(np.append(base, j)) for j in columns])

    def removals(self, base: np.ndarray, columns: np.ndarray) -> Values:
        """Values of `base` with each of some columns taken out."""
        return self.sets([base[base != j] for j in columns])

    def weights(self, columns: np.ndarray) -> np.ndarray:
        """How much the model fitted on a set leans on each of its columns."""
        raise ParameterError(
            f"search='elimination' needs an estimator with coef_ or feature_importances_, and {self.name} has neither"
        )

    def best_subsets(self, low: int, high: int, deadline: float | None) -> Any:
        """The provably best set of each size, where the evaluator has a direct algorithm; else None."""
        return None

    @property
    def name(self) -> str:
        return type(self).__name__

    def finish(self) -> None:
        """Called once after the search: say what the user should know."""


def mean_and_error(fold_scores: np.ndarray) -> Values:
    """Mean over folds (last axis) and its standard error; NaN folds are left out, no fold left gives -inf."""
    if not np.isnan(fold_scores).any():
        n = fold_scores.shape[-1]
        error = fold_scores.std(axis=-1, ddof=1) / np.sqrt(n) if n > 1 else np.full(fold_scores.shape[:-1], np.nan)
        return fold_scores.mean(axis=-1), error
    is_scored = ~np.isnan(fold_scores)
    n = is_scored.sum(axis=-1)
    mean = np.where(is_scored, fold_scores, 0.0).sum(axis=-1) / np.maximum(n, 1)
    squares = np.where(is_scored, (fold_scores - mean[..., None]) ** 2, 0.0).sum(axis=-1)
    error = np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1))
    return np.where(n > 0, mean, -np.inf), np.where(n > 1, error, np.nan)
