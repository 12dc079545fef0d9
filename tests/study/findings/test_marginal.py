"""Each column alone, against closed forms and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import tamis
from tamis.study.claims.association import association
from tamis.study.findings.marginal import marginal


def study_of(folder, columns, y, **settings):
    return tamis.Study({**columns, "y": y}, target="y", folder=folder, lock=0, **settings).problem


def _marginal(problem):
    return marginal(problem, association(problem))


@pytest.fixture
def columns():
    random = np.random.default_rng(0)
    number = random.normal(size=90)
    number[:5] = np.nan
    return {"a": number, "c": np.array(["x", "y", "z"], dtype=object)[random.integers(0, 3, 90)]}


def test_a_number_and_classes_are_tested_as_in_scipy(columns, tmp_path):
    """The strength of a column would not be that of the analysis of variance."""
    y = np.array(["no", "yes"], dtype=object)[(np.arange(90) % 3 == 0).astype(int)]
    found = _marginal(study_of(tmp_path, columns, y))
    known = ~np.isnan(columns["a"])
    parts = [columns["a"][known & (y == label)] for label in ("no", "yes")]
    F = stats.f_oneway(*parts).statistic
    assert found["strength"][0] == pytest.approx(F / (F + known.sum() - 2))
    assert found["missing"][0] == pytest.approx(5 / 90)
    assert found["direction"][0] == np.sign(parts[1].mean() - parts[0].mean())
    table = [[np.sum((columns["c"] == level) & (y == label)) for label in ("no", "yes")] for level in "xyz"]
    chi2 = stats.chi2_contingency(table, correction=False)
    assert found["strength"][1] == pytest.approx(chi2.statistic / 90)
    assert found["direction"][1] is None


def test_a_number_and_a_number_are_tested_as_in_scipy(columns, tmp_path):
    """The share of variance in common would be wrong."""
    y = np.random.default_rng(1).normal(size=90) + np.nan_to_num(columns["a"])
    found = _marginal(study_of(tmp_path, columns, y, task="regression"))
    known = ~np.isnan(columns["a"])
    r = stats.pearsonr(columns["a"][known], y[known])
    assert found["strength"][0] == pytest.approx(r.statistic**2)
    assert found["direction"][0] == 1
    parts = [y[columns["c"] == level] for level in "xyz"]
    F = stats.f_oneway(*parts).statistic
    assert found["strength"][1] == pytest.approx(2 * F / (2 * F + 87))
    assert found["p_value"][0] == 0.001
    assert found["p_value"][1] > 0.05
