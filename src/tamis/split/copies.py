"""Folds that keep equal rows together: drawn from one row of each set, the others follow it."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.split.folds import folds
from tamis.split.pairs import Folds
from tamis.typing import Folding


def folds_of_copies(cv: Folding, y: ArrayLike, copies: np.ndarray, **options: Any) -> Folds:
    """The folds that `cv` stands for (see `folds`), with no set of equal rows split between training and test rows.

    A number of folds, or a share, is drawn from the first rows of the sets, stratified by their class; this costs as
    much as folds of single rows. For a word the sets are groups; a splitter or pairs are taken as they are.

    Parameters
    ----------
    copies : one number a row, the same for equal rows.
    options : of `folds`, without groups.

    >>> [test.tolist() for train, test in folds_of_copies(2, [0.5, 1.5, 0.5, 2.5], np.array([0, 1, 0, 2]))]
    [[1, 3], [0, 2]]
    """
    if cv is not None and not isinstance(cv, (Real, np.integer)):
        return folds(cv, y, groups=copies if isinstance(cv, str) else None, **options)
    codes, first = np.unique(copies, return_index=True, return_inverse=True)[1:][::-1]
    pairs = folds(cv, np.asarray(y)[first], **options)
    return [(_rows(first[train], codes), _rows(first[test], codes)) for train, test in pairs]


def _rows(first: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """All rows of the sets of these rows."""
    member = np.zeros(int(codes.max()) + 1, dtype=bool)
    member[codes[first]] = True
    return np.flatnonzero(member[codes])
