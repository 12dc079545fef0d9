import itertools

import numpy as np
import pytest

from tamis.tree import TreeClassifier, TreeRegressor
from tamis.tree.prune.pruning import Sequence


def noisy(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, ((X[:, 0] > 0) ^ (rng.random(n) < 0.2)).astype(int)


@pytest.mark.parametrize("by", [None, "brier", "log_loss"])
def test_the_sequence_holds_the_best_subtree_for_every_price(by):
    """If this fails, cost-complexity pruning does not minimise risk + alpha · leaves."""
    X, y = noisy(60, 1)
    tree = TreeClassifier(max_depth=4, min_samples_leaf=3, prune_by=by).fit(X, y).tree_
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


def rare(n, seed, signal=True):
    """5% positives; with a signal, one corner holds most of them (population AUC 0.74)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    corner = (X[:, 0] > 0.8) & (X[:, 1] > -1.0) & signal
    return X, (rng.random(n) < np.where(corner, 0.16, 0.02 if signal else 0.05)).astype(int)


@pytest.mark.parametrize("by", ["brier", "log_loss"])
def test_a_probability_score_keeps_the_splits_that_errors_prune_away(by):
    """If this fails, a tree says that rare positives cannot be told apart where it could tell them by their shares."""
    fresh, truth = rare(40_000, 100)
    kept = better = 0
    for seed in range(10):
        X, y = rare(3_000, seed)
        options = {"prune": "cv", "min_samples_leaf": 20, "random_state": seed}
        assert TreeClassifier(**options).fit(X, y).get_n_leaves() == 1
        model = TreeClassifier(prune_by=by, **options).fit(X, y)
        kept += model.get_n_leaves() > 1
        off = model.predict_proba(fresh)[:, 1] - truth
        better += np.mean(off**2) < 0.98 * np.mean((y.mean() - truth) ** 2)
    assert kept >= 9
    assert better >= 9


@pytest.mark.parametrize("by", ["brier", "log_loss"])
def test_a_probability_score_prunes_noise_to_the_root(by):
    """If this fails, the sharper rule of choice invents splits where there is nothing to find."""
    roots = 0
    for seed in range(20):
        X, y = rare(600, seed, signal=False) if seed % 2 else (rare(300, seed)[0], noisy(300, seed + 50)[1])
        roots += TreeClassifier(prune="cv", prune_by=by, random_state=seed).fit(X, y).get_n_leaves() == 1
    assert roots >= 18


@pytest.mark.parametrize("by", ["brier", "log_loss"])
def test_cross_validated_scores_are_those_of_trees_grown_fold_by_fold(by):
    """If this fails, the CV risk of a probability score, its error, or that of a difference is not what it says."""
    X, y = noisy(200, 2)
    folds = [(np.flatnonzero(np.arange(200) % 4 != k), np.flatnonzero(np.arange(200) % 4 == k)) for k in range(4)]
    table = TreeClassifier(prune="cv", prune_by=by, cv=folds, min_samples_leaf=5).fit(X, y).cost_complexity_
    full = TreeClassifier(min_samples_leaf=5, prune_by=by).fit(X, y).tree_
    share = full.value[0] / 200
    assert full.risk[0] == pytest.approx(200 * (1 - share @ share if by == "brier" else -share @ np.log(share)))
    betas = np.append(1e9, np.sqrt(table["alpha"][1:] * table["alpha"][:-1]))
    rows = np.empty((len(betas), 200))
    for train, test in folds:
        own = TreeClassifier(min_samples_leaf=5, prune_by=by).fit(X[train], y[train]).tree_.risk[0] / len(train)
        for i, beta in enumerate(betas):
            price = beta * full.risk[0] / 200 / own
            fold = TreeClassifier(min_samples_leaf=5, prune_by=by, prune=price).fit(X[train], y[train])
            value = fold.tree_.value[fold.apply(X[test])]
            if by == "brier":
                rows[i, test] = ((value / value.sum(axis=1, keepdims=True) - np.eye(2)[y[test]]) ** 2).sum(axis=1)
            else:  # one more row a class, their classes as at the root, where there is one more of each
                root = (np.bincount(y[train]) + 1) / (len(train) + 2)
                smooth = (value + 2 * root) / (value.sum(axis=1, keepdims=True) + 2)
                rows[i, test] = -np.log(smooth[np.arange(len(test)), y[test]])
    assert table["cv_risk"] == pytest.approx(rows.sum(axis=1) / full.risk[0])
    assert table["cv_se"] == pytest.approx(rows.std(axis=1) * np.sqrt(200) / full.risk[0])
    gap = rows - rows[np.argmin(rows.sum(axis=1))]
    assert table["cv_gap_se"] == pytest.approx(gap.std(axis=1) * np.sqrt(200) / full.risk[0], abs=1e-9)


def test_the_least_simple_tree_within_the_error_of_its_difference_is_not_overlooked():
    """If this fails, rule="1se" of a probability score picks another tree than it says."""
    X, y = rare(1_500, 4)
    for rule in ("min", "1se"):
        model = TreeClassifier(prune="cv", prune_by="log_loss", rule=rule).fit(X, y)
        table = model.cost_complexity_
        best = table["cv_risk"].min() + (table["cv_gap_se"] if rule == "1se" else 0.0)
        assert model.alpha_ == table["alpha"][table["cv_risk"] <= best][0]


def test_a_probability_score_counts_weights_as_rows():
    """If this fails, a row of weight 2 is not two rows for pruning by a probability score."""
    X, y = noisy(120, 8)
    weight = np.where(np.arange(120) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(120), weight.astype(int))
    for by in ("brier", "log_loss"):
        tables = []
        for Z, t, w, fold in ((X, y, weight, np.arange(120) % 4), (X[twice], y[twice], None, twice % 4)):
            folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]
            model = TreeClassifier(prune="cv", prune_by=by, cv=folds, max_depth=3).fit(Z, t, sample_weight=w)
            tables.append(model.cost_complexity_)
        for name, values in tables[0].items():
            assert values == pytest.approx(tables[1][name], abs=1e-9)
        balanced = TreeClassifier(prune="cv", prune_by=by, class_weight="balanced").fit(X, y)
        assert balanced.cost_complexity_["risk"][0] == pytest.approx(1.0)


def test_costs_and_a_probability_score_exclude_each_other():
    """If this fails, one of two contradictory wishes is silently ignored."""
    X, y = noisy(60, 1)
    with pytest.raises(ValueError, match="loss_matrix"):
        TreeClassifier(prune_by="brier", loss_matrix=[[0, 1], [2, 0]]).fit(X, y)
    with pytest.raises(ValueError, match="prune_by"):
        TreeClassifier(prune_by="gini").fit(X, y)
    same = [TreeClassifier(prune="cv", prune_by=by).fit(X, y).to_dict()["tree"] for by in (None, "error")]
    assert same[0] == same[1]


CHOSEN = [
    (TreeClassifier, {}),
    (TreeClassifier, {"prune_by": "log_loss", "rule": "min"}),
    (TreeClassifier, {"prune_by": "brier", "rule": "min", "splits": "oblique", "max_depth": 3}),
    (TreeClassifier, {"loss_matrix": [[0, 1], [3, 0]], "rule": "min"}),
    (TreeRegressor, {"rule": "min"}),
    (TreeRegressor, {"rule": "min", "leaf": "linear"}),
]


@pytest.mark.parametrize(("kind", "params"), CHOSEN)
def test_out_of_fold_predictions_are_those_of_the_folds_own_trees(kind, params):
    """If this fails, `cv_predictions_` is not what trees grown without a row say of it at the chosen price."""
    X, y = noisy(200, 9)
    X[::9, 0] = np.nan
    y = y if kind is TreeClassifier else y + X[:, 1]
    fold = np.arange(200) % 5
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]  # nobody judges the fifth
    model = kind(prune="cv", cv=folds, min_samples_leaf=5, **params).fit(X, y)
    full = kind(min_samples_leaf=5, **params).fit(X, y)
    alpha = model.cost_complexity_["alpha"]
    at = int(np.flatnonzero(alpha == model.alpha_)[0])
    beta = np.sqrt(alpha[at] * alpha[at - 1]) if at else 1e9
    assert np.isnan(model.cv_predictions_[fold == 4]).all()
    for train, test in folds:
        own = kind(min_samples_leaf=5, **params).fit(X[train], y[train])
        price = beta * full.tree_.risk[0] / 200 / (own.tree_.risk[0] / len(train))
        own = kind(min_samples_leaf=5, prune=price, **params).fit(X[train], y[train])
        expected = own.predict_proba(X[test]) if kind is TreeClassifier else own.predict(X[test])
        off = np.abs(model.cv_predictions_[test] - expected).max()
        assert off <= (1e-12 if "leaf" in params else 0.0)  # linear models are summed in another order


def test_rows_that_several_folds_judge_get_the_mean_and_nothing_of_it_is_saved():
    """If this fails, repeated folds give no mean prediction, or training data go into saved models."""
    X, y = noisy(90, 10)
    train, test = np.arange(60), np.arange(60, 90)
    once = TreeClassifier(prune="cv", cv=[(train, test)]).fit(X, y)
    twice = TreeClassifier(prune="cv", cv=[(train, test), (train, test)]).fit(X, y)
    assert np.array_equal(once.cv_predictions_, twice.cv_predictions_, equal_nan=True)
    assert np.isnan(once.cv_predictions_[:60]).all()
    again = TreeClassifier.from_dict(once.to_dict())
    assert not hasattr(again, "cv_predictions_")
    assert again.get_params()["prune_by"] is None
    assert not hasattr(once.set_params(prune=None).fit(X, y), "cv_predictions_")
    regressor = TreeRegressor(prune="cv", cv=3).fit(X, np.column_stack([y, X[:, 0]]))
    assert regressor.cv_predictions_.shape == (90, 2)


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
    from tamis.tree.grow.fit import TreeData
    from tamis.tree.grow.training_set import ClassProblem

    assert ClassProblem is not None
    assert TreeData is not None
    grown = []
    for table, target in ((X, y), (other, np.where(np.arange(120) < 80, y, 1 - y))):
        model = kind(**params)
        seen = []
        problem_of = model._grow

        def spy(t, problem, given, seen=seen, model=model):
            limits = model._limits(t, 80)
            seen.append(problem.grow_on(train, limits)[0])

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


@pytest.mark.parametrize("by", [None, "brier", "log_loss"])
def test_threads_do_not_change_a_bit(by):
    """If this fails, results depend on the number of threads."""
    X, y = noisy(300, 7)
    a, b = (TreeClassifier(prune="cv", prune_by=by, n_jobs=k).fit(X, y) for k in (1, 2))
    assert a.to_dict()["tree"] == b.to_dict()["tree"]
    assert np.array_equal(a.cv_predictions_, b.cv_predictions_)
    for name, values in a.cost_complexity_.items():
        assert np.array_equal(values, b.cost_complexity_[name])


@pytest.mark.parametrize(("kind", "params"), CHOSEN)
def test_nested_predictions_are_made_at_the_size_that_the_other_folds_choose(kind, params):
    """If this fails, a row has a say in the size of the tree that it is judged by."""
    X, y = noisy(200, 9)
    y = y if kind is TreeClassifier else y + X[:, 1]
    fold = np.arange(200) % 4
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]
    settings = {"prune": "cv", "rule": "min", "min_samples_leaf": 5, **params}
    model = kind(cv=folds, **settings).fit(X, y)
    alpha, full = model.cost_complexity_["alpha"], kind(min_samples_leaf=5, **params).fit(X, y)
    for f, (train, test) in enumerate(folds):
        other = kind(cv=folds[:f] + folds[f + 1 :], **settings).fit(X, y).alpha_
        at = int(np.flatnonzero(alpha == other)[0])
        beta = np.sqrt(alpha[at] * alpha[at - 1]) if at else 1e9
        own = kind(min_samples_leaf=5, **params).fit(X[train], y[train])
        price = beta * full.tree_.risk[0] / 200 / (own.tree_.risk[0] / len(train))
        own = kind(min_samples_leaf=5, prune=price, **params).fit(X[train], y[train])
        expected = own.predict_proba(X[test]) if kind is TreeClassifier else own.predict(X[test])
        assert np.abs(model.nested_predictions_[test] - expected).max() <= 1e-12
