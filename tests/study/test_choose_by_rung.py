"""The ladder's rungs are compared by rows that did not choose their kind of model; then the kind is chosen."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.study.choose import KEPT, RungLosses, choose, choose_by_rung

ROWS = np.ones(400)
NAMES = ["baseline", "tree[2]", "line[2]", "tree[5]", "line[5]"]


def _losses(level, seed, spread=0.1):
    noise = np.random.default_rng(seed).normal(size=400)
    return level + spread * (noise - noise.mean())


def test_a_rung_is_compared_by_what_its_choice_of_kind_loses():
    """Twelve columns would be named though five are as good: the least of many losses is below what it will be."""
    small, lucky = _losses(0.103, 1), _losses(0.09, 2)
    losses = [_losses(1.0, 0), _losses(0.3, 3), small, _losses(0.3, 4), lucky]
    assert choose(losses, ROWS) == 4
    rungs = RungLosses([losses[0], small, _losses(0.1, 5)], None)
    assert choose_by_rung(NAMES, losses, ROWS, rungs=rungs) == 2
    worse = RungLosses([losses[0], small, _losses(0.09, 5)], None)
    assert choose_by_rung(NAMES, losses, ROWS, rungs=worse) == 4


def test_of_a_rung_the_simplest_kind_is_taken_that_loses_hardly_more():
    """Curves would be drawn where a tree is as good; or a bad tree be taken because another kind is good."""
    base, good, bad = _losses(1.0, 0), _losses(0.1, 1), _losses(0.4, 2)
    nearly = good + _losses(0.002, 3)
    rungs = RungLosses([base, good, good], None)
    assert choose_by_rung(NAMES, [base, nearly, good, bad, bad], ROWS, rungs=rungs) == 1
    assert choose_by_rung(NAMES, [base, bad, good, bad, bad], ROWS, rungs=rungs) == 2
    assert choose_by_rung(NAMES, [base, bad, nearly, bad, good], ROWS, "best", rungs=rungs) == 4


def test_without_outer_picks_the_choice_of_kind_is_cross_fitted():
    """Inside training parts a rung of many equal kinds would look better than it is, by the luck of the best of them.

    Thirty kinds lose 1 on average: on 100 rows the least mean is about 0.8, and the loss of a choice among them is 1.
    """
    rng = np.random.default_rng(0)
    rows, names = np.ones(100), ["baseline", "tree[1]", *(f"kind{k}[2]" for k in range(30))]
    by_rung, flat = [], []
    for _ in range(200):
        single = 0.97 + 0.05 * rng.normal(size=100)
        losses = [np.full(100, 3.0), single, *(1 + rng.normal(size=(30, 100)))]
        by_rung.append(choose_by_rung(names, losses, rows, "simplest") == 1)
        flat.append(choose(losses, rows, "simplest") == 1)
    assert np.mean(by_rung) > 0.75
    assert np.mean(flat) < 0.25


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Three of eight columns decide, the third but little."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(220, 8)), columns=list("abcdefgh"))
    frame["y"] = 2 * frame["a"] + frame["b"] + 0.15 * frame["c"] + rng.normal(size=220)
    folder = tmp_path_factory.mktemp("rung") / "s"
    return tamis.Study(frame, target="y", folder=folder, repeats=1, n_jobs=1, black_box=False).run()


def test_a_study_takes_the_fewest_columns_within_one_standard_error_on_its_own_ladder(study):
    """The ladder on the page would contradict the answer."""
    ladder = study.results_["ladder"]
    base = study.results_["comparison"]["procedures"][0]["loss"]
    least = min(rung["loss"] for rung in ladder)
    within = [
        rung["columns"]
        for rung in ladder
        if rung["difference"] <= rung["standard_error"] and base - rung["loss"] >= KEPT["balanced"] * (base - least)
    ]
    assert [rung["columns"] for rung in ladder if rung["chosen"]] == within[:1]
    assert study.results_["answer"]["max_columns"] == within[0]


def test_the_quoted_score_is_of_choosing_in_every_fold_not_of_the_rung_that_did_best(study):
    """The score of the rung chosen by outer results would be quoted, which is the best of several."""
    compared = study.results_["comparison"]
    rung = next(rung for rung in study.results_["ladder"] if rung["chosen"])
    assert len(compared["chosen_in_folds"]) == len(compared["scores"])
    assert compared["score"] <= max(row["score"] for row in study.results_["ladder"])
    if len(set(compared["chosen_in_folds"])) > 1:
        assert compared["score"] != rung["score"]


def test_the_page_says_how_far_the_rung_is_behind(study):
    """The difference of two kinds would be given for that of two numbers of columns."""
    rung = next(rung for rung in study.results_["ladder"] if rung["chosen"])
    text = (study.folder / "report.html").read_text()
    if rung["difference"] > 0:
        assert "behind the best number of columns" in text
        assert f"with a standard error of {rung['standard_error']:.4f}" in text
    assert "99% of the best" not in text
