"""The tree parts of the core, against closed forms and plain loops."""

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
from tamis.tree.grow.training_set import CLASS_CRITERIA
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


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "chi2"])
@pytest.mark.parametrize("missing", [SURROGATE, CATEGORY])
def test_a_split_by_counts_is_that_of_the_rows(criterion, missing):
    """A table larger than memory would grow another tree than the same rows in memory."""
    rng = np.random.default_rng(6)
    n, kind = 400, CLASS_CRITERIA[criterion]
    level, number = rng.integers(0, 13, n).astype(float), rng.integers(0, 9, n).astype(float)
    y = ((level % 3 + number + rng.normal(size=n)) // 4).astype(int).clip(0, 2)
    third = np.where(rng.random(n) < 0.8, number // 3, level % 4)
    level[rng.random(n) < 0.1] = number[rng.random(n) < 0.1] = np.nan
    frame = pd.DataFrame({"a": pd.Categorical(level), "b": number, "c": third})
    data = TreeData.of(frame)
    target = TreeTarget(kind, 3, y.astype(np.int32), np.zeros((0, 1)), np.ones(n), np.ones(n))
    limits = STUMP._replace(missing=missing, n_surrogates=2)
    grown, _ = data.table.grow(target, limits, np.arange(n))
    sizes = data.bins.n_values + 1
    offset = np.append(0, np.cumsum(sizes)).astype(np.int64)
    stats, sides = np.zeros((offset[-1], 3)), np.zeros((offset[-1], 2), dtype=np.int64)
    for j, codes in enumerate(data.bins.codes):
        np.add.at(stats, (offset[j] + codes.astype(int), y), 1.0)
    rows, total, category = stats.sum(axis=1).astype(np.int64), np.bincount(y).astype(float), data.bins.is_categorical
    cases, impurity = stats.sum(axis=1), grown["impurity"][0]
    column, gain, cut, _, levels, _, weights = _core.split_by_counts(
        kind, stats, rows, cases, offset, category, np.arange(3), total, impurity, limits, float(n)
    )
    assert column == grown["feature"][0]
    assert gain == pytest.approx(grown["improvement"][0], rel=1e-9)
    assert np.array_equal(levels, grown["level"][: grown["n_levels"][0]])
    codes = data.bins.codes[column].astype(int)
    side = dict(levels.tolist()) if len(levels) else {c: int(c > cut) for c in range(data.bins.n_values[column])}
    placed = np.isin(codes, list(side)) & ((codes < data.bins.n_values[column]) | (missing == CATEGORY))
    if missing == SURROGATE:
        assert weights == (sum(side[c] == 0 for c in codes[placed]), sum(side[c] == 1 for c in codes[placed]))
        for j, own in enumerate(data.bins.codes):
            np.add.at(sides, (offset[j] + own[placed].astype(int), [side[c] for c in codes[placed]]), 1)
        found = _core.surrogates_by_counts(sides, offset, category, np.arange(3), column, 2)
        assert len(found) > 0
        assert [one[0] for one in found] == grown["surrogate"][:, 0].tolist()
        np.testing.assert_allclose([one[5:] for one in found], grown["agreement"])


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
    X, y = rng.normal(size=(120, 3)), rng.integers(0, 3, 120)
    X[rng.random(X.shape) < 0.2] = np.nan
    tree = TreeClassifier(min_samples_leaf=3).fit(X[:80], y[:80]).tree_
    sequence = Sequence.of(tree)
    until = _core.first_prunings(sequence.collapse, sequence.alpha)
    weight, T, t = rng.uniform(1, 2, 40), X[80:], y[80:].astype(np.int32)
    share = tree.value / tree.value.sum(axis=1, keepdims=True)
    cost = np.ascontiguousarray(1 - share.T)
    sums = _core.pruning_errors(
        tree, until, len(sequence.alpha), T, t, np.zeros((0, 1)), weight, share, cost, len(sequence.alpha) // 2
    )
    wrong = []
    for alpha in sequence.alpha:
        pruned = tree.pruned(sequence.leaves_at(alpha))
        own = pruned.value[pruned.apply(T)]
        wrong.append(1 - own[np.arange(40), t] / own.sum(axis=1))
    wrong = np.array(wrong)
    base = wrong[len(sequence.alpha) // 2]
    np.testing.assert_allclose(sums, [wrong @ weight, wrong**2 @ weight, (wrong - base) ** 2 @ weight], atol=1e-9)


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
