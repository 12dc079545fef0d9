"""Columns against the target, one by one: SciPy's statistics, a level that holds, and no signal denied."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tamis
from tamis.study.claims.association import LEVEL, _basis, _standardised, association
from tamis.study.claims.methods import methods
from tamis.table import Table

SIMPLE = {"procedures": ["stump", "tree", "lasso"], "black_box": False, "repeats": 1, "lock": 0}

WEAK = 15  # a seed by which no procedure shows what the column does


def _problem(frame, tmp_path, **settings):
    return tamis.Study(frame, target="y", folder=tmp_path / "s", **{"lock": 0, **settings}).problem


def _weak(seed, n=100):
    """One of eight columns moves the odds a little."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 8))
    y = rng.random(n) < 1 / (1 + np.exp(-0.9 * x[:, 2]))
    return pd.DataFrame(x, columns=list("abcdefgh")).assign(y=np.where(y, "yes", "no"))


def test_the_statistics_are_scipys():
    """A column would be ranked by something else than Kruskal and Wallis' H or the correlation of ranks."""
    rng = np.random.default_rng(0)
    x, y = np.round(rng.normal(size=60), 1), rng.integers(0, 3, 60)
    Z = _standardised(Table.of(pd.DataFrame({"x": x})).columns)[1]
    H = np.square(Z @ _basis(y, True)).sum()
    assert pytest.approx(stats.kruskal(*(x[y == code] for code in range(3))).statistic) == H
    number = rng.normal(size=60)
    assert np.square(Z @ _basis(number, False)).sum() == pytest.approx(59 * stats.spearmanr(x, number).statistic ** 2)


def test_a_level_of_a_category_is_tested_as_a_table_of_two_by_two():
    """Categories would have no say."""
    rng = np.random.default_rng(0)
    level, y = rng.integers(0, 2, 80), rng.integers(0, 2, 80)
    names, Z = _standardised(Table.of(pd.DataFrame({"c": np.array(["u", "v"], dtype=object)[level]})).columns)
    table = [[np.sum((level == a) & (y == b)) for b in (0, 1)] for a in (0, 1)]
    found = np.square(Z @ _basis(y, True)).sum(axis=1) * 80 / 79
    assert names == ["c", "c"]
    np.testing.assert_allclose(found, stats.chi2_contingency(table, correction=False).statistic)


def test_what_a_column_shows_alone_is_not_denied(tmp_path):
    """No procedure captures a weak signal in 100 rows, and the answer would deny what one column shows."""
    study = tamis.Study(_weak(WEAK), target="y", folder=tmp_path / "s", **SIMPLE).run()
    found = study.results_["comparison"]
    assert min(row["p_value"] for row in found["procedures"]) > 0.1
    assert found["p_value"] > 0.1
    assert found["by_columns_alone"]
    assert list(found["association"]["columns"]) == ["c"]
    assert study.answer_.startswith(
        "A sign of signal that is not captured: c goes with the target (p = 0.002, by 999 shuffled targets, adjusted "
        "for all columns), but on rows not seen no procedure tried (stump, tree, lasso) beats always guessing"
    )
    assert "probabilities are better" not in study.answer_
    assert "but c goes with the target" in methods(study.results_, [])
    assert "but c goes with the target" in (tmp_path / "s" / "report.html").read_text()


def test_noise_is_said_to_hold_nothing_in_columns_either(tmp_path):
    """The sentence would not say that columns were tested, too."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(80, 8)), columns=list("abcdefgh"))
    frame["y"] = np.where(np.arange(80) % 2, "p", "q")
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", **SIMPLE).run()
    assert study.results_["answer"]["signal"] == "none"
    assert "(stump, tree, lasso) or by a test of each column alone." in study.answer_


def test_the_level_holds_in_noise(tmp_path):
    """Chance alone would be taken for signal; 12 of 100 at a level of 0.05 has a probability of 0.004."""
    p_values = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        frame = pd.DataFrame(rng.standard_t(1, size=(40, 6)), columns=list("abcdef"))
        frame["g"] = np.array(["u", "v", "w"], dtype=object)[rng.integers(0, 3, 40)]
        p_values.append(association(_problem(frame.assign(y=rng.random(40) < 0.3), tmp_path)).p_value)
    assert np.sum(np.array(p_values) <= 0.05) <= 12
    assert np.sum(np.array(p_values) <= LEVEL) <= 5


def test_columns_in_another_order_give_the_same(tmp_path):
    """The answer would depend on how the columns are arranged."""
    frame = _weak(WEAK)
    turned = frame[[*reversed(frame.columns)]]
    assert association(_problem(frame, tmp_path)) == association(_problem(turned, tmp_path))


@pytest.mark.parametrize("kind", ["groups", "time"])
def test_rows_that_are_no_draws_of_their_own_are_not_shuffled(kind, tmp_path):
    """Rows of one group look alike, and shuffling them one by one would call that a signal."""
    frame = _weak(0).assign(w=np.arange(100) // 4)
    assert association(_problem(frame, tmp_path, **{kind: "w"})) is None


def test_numbers_and_missing_values_are_tested(tmp_path):
    """What is missing may be what tells."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    y = rng.normal(size=120) + 1.5 * (np.arange(120) % 3 == 0)
    x[::3] = np.nan
    found = association(_problem(pd.DataFrame({"x": x, "z": rng.normal(size=120), "y": y}), tmp_path))
    assert list(found.columns) == ["x"]
    assert found.p_value == found.columns["x"] == 0.001
