"""The tree parts of the core, against closed forms and plain loops."""

import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from tamis import TreeClassifier, TreeRegressor, _core
from tamis.tree.grow.fit import TreeData
from tamis.tree.grow.layout import (
    ABSOLUTE_ERROR,
    CATEGORY,
    CHI2,
    ENTROPY,
    GAIN_RATIO,
    GINI,
    MAJORITY,
    POISSON,
    SQUARED_ERROR,
    SURROGATE,
    TreeLimits,
    TreeTarget,
)
from tamis.tree.prune.pruning import Sequence

STUMP = TreeLimits(1, 2, 1, 0.0, 0.0, 0, MAJORITY, 0)


def impurity(criterion, y, w):
    """Of one node, times its weight."""
    total = w.sum()
    if criterion in (GINI, ENTROPY, GAIN_RATIO):
        p = np.bincount(y.astype(int), weights=w) / total
        p = p[p > 0]
        return total * (1 - (p**2).sum() if criterion == GINI else -(p * np.log(p)).sum())
    mean = (w @ y) / total
    if criterion == SQUARED_ERROR:
        return w @ (y - mean) ** 2
    if criterion == POISSON:
        return w[y > 0] @ (y[y > 0] * np.log(y[y > 0] / mean))
    order = np.argsort(y)
    middle = y[order][np.searchsorted(np.cumsum(w[order]), total / 2)]
    return w @ np.abs(y - middle)


@pytest.mark.parametrize("criterion", [GINI, ENTROPY, GAIN_RATIO, SQUARED_ERROR, POISSON, ABSOLUTE_ERROR])
@pytest.mark.parametrize("seed", range(5))
def test_the_split_of_a_stump_is_the_best_of_all_cuts(criterion, seed):
    """A criterion's running sums would be of other rows than those on the left: every cut is summed up anew here."""
    rng = np.random.default_rng(seed)
    n, x = 60, rng.integers(0, 12, 60).astype(float)
    w = rng.integers(1, 4, n).astype(float)
    is_class = criterion <= CHI2
    y = rng.integers(0, 3, n) if is_class else rng.poisson(2 + (x > 5), n).astype(float)
    none = np.zeros(0, dtype=np.int32), np.zeros((0, 1))
    parts = (y.astype(np.int32), none[1]) if is_class else (none[0], y[:, None])
    target = TreeTarget(criterion, 3 if is_class else 2, *parts, w, w)
    grown, leaf = TreeData.of(x[:, None]).table.grow(target, STUMP, np.arange(n))
    gains = [
        impurity(criterion, y, w) - impurity(criterion, y[x < c], w[x < c]) - impurity(criterion, y[x >= c], w[x >= c])
        for c in range(1, 12)
        if 0 < np.sum(x < c) < n
    ]
    if criterion == GAIN_RATIO:  # of one column the cut is that of the best gain
        assert grown["improvement"][0] == pytest.approx(max(gains))
    assert grown["improvement"][0] == pytest.approx(max(gains), rel=1e-9)
    assert np.array_equal(leaf == 1, x <= grown["threshold"][0])


def test_chi2_is_pearsons_statistic():
    """The statistic would not be that of sides × classes."""
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, 80).astype(float), rng.integers(0, 3, 80)
    target = TreeTarget(CHI2, 3, y.astype(np.int32), np.zeros((0, 1)), np.ones(80), np.ones(80))
    grown, _ = TreeData.of(x[:, None]).table.grow(target, STUMP, np.arange(80))
    counts = np.array([np.bincount(y[x == side], minlength=3) for side in (0, 1)], dtype=float)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / 80
    assert grown["improvement"][0] == pytest.approx(((counts - expected) ** 2 / expected).sum())


def test_levels_of_several_classes_are_divided_in_the_best_way():
    """Gray codes that skip a division would miss the best one."""
    rng = np.random.default_rng(1)
    level, y = rng.integers(0, 6, 90), rng.integers(0, 3, 90)
    stats = np.zeros((6, 3))
    np.add.at(stats, (level, y), 1.0)

    def gini(part):
        return (part**2).sum() / part.sum()

    def goodness(left):
        return gini(stats[left].sum(axis=0)) + gini(np.delete(stats, left, axis=0).sum(axis=0))

    best = max(goodness(list(left)) for size in range(1, 6) for left in combinations(range(6), size))
    tree = TreeClassifier(max_depth=1).fit(pd.DataFrame({"level": pd.Categorical.from_codes(level, list("abcdef"))}), y)
    assert tree.tree_.improvement[0] == pytest.approx(best - gini(stats.sum(axis=0)))
    codes, sides = tree.tree_.level.T
    assert goodness(codes[sides == 0].tolist()) == pytest.approx(best)


