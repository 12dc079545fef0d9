"""Scores along a procedure, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tamis.results.fold import FoldRecord, HalvedRecord, RestrictedRecord, UnitLosses
from tamis.study.comparison.frontier import paths


def _fold(n_columns, test, loss, held=(), halved=()):
    return FoldRecord(
        test,
        {},
        UnitLosses([loss / 2, loss / 2], [5, 5]),
        columns=list(range(n_columns)),
        restricted=[RestrictedRecord(*record) for record in held],
        halved=[HalvedRecord(*record) for record in halved],
    )


def test_a_fold_that_uses_no_more_counts_as_it_is():
    """The mean at five columns would be over the folds alone that had to be held to them."""
    first = _fold(2, 0.9, 1.0, held=[(1, 1, 0.5, 4.0)])
    second = _fold(4, 0.8, 2.0, held=[(1, 1, 0.6, 3.0), (2, 2, 0.7, 2.5), (3, 2, 0.75, 2.25)])
    (found,) = paths({"lasso": [first, second]})
    assert (found.procedure, found.rows) == ("lasso", "outer")
    expected = [(1, 1.0, 0.55, 7.0 / 20), (2, 2.0, 0.8, 3.5 / 20), (3, 2.0, 0.825, 3.25 / 20)]
    assert [(p.max_columns, p.columns) for p in found.points] == [line[:2] for line in expected]
    np.testing.assert_allclose([(p.score, p.loss) for p in found.points], [line[2:] for line in expected])


def test_what_no_fold_was_held_to_has_no_line():
    """A procedure that must be tuned anew for few columns would get a line of its folds that happen to use few."""
    assert paths({"forest": [_fold(2, 0.9, 1.0), _fold(9, 0.8, 1.0)], "stump": [_fold(1, 0.7, 1.0)] * 2}) == []


def test_halved_columns_stand_at_the_largest_step_within_each_size():
    """Forests of other numbers of columns would be averaged, or inner scores be taken for outer ones."""
    folds = [
        _fold(9, 0.9, 1.0, halved=[(24, 0.9), (12, 0.8), (6, 0.7)]),
        _fold(9, 0.9, 1.0, halved=[(16, 1.0), (8, 0.6)]),
    ]
    (found,) = paths({"forest": folds})
    assert found.rows == "inner"
    assert [(p.max_columns, p.columns) for p in found.points] == [(8, 7.0), (12, 10.0), (20, 14.0), (50, 20.0)]
    assert [p.score for p in found.points] == pytest.approx([0.65, 0.7, 0.9, 0.95])
    assert all(p.loss is None for p in found.points)
