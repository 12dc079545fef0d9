"""What users give as `cv`: a splitter, or (train, test) pairs of row positions or masks."""

from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np

from tamis.errors import KindError, ParameterError
from tamis.typing import Folding

Folds = list[tuple[np.ndarray, np.ndarray]]


def is_whole(cv: Folding) -> bool:
    """Whether `cv` is a number of folds; True and False are none.

    >>> is_whole(5), is_whole(np.int64(5)), is_whole(True), is_whole(0.2)
    (True, True, False, False)
    """
    return isinstance(cv, Integral) and not isinstance(cv, (bool, np.bool_))


def pairs_of(cv: Any, n_rows: int, y: Any = None, *, groups: Any = None, X: Any = None) -> Folds:
    """The (train, test) row positions of a splitter or of an iterable of pairs.

    Parameters
    ----------
    cv : a splitter of scikit-learn, or an iterable of pairs of row positions, or of masks of all rows.
    n_rows, y, groups, X : what a splitter may look at; X is a column of zeros where none is given.

    >>> [test.tolist() for train, test in pairs_of([([0, 1], [2]), ([True, False, True], [False, True, False])], 3)]
    [[2], [1]]
    """
    if hasattr(cv, "split") and not isinstance(cv, (str, bytes)):
        candidates: Iterable[Any] = cv.split(np.zeros((n_rows, 1)) if X is None else X, y, groups)
    elif isinstance(cv, Iterable) and not isinstance(cv, (str, bytes)):
        candidates = cv
    else:
        raise KindError(f"cv={cv!r} is no number, splitter or list of (train, test) pairs; give one of these")
    pairs = [_pair(fold, pair, n_rows) for fold, pair in enumerate(candidates)]
    if not pairs:
        raise ParameterError("cv holds no (train, test) pair; give at least one")
    return pairs


def refuse_overlap(pairs: Folds) -> None:
    """Raise a sentence where a row both trains and judges."""
    for fold, (train, test) in enumerate(pairs):
        shared_rows = np.intersect1d(train, test)
        if len(shared_rows):
            raise ParameterError(
                f"fold {fold} of cv has the position {shared_rows[0]} in both train and test; give disjoint rows"
            )


def _pair(fold: int, pair: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    try:
        train, test = pair
    except (TypeError, ValueError) as error:
        raise KindError(f"fold {fold} of cv is {pair!r}; give pairs of (train, test) row positions") from error
    return _positions(fold, "train", train, n_rows), _positions(fold, "test", test, n_rows)


def _positions(fold: int, side: str, rows: Any, n_rows: int) -> np.ndarray:
    array = np.asarray(rows)
    if array.dtype == bool and array.shape == (n_rows,):
        array = np.flatnonzero(array)
    if array.ndim != 1 or len(array) == 0 or array.dtype.kind not in "iu":
        raise ParameterError(f"the {side} rows of fold {fold} of cv are {rows!r}; give at least one row position")
    if array.min() < 0 or array.max() >= n_rows:
        wrong = array.min() if array.min() < 0 else array.max()
        raise ParameterError(
            f"fold {fold} of cv holds the position {wrong}, but positions run from 0 to {n_rows - 1:,}"
        )
    return array.astype(np.int64)
