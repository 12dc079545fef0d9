"""Folds of rows for choosing a strength: a number, a splitter, or pairs of (training rows, test rows)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import LeaveOneOut, check_cv

from tamis.errors import ParameterError

Splits = list[tuple[np.ndarray, np.ndarray]]


def splits_of(cv: Any, y: np.ndarray, *, classifier: bool, groups: Any = None) -> Splits:
    """Positions of training and test rows of each fold; fewer folds than asked when there are fewer rows."""
    n = len(y)
    if cv == "loo":
        cv = LeaveOneOut()
    if isinstance(cv, (int, np.integer)) and not isinstance(cv, bool):
        if cv < 2:
            raise ParameterError(f"cv={cv} is too small; give at least 2 folds")
        most = int(np.bincount(y.astype(np.int64)).min()) if classifier else n
        cv = max(2, min(int(cv), most))
    splitter = check_cv(cv, y, classifier=classifier)
    pairs = [(np.asarray(a), np.asarray(b)) for a, b in splitter.split(np.zeros((n, 1)), y, groups)]
    return [(_positions(a), _positions(b)) for a, b in pairs]


def _positions(rows: np.ndarray) -> np.ndarray:
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.int64)


def training_weights(splits: Splits, weights: np.ndarray) -> np.ndarray:
    """n × folds: the weights of each fold's training rows, 0 elsewhere."""
    out = np.zeros((len(weights), len(splits)))
    for f, (train, _) in enumerate(splits):
        np.add.at(out[:, f], train, weights[train])
    return out
