"""Columns of a forest are halved as long as rows that had no say keep nearly all of the gain."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from tamis import ForestClassifier, ForestRegressor, MirrorSelector
from tamis.errors import KindError, ParameterError
from tamis.search.resampling.halving import halved, halvings
from tamis.table import Table


def _grow(part, target, weight):
    kind = ForestRegressor if np.asarray(target).dtype.kind == "f" else ForestClassifier
    return kind(50, random_state=0).fit(part, target)


def test_the_better_half_is_taken_again_and_again_down_to_four():
    """Another half, or too few columns, would be left."""
    X = np.random.default_rng(0).normal(size=(300, 20))
    y = (X[:, 3] + X[:, 17] > 0).astype(int)
    importance = np.zeros(20)
    importance[[3, 17, *range(8)]] = 1.0
    steps = [places.tolist() for places, _ in halved(importance, Table.of(X), y, _grow, 9)]
    assert [len(step) for step in steps] == [10, 5]
    assert all({3, 17} <= set(step) for step in steps)


def test_half_of_a_halving_leaves_less_than_the_whole_would_and_two_are_one():
    """Where half of the columns are too few, all of them would be kept."""
    X = np.random.default_rng(0).normal(size=(200, 20))
    y = (X[:, 3] + X[:, 17] > 0).astype(int)
    importance = np.arange(20.0)
    sizes = {n: [len(places) for places, _ in halved(importance, Table.of(X), y, _grow, n)] for n in (0.5, 1, 1.5)}
    assert sizes == {0.5: [14], 1: [10], 1.5: [10, 7]}
    assert next(halved(importance, Table.of(X), y, _grow, 0.5))[0].tolist() == list(range(6, 20))


def test_where_half_of_the_columns_are_too_few_seven_tenths_may_do():
    """16 of 24 columns that tell alike, and 8 of noise: half would lose, 16 to 17 hardly."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 24))
    y = X[:, :16].sum(axis=1)
    found = halvings(Table.of(X), y, lambda part, t, weight: ForestRegressor(60, random_state=0).fit(part, t), 0)
    assert (found.n_halvings, found.chosen_step, found.columns[:2]) == (0.5, 1, (24, 16))
    assert len(found.answers) == len(found.columns)


def test_of_more_than_a_hundred_columns_no_half_of_a_halving_is_tried():
    """Readers have nothing of 90 columns instead of 130, and the answers would be worse."""
    X = np.random.default_rng(0).normal(size=(200, 130))
    found = halvings(Table.of(X), X.sum(axis=1), _grow, 0)
    assert found.columns[:2] == (130, 65)
    assert 91 not in found.columns


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_columns_that_all_tell_are_not_halved_and_copies_are(task):
    """A forest would lose what many columns say together, or keep twelve copies of one."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 24))
    every = X.sum(axis=1)
    alone = np.repeat(X[:, :2], 12, axis=1) + 0.01 * rng.normal(size=X.shape)
    few = X[:, 0] - X[:, 1]
    cut = (lambda v: v) if task == "numbers" else (lambda v: (v > 0).astype(int))
    assert halvings(Table.of(X), cut(every), _grow, 0).n_halvings == 0
    assert halvings(Table.of(alone), cut(few), _grow, 0).n_halvings >= 1


def test_every_step_of_a_halving_answers_each_row_by_the_half_that_had_not_seen_it():
    """Scores against columns would be of rows that were learned from, or in the wrong order."""
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(61, 24)), np.arange(61.0)
    grown = []

    def grow(part, target, weight):
        grown.append(target)
        return _grow(part, target, weight)

    found = halvings(Table.of(X), y, grow, 0)
    assert set(found.columns) - {16, 8, 4} == {24, 12, 6}  # and, after the last that keeps enough, half of a halving
    assert list(found.columns) == sorted(found.columns, reverse=True)
    first, second = grown[0], grown[3]  # the targets of either half
    half = np.isin(y, first)
    np.testing.assert_array_equal(np.sort(np.concatenate([first, second])), y)
    for answers in found.answers:
        assert answers.shape == (61,)
        # a forest of one half cannot answer beyond that half's smallest and largest target
        assert answers[~half].min() >= first.min()
        assert answers[~half].max() <= first.max()
        assert answers[half].min() >= second.min()
        assert answers[half].max() <= second.max()
    other = y.copy()
    other[half] += 1000.0  # what a row is answered by does not depend on the targets of its own half
    again = halvings(Table.of(X), other, _grow, 0)
    np.testing.assert_array_equal(again.answers[0][half], found.answers[0][half])
    assert (again.answers[0][~half] > 500).all()


def test_a_mirror_selector_halves_wide_tables_alone_and_tells_its_clones():
    """Inner folds would judge a forest of other columns, or a table of few columns would lose half of them."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(300, 3)), 10, axis=1) + 0.1 * rng.normal(size=(300, 30))
    y = (X[:, 0] + X[:, 12] > 0).astype(int)
    forest = ForestClassifier(60)
    model = MirrorSelector(forest, halvings="auto", random_state=0).fit(Table.of(X), y)
    assert model.halvings_ >= 1
    assert len(model.selected_columns_) <= 15
    again = clone(model).set_params(**model.chosen_parameters_)
    assert again.halvings == model.halvings_
    assert len(again.fit(Table.of(X), y).selected_columns_) == len(model.selected_columns_)
    assert MirrorSelector(forest, halvings="auto").fit(Table.of(X[:, :20]), y).halvings_ == 0
    for wrong in (-1, 0.3, np.inf, "x", None, True):
        with pytest.raises((ParameterError, KindError), match=r"halvings=.*; give 0, 0\.5, 1, … or 'auto'"):
            MirrorSelector(forest, halvings=wrong).fit(X, y)


def test_of_more_columns_than_rows_a_quarter_is_left_at_least():
    """Few rows cannot tell by how much fewer columns are worse, and what is left of a wide table would be too few."""
    rng = np.random.default_rng(0)
    latent = rng.normal(size=90)
    X = latent[:, None] + 0.5 * rng.normal(size=(90, 120))  # copies: any few of them would do
    y = (latent > 0).astype(int)
    wide = MirrorSelector(ForestClassifier(100, random_state=0), halvings="auto").fit(X, y)
    assert len(wide.selected_columns_) >= 30
    narrow = MirrorSelector(ForestClassifier(100, random_state=0), halvings="auto").fit(X[:, :60], y)
    assert len(narrow.selected_columns_) < 15
