"""Equal rows: copies are told from coincidences of coarse columns, and joined with groups."""

import numpy as np
import pandas as pd
import pytest

from tamis.evaluate.leakage.equal_rows import EqualRows, equal_rows
from tamis.split import folds_of_copies
from tamis.table import Table


def test_a_copied_row_is_found_and_a_single_one_is_not():
    """Sets are by all columns: a row that differs in one is another case."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 4))
    X[10], X[20] = X[0], X[0]
    X[30] = X[0]
    X[30, 3] += 1e-9
    found = equal_rows(Table.of(X), rng.normal(size=50), False)
    assert np.flatnonzero(found.sets >= 0).tolist() == [0, 10, 20]
    assert (found.n_rows, found.n_sets, found.expected) == (3, 1, 0.0)


@pytest.mark.parametrize("seed", range(20))
def test_coarse_columns_coincide_by_chance(seed):
    """Three binary columns have eight different rows: grouping them would leave nothing to split."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(500, 3)).astype(float)
    X[:, 2] = np.where(rng.random(500) < 0.8, X[:, 0], X[:, 2])  # columns that depend on each other, too
    assert equal_rows(Table.of(X), rng.integers(0, 2, 500), True) is None
    levels = rng.integers(0, 6, size=(200, 3)).astype(float)  # 200 rows in 216 cells
    assert equal_rows(Table.of(levels), rng.integers(0, 2, 200), True) is None


def design(rng, points, each):
    """Points of a coarse design, dependent beyond pairs of columns, and as many measurements of each."""
    X = rng.integers(0, 4, size=(points, 8)).astype(float)
    return X, np.repeat(np.arange(points), each)


@pytest.mark.parametrize("seed", range(5))
def test_points_of_a_design_are_no_copies(seed):
    """Measurements at the same settings differ in the target as the settings explain: no row is a copy."""
    rng = np.random.default_rng(seed)
    X, row = design(rng, 80, 8)
    y = X.sum(axis=1)[row] + 2 * rng.normal(size=len(row))
    assert equal_rows(Table.of(X[row]), y, False) is None
    assert equal_rows(Table.of(X[row]), (y > np.median(y)).astype(int), True) is None


@pytest.mark.parametrize("seed", range(5))
def test_entities_with_constant_features_are_kept_together(seed):
    """Rows of a patient whose features never change share what the features do not explain."""
    rng = np.random.default_rng(seed)
    X, row = design(rng, 80, 8)
    own = rng.normal(size=80)
    y = own[row] + 0.7 * rng.normal(size=len(row))
    assert equal_rows(Table.of(X[row]), y, False).n_sets == 80
    assert equal_rows(Table.of(X[row]), (y > 0).astype(int), True).n_sets == 80


def test_a_set_larger_than_a_fold_is_left_alone():
    """A third of all rows empty: in one group it would be a fold of its own, larger than the others."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5))
    X[:40] = 0.0
    X[50] = X[60]
    found = equal_rows(Table.of(X), rng.normal(size=120), False)
    assert np.flatnonzero(found.sets >= 0).tolist() == [50, 60]


def test_groups_are_the_components_of_both_relations():
    """a and b share a row, b and c another: one group of all three, and none of their rows is left behind."""
    groups = np.repeat(np.arange(20), 4)
    sets = np.full(80, -1)
    sets[[0, 4]] = 0
    sets[[5, 8]] = 1
    joined = EqualRows(sets, 0.0).joined(groups)
    assert len(np.unique(joined[:12])) == 1
    assert len(np.unique(joined)) == 18


def test_folds_of_copies_are_those_of_single_rows_where_there_are_no_copies():
    """Keeping copies together costs nothing where there are none."""
    from tamis.split import folds

    y = np.random.default_rng(0).integers(0, 3, 60)
    plain = folds(5, y, classifier=True, seed=3, repeats=2)
    kept = folds_of_copies(5, y, np.arange(60), classifier=True, seed=3, repeats=2)
    assert all(np.array_equal(a[1], b[1]) and np.array_equal(a[0], b[0]) for a, b in zip(plain, kept))


def test_a_frame_with_words_and_holes_has_copies_too():
    """Copies are found whatever the kinds of the columns."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=60), "b": rng.choice(["u", "v", None], 60), "c": rng.random(60)})
    frame = pd.concat([frame, frame.iloc[:30]], ignore_index=True)
    assert equal_rows(Table.of(frame), rng.normal(size=90), False).n_rows == 60
