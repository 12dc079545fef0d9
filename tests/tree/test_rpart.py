"""Against rpart's own output on its own examples (figures in tests/golden/rpart.json)."""

import json
from pathlib import Path

import numpy as np
import pytest

from tamis.table import Table, categories
from tamis.table.column import Column
from tamis.tree import TreeClassifier, TreeRegressor

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "rpart.json").read_text())
NAMES = list(GOLDEN["fits"])


def table_of(fit):
    columns = []
    for name in fit["columns"]:
        values = GOLDEN["data"][fit["data"]][name]
        if any(isinstance(v, str) for v in values):
            columns.append(categories(name, values))
        else:
            columns.append(Column(name, "numeric", np.array([np.nan if v is None else v for v in values], dtype=float)))
    table = Table(columns)
    table.named = False  # ties go by position then, as in rpart
    return table


@pytest.fixture(scope="module")
def fitted():
    cache = {}

    def get(name):
        if name not in cache:
            fit = GOLDEN["fits"][name]
            target = GOLDEN["data"][fit["data"]][fit["target"]]
            kind = TreeClassifier if isinstance(target[0], str) else TreeRegressor
            params = {"min_samples_split": 20, "min_samples_leaf": 7, "prune": 0.01} | fit["params"]
            cache[name] = fit, kind(**params).fit(table_of(fit), target)
        return cache[name]

    return get


def sides(tree, node, first, n, j):
    return {tree.levels[j][c]: ("left", "right")[s] for c, s in tree.level[first : first + n].tolist()}


def pairs(fit, tree):
    """(rpart node, our node, whether left and right are swapped) for every split."""
    stack = [("1", 0)]
    while stack:
        name, node = stack.pop()
        theirs = fit["nodes"][name]
        if theirs["leaf"]:
            assert tree.left[node] < 0
            continue
        j = int(tree.feature[node])
        assert tree.names[j] == theirs["split"]["var"]
        if "threshold" in theirs["split"]:
            swapped = theirs["split"]["below"] == "right"
        else:
            ours = sides(tree, node, int(tree.first_level[node]), int(tree.n_levels[node]), j)
            some = next(iter(ours))
            swapped = ours[some] != theirs["split"]["sides"][some]
        yield name, node, swapped
        left = int(tree.left[node])
        stack += [(str(2 * int(name)), left + swapped), (str(2 * int(name) + 1), left + 1 - swapped)]


@pytest.mark.parametrize("name", NAMES)
def test_splits_thresholds_and_improvements(fitted, name):
    """If this fails, the tree grown is not the CART tree: another split, threshold, improvement or row count."""
    fit, model = fitted(name)
    tree = model.tree_
    relative = isinstance(model, TreeRegressor)
    seen = 0
    for theirs, node, swapped in pairs(fit, tree):
        split = fit["nodes"][theirs]["split"]
        assert tree.n_rows[node] == fit["nodes"][theirs]["n"]
        scale = tree.risk[node] if relative else 1.0
        assert tree.improvement[node] / scale == pytest.approx(split["improve"], rel=1e-9)
        if "threshold" in split:
            assert tree.threshold[node] == pytest.approx(split["threshold"], rel=1e-12)
        else:
            flip = {"left": "right", "right": "left"}
            ours = sides(tree, node, int(tree.first_level[node]), int(tree.n_levels[node]), int(tree.feature[node]))
            assert {k: flip[v] if swapped else v for k, v in ours.items()} == split["sides"]
        seen += 1
    assert tree.n_leaves == seen + 1


@pytest.mark.parametrize("name", NAMES)
def test_surrogates_and_their_agreement(fitted, name):
    """If this fails, rows with missing values follow other columns than CART's surrogates."""
    fit, model = fitted(name)
    tree = model.tree_
    for theirs, node, swapped in pairs(fit, tree):
        expected = fit["nodes"][theirs]["surrogates"]
        first = int(tree.first_surrogate[node])
        ours = range(first, first + int(tree.n_surrogates[node]))
        assert [tree.names[int(tree.surrogate[q, 0])] for q in ours] == [s["var"] for s in expected]
        for q, s in zip(ours, expected):
            assert tree.agreement[q].tolist() == pytest.approx([s["agree"], s["adj"]])
            column, flip, first_level, n = tree.surrogate[q].tolist()
            if "threshold" in s:
                assert tree.surrogate_threshold[q] == pytest.approx(s["threshold"])
                assert (bool(flip) != swapped) == (s["below"] == "right")
            else:
                turn = {"left": "right", "right": "left"} if swapped else {"left": "left", "right": "right"}
                assert {k: turn[v] for k, v in sides(tree, node, first_level, n, column).items()} == s["sides"]


@pytest.mark.parametrize("name", NAMES)
def test_complexity_table(fitted, name):
    """If this fails, the pruning sequence is not the weakest-link sequence of CART."""
    fit, model = fitted(name)
    alpha = model.cost_complexity_["alpha"]
    for cp, n_split, error in fit["cp"][:-1]:
        i = int(np.argmin(np.abs(alpha - cp)))
        assert alpha[i] == pytest.approx(cp, rel=1e-8)
        assert model.cost_complexity_["n_leaves"][i] == n_split + 1
        assert model.cost_complexity_["risk"][i] == pytest.approx(error, rel=1e-8)
    assert model.tree_.n_leaves == fit["cp"][-1][1] + 1


@pytest.mark.parametrize("name", NAMES)
def test_predictions_with_missing_values(fitted, name):
    """If this fails, predictions differ from rpart's, on rows with and without missing values."""
    fit, model = fitted(name)
    X = table_of(fit)
    got = model.predict_proba(X) if isinstance(model, TreeClassifier) else model.predict(X)[:, None]
    expected = np.array(fit["predictions"])
    if name == "stagec_ploidy":  # rpart's factor has the order diploid, tetraploid, aneuploid
        expected = expected[:, [2, 0, 1]]
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_importance_with_surrogates(fitted, name):
    """If this fails, importances miss what masked columns could have done."""
    fit, model = fitted(name)
    ours = dict(zip(fit["columns"], model.importances(surrogates=True)))
    total = sum(fit["importance"].values())
    for column, value in fit["importance"].items():
        assert ours[column] == pytest.approx(value / total, rel=1e-8)
