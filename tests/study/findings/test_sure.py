"""Which of a model's columns are sure: strong ones are, those that a lasso took by chance are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import special

import tamis
from tamis import LinearClassifier, LinearRegressor
from tamis.study.findings.interchangeable import interchangeable
from tamis.study.findings.sure import sure_columns

SLOPES = np.array([1, -0.8, 0.6, 0.4, 0.3])


def _table(rng, n=150, d=30, rho=0.3, classes=False, lognormal=False):
    Z = np.sqrt(rho) * rng.normal(size=(n, 1)) + np.sqrt(1 - rho) * rng.normal(size=(n, d))
    eta = Z[:, : len(SLOPES)] @ SLOPES
    y = np.where(rng.random(n) < special.expit(1.5 * eta), "p", "q") if classes else eta + rng.normal(size=n)
    names = [f"x{j:02d}" for j in range(d)]
    return pd.DataFrame(np.exp(Z) if lognormal else Z, columns=names).assign(y=y)


def _sure(frame, tmp_path, **settings):
    """Columns that a lasso uses, and whether each is sure."""
    problem = tamis.Study(frame, target="y", folder=tmp_path / "s", lock=0, **settings).problem
    X = frame[list(problem.X.names)]
    model = (LinearClassifier if problem.labels else LinearRegressor)().fit(X, frame["y"])
    size = dict(zip(X.columns, model.feature_importances_))
    order = sorted(model.selected_columns_, key=lambda name: -size[name])
    rows = sure_columns(problem, order, interchangeable(problem, order), [])
    return {row["name"]: row["supported"] for row in rows}


KINDS = {
    "numbers": {},
    "more columns than rows": {"n": 100, "d": 120, "rho": 0.0},
    "classes": {"n": 200, "classes": True},
    "lognormal": {"lognormal": True},
}


def _counts(kind, tmp_path, n_tables):
    """Named columns of noise, sure ones, sure ones of noise, tables in which the strongest column is sure."""
    counts = np.zeros(4)
    for seed in range(n_tables):
        sure = _sure(_table(np.random.default_rng(seed), **KINDS[kind]), tmp_path)
        noise = {name for name in sure if int(name[1:]) >= len(SLOPES)}
        counts += len(noise), sum(sure.values()), sum(sure[name] for name in noise), sure.get("x00", False)
    return counts


@pytest.mark.parametrize("kind", KINDS)
def test_strong_columns_are_sure_and_those_of_chance_are_not(kind, tmp_path):
    """A reader would take columns of noise for found ones, or trust none."""
    noise, sure, false, strong = _counts(kind, tmp_path, 12)
    assert noise >= 5
    assert false <= 0.1 * sure
    assert strong >= 9


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_at_most_a_tenth_of_the_sure_columns_is_noise(kind, tmp_path):
    """As above, of 60 tables."""
    _, sure, false, strong = _counts(kind, tmp_path, 60)
    assert false <= 0.1 * sure
    assert strong >= 50


def test_near_copies_are_sure_together_and_rows_of_a_group_are_not_counted_one_by_one(tmp_path):
    """Of two copies neither explains anything beyond the other; a column of 20 groups has 20 values, not 200."""
    rng = np.random.default_rng(0)
    frame = _table(rng, rho=0.0)[["x00", "x01", "x02", "y"]]
    frame["copy"] = frame["x00"] + 0.05 * rng.normal(size=150)
    problem = tamis.Study(frame, target="y", folder=tmp_path / "s", lock=0).problem
    order = ["x00", "copy", "x01", "x02"]
    rows = {row["name"]: row for row in sure_columns(problem, order, interchangeable(problem, order), [])}
    assert rows["x00"]["supported"]
    assert rows["copy"]["reason"].endswith("together with x00")
    wrong = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        group = np.repeat(np.arange(20), 10)
        frame = pd.DataFrame(rng.normal(size=(20, 4))[group] + 0.1 * rng.normal(size=(200, 4)), columns=list("abcd"))
        frame["y"] = rng.normal(size=20)[group] + 0.1 * rng.normal(size=200)
        frame["g"] = [f"g{code}" for code in group]
        problem = tamis.Study(frame, target="y", groups="g", folder=tmp_path / "s", lock=0).problem
        wrong += any(row["supported"] for row in sure_columns(problem, list("abcd"), [], []))
    assert wrong <= 4


def test_a_column_that_acts_with_another_is_sure(tmp_path):
    """XOR has no effect of one column, and both would be called chance."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    frame["y"] = np.where(frame["a"] * frame["b"] > 0, "p", "q")
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", procedures=["tree"], black_box=False, repeats=1).run()
    rows = {row["name"]: row for row in study.results_["findings"]["support"]}
    assert rows["a"]["reason"] == "acts together with b"
    assert {"a", "b"} <= set(study.results_["answer"]["supported"])
    assert set(study.results_["answer"]["supported"]) == {name for name, row in rows.items() if row["supported"]}


def test_the_answer_says_which_columns_are_sure(tmp_path):
    """Half of what a lasso names is noise, and the reader would not know which half."""
    study = tamis.Study(
        _table(np.random.default_rng(3)),
        target="y",
        folder=tmp_path / "s",
        procedures=["lasso"],
        black_box=False,
        lock=0,
    ).run()
    assert "Well supported are x00" in study.answer_
    assert "might take the place of the other" in study.answer_


@pytest.mark.parametrize("classes", [True, False])
def test_dependent_terms_leave_p_values_to_the_data(classes, tmp_path):
    """Two indicators of a category with two levels add up to the constant: p-values would be those of rounding."""
    rng = np.random.default_rng(0)
    frame = _table(rng, n=200, d=6, classes=classes)
    for name in ("a", "b", "c"):
        frame[name] = np.where(rng.random(200) < 0.5, "yes", "no")
    order = [name for name in frame if name != "y"]
    p_values = []
    for scale in (1.0, 1 / 3, 0.7):  # terms are standardised: of the same values up to rounding
        numbers = frame[order[:6]] * scale
        problem = tamis.Study(
            numbers.join(frame[["a", "b", "c", "y"]]), target="y", folder=tmp_path / "s", lock=0
        ).problem
        p_values.append([row["p_value"] for row in sure_columns(problem, order, [], [])])
    assert np.allclose(p_values[1:], p_values[0], rtol=1e-6)
