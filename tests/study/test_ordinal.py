"""Studies of ordered classes: cumulative logits and ordinal trees, compared by the ranked probability score."""

import json

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.linear import LinearClassifier
from tamis.metrics import score
from tamis.study.procedures.forest import full_forest, sifted_forest
from tamis.study.procedures.lasso import lasso
from tamis.study.procedures.models.sized import SizedFormulas, SizedPanels, SizedTrees
from tamis.study.procedures.tree import tree

GRADES = ["poor", "fair", "good", "best"]
FEW = {"folds": 3, "repeats": 1, "inner": 3}


def ratings(seed: int = 0, n: int = 300) -> pd.DataFrame:
    """Four grades by thresholds of a linear score with logistic noise: proportional odds."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).round(3)
    latent = 2 * X[:, 0] - 1.5 * X[:, 1] + rng.logistic(size=n)
    codes = np.digitize(latent, [-2.0, 0.0, 2.0])
    grade = pd.Categorical.from_codes(codes, GRADES, ordered=True)
    return pd.DataFrame({**{f"x{j}": X[:, j] for j in range(5)}, "grade": grade})


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> tamis.Study:
    folder = tmp_path_factory.mktemp("ordinal") / "study"
    return tamis.Study(ratings(), target="grade", folder=folder, black_box=False, **FEW).run()


def test_the_readable_formula_has_one_coefficient_a_term_and_thresholds(study):
    """If this fails, a formula of ordered classes has a column of coefficients for every class."""
    assert study.model_.task == "ordinal"
    assert study.results_["comparison"]["loss"] == "ranked_probability_score"
    assert {"x0", "x1"} <= set(study.selected_)
    study.choose("formula", columns=2)
    readable = study.results_["findings"]["readable"]
    assert readable["link"] == "cumulative"
    assert len(readable["thresholds"]) == 3
    assert all(len(term["coef"]) == 1 for term in readable["terms"])
    page = (study.folder / "report.html").read_text()
    assert "a score that is larger for higher classes" in page
    assert "log odds of at most poor = " in page
    assert "log-odds of at most fair (not good) = " in study.model_.to_text()
    study.choose()


def test_the_formula_finds_the_truth_of_proportional_odds(study):
    """If this fails, the order of the grades is not that of the table, or the sign of the score is wrong."""
    model = lasso("ordinal").set_params(cv=3).fit(*_parts(ratings(n=3000)))
    assert isinstance(model, LinearClassifier)
    assert model.loss == "cumulative_logit"
    assert model.coef_[0, :2] == pytest.approx([2.0, -1.5], abs=0.2)
    assert model.thresholds_ == pytest.approx([-2.0, 0.0, 2.0], abs=0.25)
    np.testing.assert_allclose(study.predict_proba(ratings(1)).sum(axis=1), 1.0)
    assert list(study.model_.labels) == GRADES


@pytest.mark.parametrize("kind", [SizedFormulas, SizedTrees, SizedPanels])
def test_models_of_every_size_know_the_order(kind):
    """If this fails, a candidate of ordered classes takes them for unordered ones."""
    X, y = _parts(ratings())
    models = kind("ordinal", random_state=0).fit(X, y).models_
    last = models[max(models)]
    order = getattr(last, "criterion", getattr(last, "loss", ""))
    assert order in ("ordinal", "cumulative_logit")


def test_the_pruned_tree_is_one_of_ordered_classes():
    """If this fails, `--procedures tree` splits grades as if any two were equally far apart."""
    assert tree("ordinal").criterion == "ordinal"
    assert tree("classification").criterion == "gini"


@pytest.mark.parametrize("make", [lambda: sifted_forest("ordinal").estimator, lambda: full_forest("ordinal")])
def test_forests_split_by_scores_of_the_grades(make):
    """If this fails, black boxes of ordered classes take any two grades to be equally far apart."""
    assert (make().criterion, make().level_scores) == ("ordinal", "normal")
    assert sifted_forest("classification").estimator.criterion == "gini"


def test_the_quoted_losses_are_ranked_probability_scores(study):
    """If this fails, candidates are compared by a score that does not know the order."""
    kept = study.results_["predictions"]
    value = score("ranked_probability_score", np.array(kept["truth"]), np.array(kept["answers"]), labels=range(4))
    rows = {row["name"]: row for row in study.results_["comparison"]["procedures"]}
    chosen = rows[study.results_["comparison"]["chosen"]]["metrics"]["ranked_probability_score"]
    assert value == pytest.approx(chosen, rel=0.05)
    assert value < rows["baseline"]["metrics"]["ranked_probability_score"]


def test_a_loaded_study_answers_the_same(study):
    """If this fails, thresholds are lost in model.json."""
    study.choose("formula")
    assert json.loads((study.folder / "model.json").read_text())["task"] == "ordinal"
    new = ratings(seed=5, n=20)
    np.testing.assert_array_equal(tamis.load(study.folder).predict_proba(new), study.predict_proba(new))
    study.choose()


def _parts(table: pd.DataFrame):
    return tamis.read(table.drop(columns="grade")), np.asarray(table["grade"].cat.codes)
