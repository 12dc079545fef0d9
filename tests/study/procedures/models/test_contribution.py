"""What columns contribute: correlated columns of opposite signs count once."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.linear import LinearRegressor
from tamis.study.procedures.models.contribution import contributions, joint_contributions
from tamis.study.procedures.models.fitted import FittedProcedure


def _fitted(tmp_path):
    """Columns a and b correlate by 0.98 and have coefficients of 3 and -2.9; c is apart."""
    rng = np.random.default_rng(0)
    a, c = rng.normal(size=(2, 400))
    b = 0.98 * a + np.sqrt(1 - 0.98**2) * rng.normal(size=400)
    frame = pd.DataFrame({"a": a, "b": b, "c": c}).assign(y=3 * a - 2.9 * b + c)
    problem = tamis.Study(frame, target="y", folder=tmp_path / "s", lock=0).problem
    model = LinearRegressor(penalty=None).fit(problem.X, problem.y)
    return FittedProcedure("line", model, problem.names), problem, frame


def test_columns_that_cancel_each_other_share_what_they_add_together(tmp_path):
    """Two columns that together add 0.6 would be said to make up 85% of a model whose third column adds 1."""
    fitted, problem, frame = _fitted(tmp_path)
    (group,) = joint_contributions(fitted, problem)
    together = np.std(3 * frame["a"] - 2.9 * frame["b"])
    assert group["columns"] == ["a", "b"]
    assert group["ratio"] == pytest.approx(together / (3 * frame["a"].std(ddof=0) + 2.9 * frame["b"].std(ddof=0)))
    shares = contributions(fitted, problem)
    assert next(iter(shares)) == "c"
    assert shares["a"] + shares["b"] == pytest.approx(together / (together + frame["c"].std(ddof=0)))


def test_the_answer_names_them_jointly(tmp_path):
    """A reader would take two large contributions for two large effects."""
    _, _, frame = _fitted(tmp_path)
    frame["y"] += 0.1 * np.random.default_rng(1).normal(size=400)
    line = {"line": LinearRegressor(penalty=None)}
    study = tamis.Study(frame, target="y", folder=tmp_path / "t", procedures=line, black_box=False, repeats=1).run()
    assert study.results_["answer"]["joint"] == [["a", "b"]]
    assert "c, a and b (jointly)" in study.answer_


def test_columns_that_add_up_or_do_not_correlate_are_given_one_by_one(tmp_path):
    """Every two correlated columns would be joined."""
    rng = np.random.default_rng(0)
    a, c = rng.normal(size=(2, 300))
    frame = pd.DataFrame({"a": a, "b": a + 0.1 * rng.normal(size=300), "c": c}).assign(y=a + c)
    frame["y"] += frame["b"]
    problem = tamis.Study(frame, target="y", folder=tmp_path / "s", lock=0).problem
    model = LinearRegressor(penalty=None).fit(problem.X, problem.y)
    assert joint_contributions(FittedProcedure("line", model, problem.names), problem) == []
