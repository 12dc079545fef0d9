"""Columns against the target, one by one: SciPy's statistics, a level that holds, and no signal denied."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import tamis
from tamis.results.answer import Answer
from tamis.split.exchange import Exchange
from tamis.study.claims.association import (
    FEW_ROWS,
    JOINT_LEVEL,
    LEVEL,
    Association,
    _orthonormal,
    _parts_of,
    _standardised,
    _statistics,
    _target_parts,
    association,
)
from tamis.study.claims.claim import Claim
from tamis.study.claims.methods import methods
from tamis.study.claims.sentences import _nothing, associated
from tamis.table import Table

SIMPLE = {"procedures": ["stump", "tree", "lasso"], "black_box": False, "repeats": 1, "lock": 0}

WEAK = 18  # a seed by which no procedure shows what the column does


def _problem(frame, tmp_path, **settings):
    return tamis.Study(frame, target="y", folder=tmp_path / "s", **{"lock": 0, **settings}).problem


def _weak(seed, n=100):
    """One of eight columns moves the odds a little."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 8))
    y = rng.random(n) < 1 / (1 + np.exp(-0.9 * x[:, 2]))
    return pd.DataFrame(x, columns=list("abcdefgh")).assign(y=np.where(y, "yes", "no"))


def _of(frame, y, classes):
    """Names of the parts, and their statistics."""
    names, parts = _parts_of(Table.of(frame).columns)
    return names, _statistics(_standardised(parts)[0], _orthonormal(_target_parts(y, classes)))


def test_the_statistics_are_scipys():
    """A column would be ranked by something else than Kruskal and Wallis' H or the correlation of ranks."""
    rng = np.random.default_rng(0)
    x, y = np.round(rng.normal(size=60), 1), rng.integers(0, 3, 60)
    frame = pd.DataFrame({"x": x})
    assert _of(frame, y, True)[1] == pytest.approx(stats.kruskal(*(x[y == code] for code in range(3))).statistic)
    number = rng.normal(size=60)
    assert _of(frame, number, False)[1] == pytest.approx(59 * stats.spearmanr(x, number).statistic ** 2)


def test_a_level_of_a_category_is_tested_as_a_table_of_two_by_two():
    """Categories would have no say."""
    rng = np.random.default_rng(0)
    level, y = rng.integers(0, 2, 80), rng.integers(0, 2, 80)
    table = [[np.sum((level == a) & (y == b)) for b in (0, 1)] for a in (0, 1)]
    names, found = _of(pd.DataFrame({"c": np.array(["u", "v"], dtype=object)[level]}), y, True)
    assert names == ["c", "c"]
    np.testing.assert_allclose(found * 80 / 79, stats.chi2_contingency(table, correction=False).statistic)


