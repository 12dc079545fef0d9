"""Out-of-fold predictions: what the models of the folds say of their held-out rows, at the strength that is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from tamis.split import Folds


class _Models(NamedTuple):
    """Some models of one fold: the coefficients other than 0 by their place in models × columns × outputs."""

    shape: tuple[int, ...]
    place: np.ndarray
    value: np.ndarray
    intercept: np.ndarray

    def coef(self, i: int) -> np.ndarray:
        """Coefficients (columns × outputs) of model i."""
        size = self.shape[1] * self.shape[2]
        start, stop = np.searchsorted(self.place, [i * size, (i + 1) * size])
        out = np.zeros(size)
        out[self.place[start:stop] - i * size] = self.value[start:stop]
        return out.reshape(self.shape[1:])


class OutOfFold:
    """The models of every fold along a path, kept until one strength is chosen.

    Of a stretch of the path either the coefficients other than 0 are kept or the linear predictors of the held-out
    rows, whichever is less: what is kept grows neither with the rows of a tall table nor with the columns of a wide
    one.

    Parameters
    ----------
    X : the matrix (dense or sparse) that the coefficients belong to.
    splits : (training rows, test rows) of each fold.
    offset : what is added to the linear predictor of each row (rows × 1), or None.
    """

    def __init__(self, X: Any, splits: Folds, offset: np.ndarray | None = None) -> None:
        self._X, self._splits, self._offset = X, splits, offset
        self._kept: list[list[_Models | np.ndarray]] = [[] for _ in splits]

    @classmethod
    def by_fold(cls, parts: Sequence[Any]) -> OutOfFold:
        """Models of several paths: fold f is that of the f-th one given."""
        merged = cls(parts[0]._X, parts[0]._splits, parts[0]._offset)
        merged._kept = [part._kept[f] for f, part in enumerate(parts)]
        return merged

    def prefers_models(self, f: int, n_coef: int) -> bool:
        """Whether so many coefficients a model and output take less room than fold f's linear predictors."""
        return 2 * n_coef < len(self._splits[f][1])

    def keep_models(self, f: int, coef: np.ndarray, intercept: np.ndarray) -> None:
        """The next models of fold f: coefficients (models × columns × outputs) and intercepts (models × outputs)."""
        flat = coef.reshape(-1)
        place = np.flatnonzero(flat)
        self._kept[f].append(_Models(coef.shape, place, flat[place], intercept.copy()))

    def keep_predictors(self, f: int, linear_predictor: np.ndarray) -> None:
        """The next linear predictors of fold f's test rows (models × test rows × outputs), the offset included."""
        self._kept[f].append(np.ascontiguousarray(linear_predictor))

    def predict(self, models: Sequence[int], respond: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Predictions of all rows, in each fold by the model at one place of the path.

        NaN for rows that no fold held out, the mean for rows that several did.

        Parameters
        ----------
        models : the place in the path, for each fold.
        respond : turns linear predictors into predictions.
        """
        self._X = sparse.csr_array(self._X) if sparse.issparse(self._X) else self._X
        total = times = np.zeros((0, 0))
        for f, (_, test) in enumerate(self._splits):
            made = respond(self._predictor(f, models[f]))
            if not times.size:
                total, times = np.zeros((self._X.shape[0], made.shape[1])), np.zeros((self._X.shape[0], 1))
            np.add.at(total, test, made)
            np.add.at(times, test, 1.0)
        return np.divide(total, times, out=np.full_like(total, np.nan), where=times > 0)

    def _predictor(self, f: int, model: int) -> np.ndarray:
        """Linear predictors (test rows × outputs) of fold f."""
        for part in self._kept[f]:
            length = part.shape[0]
            if model < length:
                break
            model -= length
        if isinstance(part, np.ndarray):
            return np.asarray(part[model])
        test, coef = self._splits[f][1], part.coef(model)
        used = np.flatnonzero(coef.any(axis=1))
        rows = self._X[test][:, used] if sparse.issparse(self._X) else self._X[np.ix_(test, used)]
        linear_predictor = np.asarray(rows @ coef[used]) + part.intercept[model]
        return linear_predictor if self._offset is None else linear_predictor + self._offset[test]


def training_weights(splits: Folds, weights: np.ndarray) -> np.ndarray:
    """n × folds: the weights of each fold's training rows, 0 elsewhere."""
    out = np.zeros((len(weights), len(splits)))
    for f, (train, _) in enumerate(splits):
        np.add.at(out[:, f], train, weights[train])
    return out
