"""Folds within a fit: against scikit-learn's, and dealt out by hand."""

import numpy as np
import pytest
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold

from tamis.errors import KindError, ParameterError
from tamis.split.tuning_folds import dealt_folds, ordered_folds


def same(found, expected):
    return len(found) == len(expected) and all(
        np.array_equal(a, b) for pair, other in zip(found, expected) for a, b in zip(pair, other)
    )


@pytest.mark.parametrize("cv", [2, 3, np.int64(5), None, "loo"])
def test_folds_of_a_path_are_those_of_scikit_learn(cv):
    """The errors along a path could not be compared with those of other libraries."""
    y = np.random.default_rng(0).normal(size=23)
    codes = np.arange(24) % 3
    k = 5 if cv is None else cv
    if cv == "loo":
        assert same(ordered_folds(cv, y, classifier=False), list(LeaveOneOut().split(y[:, None])))
    else:
        assert same(ordered_folds(cv, y, classifier=False), list(KFold(k).split(y[:, None])))
        assert same(ordered_folds(cv, codes, classifier=True), list(StratifiedKFold(k).split(codes[:, None], codes)))


def test_fewer_folds_where_there_are_fewer_rows():
    """A table of four rows, or a class of three, could not be fitted with the default of ten folds."""
    assert len(ordered_folds(10, np.arange(4.0), classifier=False)) == 4
    assert len(ordered_folds(10, np.array([0] * 9 + [1] * 3), classifier=True)) == 3


def test_a_class_of_two_rows_is_in_every_fold():
    """Pruning would be judged by folds that lack a class."""
    strata = np.array([0] * 10 + [1] * 2)
    found = dealt_folds(2, np.arange(12), strata, np.random.RandomState(1))
    assert [np.bincount(strata[test]).tolist() for _, test in found] == [[5, 1], [5, 1]]


def test_rows_without_weight_are_in_no_fold():
    """A row of weight 0 would judge, or train, a tree that leaves it out."""
    rows, strata = np.array([0, 2, 3, 5]), np.zeros(6, dtype=int)
    for cv in (2, KFold(3), [([0, 1, 2], [3, 4, 5])]):
        for train, test in dealt_folds(cv, rows, strata, np.random.RandomState(0)):
            assert set(train) | set(test) <= set(rows)
            assert not set(train) & set(test)


@pytest.mark.parametrize(
    ("cv", "kind"), [(1, ParameterError), (0, ParameterError), ("ten", KindError), (True, KindError)]
)
def test_what_is_no_cv_is_refused(cv, kind):
    """A wrong word would reach scikit-learn, whose sentence names none of our parameters."""
    with pytest.raises(kind, match="cv"):
        ordered_folds(cv, np.arange(5.0), classifier=False)
    with pytest.raises((ParameterError, KindError), match="cv"):
        dealt_folds(cv, np.arange(5), np.zeros(5, dtype=int), np.random.RandomState(0))


def test_one_row_cannot_be_divided():
    """A tree of one row would be pruned by folds without rows."""
    with pytest.raises(ParameterError, match="1 sample"):
        dealt_folds(5, np.arange(1), np.zeros(1, dtype=int), np.random.RandomState(0))