def test_what_a_column_shows_alone_is_not_denied(tmp_path):
    """No procedure captures a weak signal in 100 rows, and the answer would deny what one column shows."""
    study = tamis.Study(_weak(WEAK), target="y", folder=tmp_path / "s", **SIMPLE).run()
    found = study.results_["comparison"]
    assert min(row["p_value"] for row in found["procedures"]) > 0.1
    assert found["p_value"] > 0.1
    assert found["by_columns_alone"]
    assert list(found["association"]["columns"]) == ["c"]
    assert study.answer_.startswith(
        "A sign of signal that is not captured: c goes with the target (p = 0.004, by 999 shuffled targets, adjusted "
        "for all columns), but on held-out rows no procedure tried (stump, tree and lasso) beats always guessing"
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
    assert "measurably better than chance, alone or in any model tried (stump, tree and lasso)." in study.answer_


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


def _lognormal(rng):
    frame = pd.DataFrame(np.exp(2 * rng.normal(size=(60, 10))), columns=[f"x{j}" for j in range(10)])
    return frame.assign(y=np.exp(2 * rng.normal(size=60)))


def _skewed_categories(rng):
    levels, shares = np.array(list("abcdef"), dtype=object), [0.6, 0.2, 0.1, 0.05, 0.03, 0.02]
    frame = pd.DataFrame({f"x{j}": levels[rng.choice(6, 120, p=shares)] for j in range(8)})
    return frame.assign(y=np.where(rng.random(120) < 0.15, "p", "q"))


def _groups(rng, constant=False):
    """Columns and target share what is common to a group's rows, not with each other."""
    group = np.repeat(np.arange(20), rng.integers(1, 10, 20))
    frame = pd.DataFrame(rng.normal(size=(20, 6))[group], columns=list("abcdef"))
    frame += 0.5 * rng.normal(size=frame.shape)
    latent = rng.normal(size=20)[group] + (0 if constant else 0.5) * rng.normal(size=len(group))
    y = np.where(latent > 0, "p", "q") if constant else latent
    return frame.assign(w=np.array([f"g{code}" for code in group], dtype=object), y=y)


def _series(rng, phi=0.9):
    """Independent autoregressions; at phi = 1 random walks."""
    values = np.zeros((120, 7))
    for step in range(1, 120):
        values[step] = phi * values[step - 1] + rng.normal(size=7)
    return pd.DataFrame(values, columns=[*"abcdef", "y"]).assign(w=np.arange(120))


NOISE = {
    "lognormal": (_lognormal, {}),
    "skewed categories": (_skewed_categories, {}),
    "groups": (_groups, {"groups": "w"}),
    "target constant in groups": (lambda rng: _groups(rng, constant=True), {"groups": "w"}),
    "autoregressions": (_series, {"time": "w"}),
    "random walks": (lambda rng: _series(rng, 1.0), {"time": "w"}),
}


def _false(kind, tmp_path, n_tables):
    make, settings = NOISE[kind]
    problems = (_problem(make(np.random.default_rng(1000 + seed)), tmp_path, **settings) for seed in range(n_tables))
    return np.array([association(problem).p_value for problem in problems])


@pytest.mark.parametrize("kind", NOISE)
def test_p_values_hold_in_noise_of_every_kind(kind, tmp_path):
    """Long tails, rare levels, groups or drift alone would be called a signal; 7 of 40 has a probability of 0.003."""
    assert np.sum(_false(kind, tmp_path, 40) <= 0.05) <= 6


@pytest.mark.nightly
@pytest.mark.parametrize("kind", NOISE)
def test_the_family_wise_error_is_5_percent(kind, tmp_path):
    """As above, of 400 tables: at most 5% and two standard errors."""
    assert np.mean(_false(kind, tmp_path, 400) <= 0.05) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.parametrize(("make", "kind"), [(_groups, "groups"), (_series, "time")])
def test_a_column_that_moves_the_target_is_seen_in_groups_and_time(make, kind, tmp_path):
    """A test that only avoids false signals would see none."""
    p_values = []
    for seed in range(10):
        frame = make(np.random.default_rng(seed))
        frame["y"] += 1.5 * frame["c"]
        found = association(_problem(frame, tmp_path, **{kind: "w"}))
        p_values.append(found.p_values["c"])
    assert np.median(p_values) <= LEVEL


def test_answer_report_and_results_hold_one_p_value_per_column(tmp_path):
    """One page would deny what the next one shows."""
    study = tamis.Study(_weak(WEAK), target="y", folder=tmp_path / "s", **SIMPLE).run()
    results = study.results_
    listed = dict(zip(results["findings"]["columns"]["name"], results["findings"]["columns"]["p_value"]))
    tested = results["comparison"]["association"]
    assert tested == results["answer"]["association"]
    assert min(listed.values()) == tested["p_value"]
    assert {name: p for name, p in listed.items() if p <= LEVEL} == tested["columns"]


def test_a_small_p_value_that_shows_no_signal_is_told(tmp_path):
    """The answer would deny all signal beside a column with p = 0.03."""
    facts = {"n_columns": 3, "tried": ["tree"], "association": {"p_value": 0.03, "columns": {}, "level": 0.01}}
    assert "alone (smallest adjusted p = 0.03, more than the 0.01 asked for) or in any model" in _nothing(
        Answer(**facts)
    )
    facts["association"]["p_value"] = 0.3
    assert _nothing(Answer(**facts)).endswith("better than chance, alone or in any model tried (tree).")


def test_numbers_and_missing_values_are_tested(tmp_path):
    """What is missing may be what tells."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=120)
    y = rng.normal(size=120) + 1.5 * (np.arange(120) % 3 == 0)
    x[::3] = np.nan
    found = association(_problem(pd.DataFrame({"x": x, "z": rng.normal(size=120), "y": y}), tmp_path))
    assert list(found.columns) == ["x"]
    assert found.p_value == found.columns["x"] == 0.001


def _rare(seed, shift, n=200, n_positive=6):
    """A few positives, shifted in three of eight columns: by 1.1 an area under the ROC curve of 0.91."""
    rng = np.random.default_rng([seed, 34])
    x, y = rng.normal(size=(n, 8)), np.arange(n) < n_positive
    x[y, :3] += shift
    return pd.DataFrame(x, columns=list("abcdefgh")).assign(y=np.where(y, "yes", "no"))


def _joint(n_tables, shift, tmp_path):
    return np.array([association(_problem(_rare(seed, shift), tmp_path)).joint_p_value for seed in range(n_tables)])


def test_few_rows_of_a_class_are_tested_by_all_columns_together(tmp_path):
    """A ranking of AUC 0.91 would be denied in a third of the tables; in noise the level of 0.03 would not hold."""
    assert np.mean(_joint(40, 1.1, tmp_path) <= JOINT_LEVEL) >= 0.75
    assert np.sum(_joint(60, 0.0, tmp_path) <= JOINT_LEVEL) <= 5  # 6 of 60 or more: a probability of 0.01


@pytest.mark.nightly
def test_the_level_of_the_joint_test_holds(tmp_path):
    """As above, of 600 tables: 0.03 and two standard errors."""
    assert np.mean(_joint(600, 0.0, tmp_path) <= JOINT_LEVEL) <= JOINT_LEVEL + 2 * np.sqrt(0.03 * 0.97 / 600)


def test_the_joint_statistic_is_the_sum_of_squared_correlations_with_normal_scores(tmp_path):
    """A different statistic than documented would be tested: its exceedances are counted here from the definition."""
    frame = _rare(3, 0.7, n=60, n_positive=5)
    problem = _problem(frame, tmp_path)
    scores = stats.norm.ppf(stats.rankdata(frame[list("abcdefgh")].to_numpy(), axis=0) / 61)
    target = (frame["y"] == "yes").to_numpy().astype(float)

    def statistic(values):
        return sum(np.corrcoef(column, values)[0, 1] ** 2 for column in scores.T)

    orders = Exchange.of(60).orders(999)
    draws = np.array([statistic(target[order]) for order in orders])
    expected = (1 + np.sum(draws >= statistic(target) - 1e-12)) / 1000
    assert association(problem).joint_p_value == pytest.approx(expected)


def test_columns_are_tested_together_only_where_a_class_has_few_rows(tmp_path):
    """Other tables would pay for a test that they do not need."""
    assert association(_problem(_rare(0, 0, n_positive=FEW_ROWS), tmp_path)).joint_p_value is None
    numbers = _rare(0, 0).assign(y=np.arange(200.0))
    assert association(_problem(numbers, tmp_path)).joint_p_value is None


def test_what_columns_show_together_is_not_denied():
    """A signal spread over columns would be denied, or a column named that shows nothing alone."""
    none = Claim("none", 0.5, (1.0, 0.6))
    seen = none.with_association(Association(0.04, {"a": 0.04}, joint_p_value=0.02))
    assert seen.signal == "uncaptured"
    assert seen.by_columns_alone
    assert none.with_association(Association(0.04, {"a": 0.04}, joint_p_value=0.04)).signal == "none"
    told = associated(Association(0.04, {"a": 0.04}, joint_p_value=0.02).to_dict())
    assert told == "the columns taken together go with the target (p = 0.020, by 999 shuffled targets)"
