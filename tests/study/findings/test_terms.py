"""Coefficients of the folds' models beside those of the final model."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.report.typed import of_plain

import tamis
from tamis.linear import LinearClassifier, LinearRegressor
from tamis.report.facts.model import model as model_facts
from tamis.study.findings.terms import LISTED, kept_terms, listed_terms, terms

model_facts = of_plain(model_facts)

SMALL = {"folds": 3, "repeats": 1, "inner": 3, "black_box": False, "lock": 0}


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """A ridge of 70 columns that all say a little."""
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 70))
    table = {f"x{j:02d}": X[:, j] for j in range(70)} | {"y": X @ random.uniform(0.5, 1, 70)}
    folder = tmp_path_factory.mktemp("wide")
    return tamis.Study(table, target="y", folder=folder, procedures=["ridge"], prefer="best", **SMALL).run()


def test_folds_with_a_term_are_those_that_use_its_column(wide):
    """A ridge uses every column in every fold; terms beyond a fold's own largest would be said to be 0 in it."""
    found = wide.results_["findings"]["terms"]
    assert len(found["final"]["names"]) == LISTED
    assert found["final"]["left"] == 30
    used = {row["name"]: row["fraction"] for row in wide.results_["stability"]}
    table = model_facts(wide.results_)["terms"]["table"]
    heads = [head.text for head in table.heads]
    rows = [dict(zip(heads, row)) for row in table.rows]
    assert len(rows) == LISTED
    for row in rows:
        assert used[row["term"].text] == 1
        assert row["folds"].text == "100%"
        assert row["smallest"].sort <= row["median"].sort <= row["largest"].sort
        assert row["median"].sort != 0
    for fold in found["folds"]:
        assert fold["names"] == found["final"]["names"]
        assert fold["left"] == 30


def test_results_that_kept_each_folds_own_terms_do_not_call_the_others_0(wide):
    """A page of an older results.json would still say 0 of a coefficient that nobody wrote down."""
    results = json.loads(json.dumps(wide.results_))
    found = results["findings"]["terms"]
    for place, fold in enumerate(found["folds"]):  # as each fold kept its own largest before
        few = slice(place, 40 - 2 * place)
        fold |= {"names": fold["names"][few], "coef": [line[few] for line in fold["coef"]], "left": 35}
    facts = model_facts(results)["terms"]
    rows = {row[0].text: row for row in facts["table"].rows}
    first, middle, last = (rows[found["final"]["names"][j]] for j in (0, 20, 39))
    assert middle[-1].text == first[-1].text == "100%"
    assert all(row[3].sort != 0 for row in (first, middle, last))
    assert "left out" in facts["sentence"]
    assert "left out" not in model_facts(wide.results_)["terms"]["sentence"]


def test_a_term_that_a_fold_does_not_have_is_0_and_one_not_kept_is_not():
    """What a sparse model left out, and what the journal had no room for, could not be told apart."""
    X = np.random.default_rng(0).normal(size=(80, 6))
    model = LinearRegressor("lasso", alpha=0.1).fit(X, 3 * X[:, 0] - 2 * X[:, 1])
    listed = {"names": ["x1", "x5", "x0"], "coef": [[1.0] * 3], "left": 0, "classes": None}
    found = listed_terms(kept_terms(model), listed)
    assert found["names"] == ["x1", "x5", "x0"]
    assert found["coef"] == [[float(model.coef_[1]), 0.0, float(model.coef_[0])]]
    assert found["left"] == 0
    short = listed_terms(kept_terms(model, max_numbers=1), listed)
    assert short["names"] == ["x0"]
    assert short["left"] == 1


def test_a_fold_that_lacked_a_class_is_no_fold_of_these_coefficients():
    """The coefficients of one class would be compared with those of another."""
    random = np.random.default_rng(0)
    X = random.normal(size=(90, 3))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    whole, part = (LinearClassifier("ridge").fit(X[rows], y[rows]) for rows in (y >= 0, y > 0))
    assert listed_terms(kept_terms(whole), terms(whole))["coef"] == terms(whole)["coef"]
    assert listed_terms(kept_terms(part), terms(whole)) is None
    assert listed_terms(None, terms(whole)) is None


def test_seven_thousand_coefficients_are_kept_in_a_hundred_kilobytes():
    """Fifteen folds of a wide table would fill the journal with digits."""
    X = np.random.default_rng(0).normal(size=(30, 7000))
    model = LinearRegressor("ridge", alpha=1.0).fit(X, X[:, 0])
    written = json.dumps(kept_terms(model))
    assert len(written) < 22 * 7000
    again = listed_terms(json.loads(written), terms(model))
    assert again["coef"] == terms(model)["coef"]


def test_the_terms_of_a_lasso_held_to_few_columns_are_compared_over_its_folds(tmp_path):
    """Coefficients of a model that a person chose would stand beside no fold at all."""
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 6))
    y = 3 * X[:, 0] + X[:, 1] + 0.2 * X[:, 2] + random.normal(size=150)
    table = {f"x{j}": X[:, j] for j in range(6)} | {"y": y}
    study = tamis.Study(table, target="y", folder=tmp_path, procedures=["lasso"], **SMALL).run()
    found = study.choose("lasso", columns=2).results_["findings"]["terms"]
    assert found["final"]["names"] == ["x0", "x1"]
    assert [fold["names"] for fold in found["folds"]] == [["x0", "x1"]] * 3
    assert all(fold["coef"][0][0] == pytest.approx(3, abs=0.5) for fold in found["folds"])
