"""Out-of-fold predictions: what the models of the folds say of their held-out rows, at the strength that is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from tamis.split import Folds


class Models(NamedTuple):
    """Some models of one fit: the coefficients other than 0 by their place in models × columns × outputs."""

    shape: tuple[int, ...]
    place: np.ndarray
    value: np.ndarray
    intercept: np.ndarray

    @classmethod
    def of(cls, coef: np.ndarray, intercept: np.ndarray) -> Models:
        """Models from coefficients (models × columns × outputs) and intercepts (models × outputs)."""
        flat = coef.reshape(-1)
        place = np.flatnonzero(flat)
        return cls(coef.shape, place, flat[place], intercept.copy())

    @classmethod
    def joined(cls, parts: Sequence[Models]) -> Models:
        """Models one after the other."""
        lengths = np.cumsum([0, *(part.n_models for part in parts)])
        size = parts[0].shape[1] * parts[0].shape[2]
        return cls(
            (int(lengths[-1]), *parts[0].shape[1:]),
            np.concatenate([part.place + first * size for part, first in zip(parts, lengths)]),
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.intercept for part in parts]),
        )

    @property
    def n_models(self) -> int:
        return int(self.shape[0])

    @property
    def begin(self) -> np.ndarray:
        """Where the coefficients of each model begin, and those of the last one end."""
        return np.searchsorted(self.place, np.arange(self.n_models + 1) * self.shape[1] * self.shape[2])

    @property
    def columns(self) -> np.ndarray:
        """Columns that any of the models uses."""
        return np.unique(self.place % (self.shape[1] * self.shape[2]) // self.shape[2])

    def part(self, start: int, stop: int) -> Models:
        """Models start … stop - 1."""
        begin, size = self.begin, self.shape[1] * self.shape[2]
        inside = slice(begin[start], begin[stop])
        shape = (stop - start, *self.shape[1:])
        return Models(shape, self.place[inside] - start * size, self.value[inside], self.intercept[start:stop])

    def first(self, n: int) -> Models:
        """The first n models."""
        return self.part(0, n)

    def blended(self, other: Models, share: float) -> Models:
        """share · these + (1 - share) · others on the same supports."""
        value = share * self.value + (1 - share) * other.value
        return self._replace(value=value, intercept=share * self.intercept + (1 - share) * other.intercept)

    def supports(self, columns: np.ndarray, last: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Where each model begins, and its entries: position in `columns` · outputs + output, then `last`."""
        K = self.shape[2]
        _, entry = np.divmod(self.place, self.shape[1] * K)
        entries = np.searchsorted(columns, entry // K) * K + entry % K
        if last is None or not last.size:
            return self.begin.astype(np.int64), entries.astype(np.int64)
        entries = np.insert(entries, np.repeat(self.begin[1:], last.size), np.tile(last, self.n_models))
        return (self.begin + last.size * np.arange(self.n_models + 1)).astype(np.int64), entries.astype(np.int64)

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sums of numbers, one a coefficient, by model and output."""
        K, size = self.shape[2], self.shape[1] * self.shape[2]
        slot = self.place // size * K + self.place % K
        return np.bincount(slot, weights=values, minlength=self.n_models * K).reshape(self.n_models, K)

    def dense(self, columns: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (models × columns × outputs), of some columns that hold all in use, and intercepts."""
        if columns is None:
            out = np.zeros(self.shape)
            out.reshape(-1)[self.place] = self.value
            return out, self.intercept
        m, p, K = self.shape
        model, entry = np.divmod(self.place, p * K)
        out = np.zeros((m, len(columns), K))
        out[model, np.searchsorted(columns, entry // K), entry % K] = self.value
        return out, self.intercept

    def coef(self, i: int) -> np.ndarray:
        """Coefficients (columns × outputs) of model i."""
        return self.part(i, i + 1).dense()[0][0]


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
    needs_models : whether coefficients are kept in any case.
    """

    def __init__(self, X: Any, splits: Folds, offset: np.ndarray | None = None, needs_models: bool = False) -> None:
        self._X, self._splits, self._offset, self.needs_models = X, splits, offset, needs_models
        self._kept: list[list[Models | np.ndarray]] = [[] for _ in splits]

    @classmethod
    def by_fold(cls, parts: Sequence[Any]) -> OutOfFold:
        """Models of several paths: fold f is that of the f-th one given."""
        merged = cls(parts[0]._X, parts[0]._splits, parts[0]._offset)
        merged._kept = [part._kept[f] for f, part in enumerate(parts)]
        return merged

    def prefers_models(self, f: int, n_coef: int) -> bool:
        """Whether so many coefficients a model and output take less room than fold f's linear predictors."""
        return self.needs_models or 2 * n_coef < len(self._splits[f][1])

    def models(self, f: int) -> Models:
        """All models of fold f, where only models were kept."""
        return Models.joined([part for part in self._kept[f] if isinstance(part, Models)])

    def with_models(self, models: Sequence[Models]) -> OutOfFold:
        """The same rows and folds with other models, one set a fold."""
        other = OutOfFold(self._X, self._splits, self._offset)
        other._kept = [[part] for part in models]
        return other

    def keep_models(self, f: int, coef: np.ndarray, intercept: np.ndarray) -> None:
        """The next models of fold f: coefficients (models × columns × outputs) and intercepts (models × outputs)."""
        self._kept[f].append(Models.of(coef, intercept))

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