@pytest.mark.parametrize("criterion", [GINI, ENTROPY, GAIN_RATIO, CHI2, SQUARED_ERROR, POISSON])
@pytest.mark.parametrize("missing", [SURROGATE, CATEGORY, MAJORITY])
def test_tables_of_codes_split_as_sorted_rows_do(criterion, missing):
    """A column of few codes would be split elsewhere, or have other surrogates, than one whose rows are sorted."""
    rng = np.random.default_rng(6)
    n, is_class = 400, criterion <= CHI2
    level, number = rng.integers(0, 13, n).astype(float), rng.integers(0, 9, n).astype(float)
    y = ((level % 3 + number + rng.normal(size=n)) // 4).astype(int).clip(0, 2)
    third = np.where(rng.random(n) < 0.8, number // 3, level % 4)
    level[rng.random(n) < 0.1] = number[rng.random(n) < 0.1] = np.nan
    frame = pd.DataFrame({"a": pd.Categorical(level), "b": number, "c": third})
    parts = (y.astype(np.int32), np.zeros((0, 1))) if is_class else (np.zeros(0, dtype=np.int32), 1.0 * y[:, None])
    target = TreeTarget(criterion, 3 if is_class else 2, *parts, np.ones(n), np.ones(n))
    limits = TreeLimits(4, 20, 10, 0.0, 0.0, 0, missing, 2)
    few = TreeData.of(frame).bins
    # the same order of values, their codes apart by more than there are rows for each: no table is filled
    apart = [codes.astype(np.uint32) * 200 for codes in few.codes]
    n_values, first = few.n_values * 200, np.append(0, np.cumsum(np.where(few.is_categorical, 0, few.n_values * 200)))
    value = np.arange(first[-1], dtype=float)
    order = np.ascontiguousarray(few.order())
    tables = [
        _core.TreeTable(
            few.codes,
            few.n_values.astype(np.int32),
            few.is_categorical,
            order,
            few.code_values[1],
            *2 * [few.code_values[0]],
            n,
            0,
        ),
        _core.TreeTable(
            apart, n_values.astype(np.int32), few.is_categorical, order, first.astype(np.int64), value, value, n, 0
        ),
    ]
    (one, leaf), (two, other) = (table.grow(target, limits, np.arange(n)) for table in tables)
    assert len(one["feature"]) > 7
    assert np.array_equal(leaf, other)
    for name in ("feature", "left", "default", "n_levels", "n_surrogates"):
        assert np.array_equal(one[name], two[name])
    assert np.array_equal(one["surrogate"][:, :2], two["surrogate"][:, :2])
    assert np.array_equal(one["level"] * [200, 1], two["level"])
    np.testing.assert_allclose(one["agreement"], two["agreement"])
    np.testing.assert_allclose(one["improvement"], two["improvement"], atol=1e-9)


def test_logarithms_are_exact_to_the_last_digits():
    """Entropies and log losses would be those of a rough logarithm: closed forms of a node, summed exactly."""
    for counts in ([1, 1], [3, 5], [1, 999], [17, 4, 120], [1e-3, 7.0], [1e9, 3.0]):
        total = np.array(counts, dtype=float)
        y, w = np.arange(len(total)).astype(np.int32), total
        target = TreeTarget(ENTROPY, len(total), y, np.zeros((0, 1)), w, w)
        table = TreeData.of(np.zeros((len(total), 1))).table
        grown, _ = table.grow(target, STUMP, np.arange(len(total)))
        share = total / math.fsum(total)
        exact = -math.fsum(w * math.log(p) for w, p in zip(total, share))
        assert grown["impurity"][0] == pytest.approx(exact, rel=1e-13, abs=1e-14 * math.fsum(total) * 25)


def test_a_pruning_sequence_is_the_best_subtree_at_every_price():
    """Weakest links cut in a wrong order leave a subtree that is not the best at its price."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 3))
    tree = TreeRegressor(max_depth=3).fit(X, X[:, 0] + rng.normal(size=60)).tree_

    def cheapest(node, price):
        """Cost of the best pruning below a node at a price of a leaf."""
        alone = tree.risk[node] + price
        if tree.left[node] < 0:
            return alone
        return min(alone, cheapest(tree.left[node], price) + cheapest(tree.left[node] + 1, price))

    sequence = Sequence.of(tree)
    assert np.all(np.diff(sequence.alpha) < 0)
    assert sequence.alpha[-1] == 0.0
    for price in [*sequence.alpha, *(0.5 * (sequence.alpha[1:] + sequence.alpha[:-1]))]:
        pruned = tree.pruned(sequence.leaves_at(price))
        leaves = pruned.left < 0
        cost = pruned.risk[leaves].sum() + price * sequence.scale * leaves.sum()
        assert cost == pytest.approx(cheapest(0, price * sequence.scale))


def test_held_out_errors_are_those_of_the_pruned_trees():
    """Differences along the prunings would be summed up for other rows or other nodes."""
    rng = np.random.default_rng(3)
    X, y, w = rng.normal(size=(160, 3)), rng.integers(0, 3, 160), rng.uniform(1, 2, 160)
    w /= w.mean()
    X[rng.random(X.shape) < 0.2] = np.nan
    train, test, options = np.arange(110), np.arange(110, 160), {"prune_by": "brier", "min_samples_leaf": 3}
    found = TreeClassifier(prune="cv", cv=[(train, test)], **options).fit(X, y, w).cost_complexity_
    whole = Sequence.of(TreeClassifier(**options).fit(X, y, w).tree_)
    tree = TreeClassifier(**options).fit(X[train], y[train], w[train]).tree_
    own = Sequence.of(tree)
    betas = np.append(np.inf, np.sqrt(whole.alpha[1:] * whole.alpha[:-1]))
    off = []
    for price in betas * whole.scale / len(w) * len(train) / own.scale:  # weights are scaled to a mean of 1
        pruned = tree.pruned(own.leaves_at(price))
        share = pruned.value[pruned.apply(X[test])]
        share /= share.sum(axis=1, keepdims=True)
        off.append(((share - np.eye(3)[y[test]]) ** 2).sum(axis=1))
    weight, off = w[test], np.array(off)
    scale = whole.scale * weight.sum() / w.sum()
    risk = off @ weight
    gap = off - off[risk.argmin()]

    def error(rows):
        return np.sqrt(np.maximum(rows**2 @ weight - (rows @ weight) ** 2 / weight.sum(), 0)) / scale

    np.testing.assert_allclose(found["cv_risk"], risk / scale, rtol=1e-9)
    np.testing.assert_allclose(found["cv_se"], error(off), rtol=1e-9)
    np.testing.assert_allclose(found["cv_gap_se"], error(gap), atol=1e-7)


@pytest.mark.parametrize("share", [0.0, 0.15])
def test_one_call_judges_all_folds_as_trees_grown_one_by_one(share):
    """Surrogates that folds leave out, or threads, would change what held-out rows are answered."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    X[rng.random(X.shape) < share] = np.nan
    folds = [(np.flatnonzero(np.arange(300) % 3 != f), np.flatnonzero(np.arange(300) % 3 == f)) for f in range(3)]
    models = [TreeClassifier(prune="cv", cv=folds, min_samples_leaf=4, n_jobs=jobs).fit(X, y) for jobs in (1, 2)]
    assert np.array_equal(models[0].cv_predictions_, models[1].cv_predictions_)
    table = models[0].cost_complexity_
    assert np.array_equal(table["cv_risk"], models[1].cost_complexity_["cv_risk"])
    whole = Sequence.of(TreeClassifier(min_samples_leaf=4).fit(X, y).tree_)
    betas = np.append(np.inf, np.sqrt(whole.alpha[1:] * whole.alpha[:-1]))
    errors = np.zeros(len(betas))
    for train, test in folds:
        tree = TreeClassifier(min_samples_leaf=4).fit(X[train], y[train])
        own = Sequence.of(tree.tree_)
        for k, beta in enumerate(betas):
            price = beta * whole.scale / 300 * len(train) / own.scale
            pruned = tree.tree_.pruned(own.leaves_at(price))
            errors[k] += np.sum(pruned.value[pruned.apply(X[test])].argmax(axis=1) != y[test])
    np.testing.assert_allclose(table["cv_risk"], errors / whole.scale, rtol=1e-12)


def test_codes_of_four_bytes_split_between_any_two_values():
    """A column of more than 65,535 values would share codes, and a split would not be exact."""
    x = np.random.default_rng(5).permutation(70_000).astype(float)
    tree = TreeRegressor(max_depth=1, missing="majority").fit(x[:, None], (x >= 66_000).astype(float)).tree_
    assert tree.threshold[0] == 65_999.5


def test_rows_outside_the_table_are_refused():
    """The core would read beyond the end of an array."""
    data = TreeData.of(np.arange(5.0)[:, None])
    target = TreeTarget(SQUARED_ERROR, 2, np.zeros(0, dtype=np.int32), np.arange(5.0)[:, None], np.ones(5), np.ones(5))
    with pytest.raises(ValueError, match="outside"):
        data.table.grow(target, STUMP, np.array([0, 5]))
    with pytest.raises(ValueError, match="weight has 4 numbers, not 5"):
        data.table.grow(target._replace(weight=np.ones(4)), STUMP, np.arange(5))
