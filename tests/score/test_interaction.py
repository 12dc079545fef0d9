"""Pairs: information beyond the members', against chance."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mutual_info_score

from tamis.score import interaction, top_pairs
from tamis.score.criterion import read_table
from tamis.score.interaction import Interaction


def data(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n, 7))
    y = X[:, 1] ^ X[:, 4] ^ (rng.random(n) < 0.1)
    frame = pd.DataFrame(X, columns=["g", "f", "e", "d", "c", "b", "a"])
    return frame, y


def test_the_plain_value_is_interaction_information():
    """I(a, b; y) − I(a; y) − I(b; y) would be something else."""
    frame, y = data(200)
    criterion = Interaction()
    goal = criterion.target(y, 200)
    view = criterion.view(read_table(frame), goal, None, None)
    found, names = criterion.synergy(view, goal), frame.columns[view.places]
    for i, a in enumerate(names):
        for j, b in list(enumerate(names))[i + 1 :]:
            expected = mutual_info_score(frame[a] * 2 + frame[b], y)
            expected -= mutual_info_score(frame[a], y) + mutual_info_score(frame[b], y)
            assert found[i, j] == pytest.approx(expected, abs=1e-12)


def test_only_the_true_pair_is_reported_by_name():
    """A chance pair would be reported, or the true one missed, or named in the wrong order."""
    frame, y = data()
    found = interaction(frame, y)
    assert found.shape == (7, 7)
    assert np.array_equal(found, found.T)
    assert np.argwhere(found > 0).tolist() == [[1, 4], [4, 1]]
    assert found[1, 4] == pytest.approx(np.log(2) + 0.1 * np.log(0.1) + 0.9 * np.log(0.9), abs=0.06)
    pairs = top_pairs(frame, y)
    assert [(pair.first, pair.second) for pair in pairs] == [("c", "f")]
    assert pairs[0].information == found[1, 4]
    assert pairs[0].pvalue == 1 / 51


def test_numbers_holes_categories_and_a_numeric_target():
    """A product of two signs would not be found among numbers, with missing values, for a numeric target."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(800, 5)), columns=list("abcde"))
    y = np.sign(X["a"]) * np.sign(X["d"]) + 0.1 * rng.normal(size=800)
    X.loc[rng.random(800) < 0.1, "a"] = np.nan
    X["d"] = np.where(X["d"] > 0, "plus", "minus")
    pairs = top_pairs(X, y)
    assert [pair[:2] for pair in pairs] == [("a", "d")]


def test_two_columns_that_add_up_are_no_chance_and_copies_no_synergy():
    """Redundant columns would be reported as if they told more together."""
    rng = np.random.default_rng(2)
    x = rng.integers(0, 4, 500)
    found = interaction(np.column_stack([x, x, rng.integers(0, 4, 500)]), (x > 1).astype(int))
    assert not found.any()


def test_a_single_column_has_no_pair():
    """A table of one column would end in an index error."""
    X, y = np.arange(12.0)[:, None], [0, 1] * 6
    assert interaction(X, y).tolist() == [[0.0]]
    assert top_pairs(X, y) == []


@pytest.mark.nightly
def test_noise_is_reported_no_more_often_than_alpha():
    """Tables without any interaction would yield a pair in more than a share alpha of the cases."""
    found = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 3, size=(120, 8)), rng.integers(0, 2, 120)
        found += interaction(X, y, alpha=0.1, n_permutations=49).any()
    assert found <= 33  # 200 × 0.1, and three standard deviations
