"""Pairs: information beyond the members', against chance."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mutual_info_score

from tamis.score import interaction, top_pairs
from tamis.score.criteria.interaction import Interaction
from tamis.score.criterion import read_table


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
    found, names = criterion.synergy(view, [goal])[0], frame.columns[view.indices]
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


def plain_synergy(table, y):
    """I(a, b; y) − I(a; y) − I(b; y) of every two columns of codes, by scikit-learn."""
    d = table.shape[1]
    out = np.zeros((d, d))
    for i in range(d):
        for j in range(i + 1, d):
            both = table[:, i] * 1000 + table[:, j]
            alone = mutual_info_score(table[:, i], y) + mutual_info_score(table[:, j], y)
            out[i, j] = mutual_info_score(both, y) - alone
    return out


@pytest.mark.parametrize("n", [1, 63, 64, 65, 500])
@pytest.mark.parametrize("n_classes", [1, 2, 5])
def test_counts_by_bits_and_by_rows_are_exact(n, n_classes):
    """Rows at the edge of a word, missing values, many levels or classes would be counted wrongly."""
    rng = np.random.default_rng(n)
    levels = [1, 2, 3, 9, 29, 32]  # 28 · 31 cells: counted row by row
    codes = np.column_stack([rng.integers(0, k, n) for k in levels])
    frame = pd.DataFrame({f"c{k:02}": [f"l{v:02}" for v in column] for k, column in zip(levels, codes.T)})
    frame["number"] = np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 2, n))
    codes = np.column_stack([codes, frame["number"].fillna(2).astype(int)])
    y = rng.integers(0, n_classes, n)
    criterion = Interaction()
    goal = criterion.target([f"k{k}" for k in y], n)
    view = criterion.view(read_table(frame), goal, None, None)
    orders = [np.arange(n)] + [rng.permutation(n) for _ in range(9)]
    found = criterion.synergy(view, [goal.take(order) for order in orders])
    for order, one in zip(orders, found):
        assert np.allclose(one, plain_synergy(codes, y[order]), atol=1e-12, rtol=0)
    used = [len(set(zip(codes[:, i], codes[:, j]))) for i, j in zip(*view.upper)]
    sizes = np.array([len(set(column)) for column in codes.T])
    expected = np.maximum(np.array(used) - sizes[view.upper[0]] - sizes[view.upper[1]] + 1, 0)
    assert np.array_equal(view.freedom[view.upper], expected)


def test_threads_batches_and_an_early_end_change_no_bit():
    """The answer would depend on n_jobs, on how many targets are counted together, or on when permuting ends."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, size=(300, 90)).astype(float)
    X[rng.random(X.shape) < 0.02] = np.nan
    y = (X[:, 3] > 0) ^ (X[:, 70] > 0) ^ (rng.random(300) < 0.05)
    criterion, table = Interaction(), read_table(X)
    goal = criterion.target(y, 300)
    view = criterion.view(table, goal, None, None)
    gain, pvalues = criterion.against_chance(view, goal, 79, 0, None)
    for n_jobs in (2, 3):
        again = criterion.against_chance(view, goal, 79, 0, n_jobs, 0.05)
        assert np.array_equal(again[0], gain)
        assert np.array_equal(again[1], pvalues)
    assert (pvalues <= 0.05).sum() == 1
    orders = [np.random.default_rng(k).permutation(300) for k in range(70)]
    alone = np.array([criterion.values(view, goal.take(order), 2) for order in orders])
    assert np.array_equal(criterion.values_of_targets(view, [goal.take(order) for order in orders]), alone)
    noise = criterion.target(rng.integers(0, 2, 300), 300)
    whole = criterion.against_chance(view, noise, 79, 0, None)[1]
    early = criterion.against_chance(view, noise, 79, 0, None, 0.05)[1]
    assert np.array_equal(whole <= 0.05, early <= 0.05)
