import itertools

import numpy as np
import pytest

from tamis.tree import TreeClassifier, TreeRegressor
from tamis.tree.prune import Sequence


def noisy(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, ((X[:, 0] > 0) ^ (rng.random(n) < 0.2)).astype(int)


def test_the_sequence_holds_the_best_subtree_for_every_price():
    """If this fails, cost-complexity pruning does not minimise risk + alpha · leaves."""
    X, y = noisy(60, 1)
    tree = TreeClassifier(max_depth=4, min_samples_leaf=3).fit(X, y).tree_
    sequence = Sequence.of(tree)
    inner = np.flatnonzero(tree.left >= 0)
    assert len(inner) <= 15
    costs = []
    for closed in itertools.product([False, True], repeat=len(inner)):
        mask = np.zeros(tree.n_nodes, dtype=bool)
        mask[inner] = closed
        small = tree.pruned(mask)
        costs.append((small.risk[small.left < 0].sum() / sequence.scale, small.n_leaves))
    for alpha in np.append(sequence.alpha, [0.003, 0.02, 0.09]):
        small = tree.pruned(sequence.leaves_at(alpha))
        risk = small.risk[small.left < 0].sum() / sequence.scale
        least = min(r + alpha * leaves for r, leaves in costs)
        assert risk + alpha * small.n_leaves == pytest.approx(least, abs=1e-9)
    for alpha, leaves, risk in zip(sequence.alpha, sequence.n_leaves, sequence.risk):
        small = tree.pruned(sequence.leaves_at(alpha))
        assert small.n_leaves == leaves
        assert small.risk[small.left < 0].sum() / sequence.scale == pytest.approx(risk)


def test_cross_validation_is_that_of_trees_grown_fold_by_fold():
    """If this fails, the CV risk in the table is not the risk of trees grown without the fold."""
    X, y = noisy(200, 2)
    folds = [(np.flatnonzero(np.arange(200) % 4 != k), np.flatnonzero(np.arange(200) % 4 == k)) for k in range(4)]
    model = TreeClassifier(prune="cv", cv=folds, min_samples_leaf=5).fit(X, y)
    table = model.cost_complexity_
    full = TreeClassifier(min_samples_leaf=5).fit(X, y)
    scale = full.tree_.risk[0] / 200
    betas = np.append(1e9, np.sqrt(table["alpha"][1:] * table["alpha"][:-1]))
    for i, beta in enumerate(betas):
        wrong = 0
        for train, test in folds:
            fold = TreeClassifier(min_samples_leaf=5).fit(X[train], y[train])
            own = fold.tree_.risk[0] / len(train)
            fold = TreeClassifier(min_samples_leaf=5, prune=beta * scale / own).fit(X[train], y[train])
            wrong += (fold.predict(X[test]) != y[test]).sum()
        assert table["cv_risk"][i] == pytest.approx(wrong / full.tree_.risk[0])
        assert table["cv_se"][i] == pytest.approx(np.sqrt(wrong - wrong**2 / 200) / full.tree_.risk[0])


@pytest.mark.parametrize("kind", [TreeClassifier, TreeRegressor])
@pytest.mark.parametrize("params", [{}, {"splits": "oblique", "max_depth": 2}])
def test_held_out_rows_never_influence_a_fold(kind, params):
    """If this fails, the rows a fold is judged on have shaped the tree that is judged."""
    X, y = noisy(120, 3)
    X[::7, 1] = np.nan
    train, test = np.arange(80), np.arange(80, 120)
    other = X.copy()
    other[test] = other[test] * 3 + 1
    a = kind(**params).fit(X[train], y[train])
    from tamis.tree.fit import Soil
    from tamis.tree.problem import ClassProblem

    assert ClassProblem is not None
    assert Soil is not None
    grown = []
    for table, target in ((X, y), (other, np.where(np.arange(120) < 80, y, 1 - y))):
        model = kind(**params)
        seen = []
        problem_of = model._grow

        def spy(t, problem, given, seen=seen, model=model):
            limits = model._limits(t, 80)
            seen.append(problem.plant(train, limits)[0])

        model._grow = spy
        model.fit(table, target)
        assert problem_of is not None
        grown.append(seen[0])
    assert grown[0].to_dict() == grown[1].to_dict()
    if not params:
        assert grown[0].to_dict()["threshold"] == a.tree_.to_dict()["threshold"]


def test_rules_of_choice():
    """If this fails, rule="min" or "1se" picks another tree than it says."""
    X, y = noisy(400, 4)
    for rule in ("min", "1se"):
        model = TreeClassifier(prune="cv", rule=rule).fit(X, y)
        table = model.cost_complexity_
        best = np.argmin(table["cv_risk"])
        bound = table["cv_risk"][best] + (table["cv_se"][best] if rule == "1se" else 0)
        chosen = int(np.flatnonzero(table["alpha"] == model.alpha_)[0])
        assert table["cv_risk"][chosen] <= bound
        assert np.all(table["cv_risk"][:chosen] > bound)
        assert model.get_n_leaves() == table["n_leaves"][chosen]


def test_chi2_pruning_takes_noise_away_and_leaves_structure():
    """If this fails, chance splits survive, or real ones go."""
    rng = np.random.default_rng(5)
    roots = 0
    for k in range(40):
        X = rng.normal(size=(150, 5))
        kind, y = (TreeClassifier, rng.integers(0, 2, 150)) if k % 2 else (TreeRegressor, rng.normal(size=150))
        roots += kind(prune="chi2", min_samples_leaf=5, missing="majority").fit(X, y).get_n_leaves() == 1
    assert roots >= 33
    X = rng.normal(size=(300, 5))
    assert TreeClassifier(prune="chi2").fit(X, X[:, 0] > 0).get_n_leaves() == 2
    assert TreeRegressor(prune="chi2", min_samples_leaf=5).fit(X, (X[:, 0] > 0) + 0.1 * X[:, 1]).get_n_leaves() >= 2


def test_costs_steer_splits_pruning_and_answers():
    """If this fails, a costly mistake is made as readily as a cheap one."""
    X, y = noisy(600, 6)
    costly = TreeClassifier(loss_matrix=[[0, 1], [10, 0]], max_depth=2, min_samples_leaf=20).fit(X, y)
    plain = TreeClassifier(max_depth=2, min_samples_leaf=20).fit(X, y)
    assert ((costly.predict(X) == 0) & (y == 1)).sum() < ((plain.predict(X) == 0) & (y == 1)).sum()
    share = costly.predict_proba(X)
    assert np.array_equal(costly.predict(X), (share @ np.array([[0, 1], [10, 0]])).argmin(axis=1))


def test_threads_do_not_change_a_bit():
    """If this fails, results depend on the number of threads."""
    X, y = noisy(300, 7)
    a, b = (TreeClassifier(prune="cv", n_jobs=k).fit(X, y) for k in (1, 2))
    assert a.to_dict()["tree"] == b.to_dict()["tree"]
    assert np.array_equal(a.cost_complexity_["cv_risk"], b.cost_complexity_["cv_risk"])
