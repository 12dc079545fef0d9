"""What counts as readable, and procedures that always are."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import tamis
from tamis import ForestClassifier, LinearRegressor, TreeClassifier, TreeRegressor
from tamis.linear import ScoreCard
from tamis.study.procedures.models.readability import readability


def numbers(n=400, d=25, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ np.linspace(1, 2, d) + rng.normal(size=n)


@pytest.mark.parametrize(("leaves", "expected"), [(2, "glance"), (8, "glance"), (9, "page"), (20, "page"), (21, "no")])
def test_trees_by_leaves(leaves, expected):
    X, y = numbers()
    assert readability(TreeRegressor(max_leaf_nodes=leaves).fit(X, y)) == expected


@pytest.mark.parametrize(("terms", "expected"), [(3, "glance"), (8, "glance"), (9, "page"), (20, "page"), (21, "no")])
def test_formulas_by_terms(terms, expected):
    X, y = numbers()
    assert readability(LinearRegressor(penalty=None).fit(X[:, :terms], y)) == expected


def test_model_trees_score_cards_and_forests():
    X, y = numbers(d=4)
    assert readability(TreeRegressor(leaf="linear", max_leaf_nodes=6).fit(X, y)) == "page"
    assert readability(TreeRegressor(leaf="linear", max_leaf_nodes=7).fit(X, y)) == "no"
    assert readability(ScoreCard(cv=None).fit(X, y > 0)) == "glance"
    assert readability(ForestClassifier(5).fit(X, y > 0)) == "no"
    assert readability(LogisticRegression().fit(X, y > 0)) == "no"


def test_a_users_model_may_say_that_it_is_readable():
    class Rule(TreeClassifier):
        readable = "page"

    X, y = numbers(d=4)
    assert readability(Rule().fit(X, y > 0)) == "page"


@pytest.mark.parametrize("procedure", ["optimal-tree", "score-card", "additive"])
@pytest.mark.parametrize("is_class", [True, False])
def test_readable_procedures_by_name(procedure, is_class, tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(220, 5)), columns=list("abcde"))
    frame["level"] = rng.choice(["u", "v"], 220)
    signal = 2.0 * (frame.a > 0) + 2.0 * (frame.level == "u")
    noisy = signal + 0.7 * rng.normal(size=220)
    frame["y"] = np.where(noisy > 2, "yes", "no") if is_class else noisy
    study = tamis.Study(frame, target="y", folder=tmp_path / "study", procedures=[procedure], folds=4, repeats=1).run()
    answer = study.results_["answer"]
    assert answer["procedure"] == procedure
    assert answer["readable"] == ("page" if procedure == "additive" else "glance")
    assert set(answer["selected"][:2]) == {"a", "level"}
    assert answer["signal"] == "captured"
    again = tamis.load(tmp_path / "study")
    rows = frame.drop(columns="y").head(20)
    assert np.array_equal(np.asarray(again.model_.predict(rows)), np.asarray(study.model_.predict(rows)))
    assert (tmp_path / "study" / "report.html").stat().st_size > 10_000
