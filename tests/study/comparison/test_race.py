"""The race inside training parts: what is decided early, and that it decides nothing wrongly."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tamis
from tamis.results.fold import FoldRecord, RaceEnd, UnitLosses
from tamis.study.comparison.race import Race, picked_inside, stages
from tamis.study.requested import chosen

QUICK = {"folds": 3, "inner": 3, "repeats": 1, "lock": 0, "black_box": False}


def _losses(values):
    return UnitLosses(np.asarray(values, dtype=float), np.ones(len(values), dtype=int))


def _record(losses, race=None):
    return FoldRecord(0.0, {}, losses, inner_losses=losses, race=race)


def _linear(n=360, seed=0):
    """A target that a linear model tells well, and a forest badly."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 6))
    y = np.where(x @ [1, -1, 1, -1, 1, -1] + 0.3 * rng.normal(size=n) > 0, "yes", "no")
    return pd.DataFrame(x, columns=list("abcdef")).assign(y=y)


def test_a_place_is_decided_by_the_rule_of_choice_and_a_margin():
    """A procedure would be stopped that could still win, or go on though it could not."""
    rng = np.random.default_rng(0)
    base, good = 1 + 0.1 * rng.random(100), 0.5 + 0.1 * rng.random(100)
    rivals = {0: {"baseline": _losses(base), "tree": _losses(good)}}
    race = Race("forest", ["baseline", "tree", "forest"], "balanced", rivals)
    worse, alike, better = (_losses(good + shift + 0.1 * rng.normal(size=100)) for shift in (0.1, 0.0, -0.1))
    assert race.is_out(0, worse, 2.0)
    assert not race.is_out(0, alike, 2.0)
    assert not race.has_won(0, alike, 2.0)
    assert race.has_won(0, better, 2.0)
    assert not race.is_out(0, better, 2.0)
    few = UnitLosses(worse.loss[:10], worse.rows[:10])
    assert not Race("forest", ["tree", "forest"], "balanced", {0: {"tree": _losses(good[:10])}}).is_out(0, few, 2.0)


def test_a_simpler_procedure_is_not_out_while_it_is_within_a_standard_error():
    """The rule takes the simplest within one standard error; a race for the least loss would leave it out."""
    rng = np.random.default_rng(1)
    rival, own = rng.random(50), rng.random(50)
    own += rival.mean() - own.mean() + 0.02  # worse by less than one standard error
    rivals = {0: {"baseline": _losses(np.full(50, 3.0)), "forest": _losses(rival)}}
    race = Race("stump", ["baseline", "stump", "forest"], "simplest", rivals)
    assert not race.is_out(0, _losses(own), 0.0)


def test_rows_of_a_unit_that_are_still_to_be_judged_do_not_count():
    """A procedure judged in one inner fold would be held against the losses of all rows, and always win."""
    full = UnitLosses(np.full(30, 4.0), np.full(30, 4))
    part = UnitLosses(np.full(30, 1.5), np.full(30, 1))  # a mean of 1.5 against 1
    base = UnitLosses(np.full(30, 20.0), np.full(30, 4))
    race = Race("knn", ["baseline", "tree", "knn"], "best", {0: {"baseline": base, "tree": full}})
    assert race.is_out(0, part, 2.0)


def test_those_that_are_out_are_not_picked_whatever_they_lost():
    """The losses of a few inner folds would be compared with those of all."""
    kept = {
        "baseline": [_record(_losses(np.ones(40)))],
        "tree": [_record(_losses(np.full(40, 0.5)))],
        "forest": [_record(_losses(np.full(40, 0.1)), RaceEnd("out", "inner folds", 1, 3))],
    }
    assert picked_inside("best", list(kept), kept, 0) == 1


def test_a_procedure_that_judged_some_rows_of_every_unit_is_compared_by_its_mean_loss():
    """A forest that looks at some of many rows would be compared on the few units of which it has all rows, or none."""
    kept = {
        "baseline": [_record(UnitLosses(np.full(40, 6.0), np.full(40, 6)))],
        "tree": [_record(UnitLosses(np.full(40, 3.0), np.full(40, 6)))],
        "forest": [_record(UnitLosses(np.full(40, 0.4), np.full(40, 1)))],  # 0.4 a row against 0.5
    }
    assert picked_inside("best", list(kept), kept, 0) == 2
    kept["forest"][0].inner_losses.loss = np.full(40, 0.6)
    assert picked_inside("best", list(kept), kept, 0) == 1


def test_cheap_procedures_start_first_and_those_of_the_user_last():
    """The order of the race would follow from something else than the list."""
    mine = make_pipeline(StandardScaler(), LogisticRegression())
    names = [[one.name for one in stage] for stage in stages(chosen({"mine": mine, "forest": None, "tree": None}))]
    assert names == [["baseline", "tree"], ["forest"], ["mine"]]


def test_a_forest_that_cannot_win_is_not_fitted_in_inner_folds(tmp_path):
    """Fits would be spent on what cannot be picked; or it would vanish from the comparison."""
    named = {"procedures": ["stump", "tree", "lasso", "forest"]}
    study = tamis.Study(_linear(), target="y", folder=tmp_path / "s", **named, **QUICK).run()
    rows = {row["name"]: row for row in study.results_["comparison"]["procedures"]}
    assert rows["forest"]["race"] == {"eliminated": 3, "won": 0, "fits_saved": 9}
    assert rows["lasso"]["race"] == {"eliminated": 0, "won": 0, "fits_saved": 0}
    assert len(rows["forest"]["scores"]) == 3  # it is judged outside all the same
    assert "forest" not in study.results_["comparison"]["chosen_in_folds"]
    journal = [json.loads(line) for line in (tmp_path / "s" / "journal.jsonl").read_text().splitlines()]
    ends = [entry["result"]["race"] for entry in journal if str(entry.get("task", "")).endswith("forest")][:3]
    assert [end["verdict"] for end in ends] == ["out"] * 3


def test_a_forest_that_wins_by_far_is_not_fitted_in_inner_folds(tmp_path):
    """A race that is decided would be run to its end."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    y = np.where((x[:, 0] * x[:, 1] > 0) ^ (rng.random(300) < 0.05), "yes", "no")
    frame = pd.DataFrame(x, columns=list("abc")).assign(y=y)
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", procedures="stump,lasso,forest", **QUICK).run()
    row = study.results_["comparison"]["procedures"][-1]
    assert row["race"]["won"] == 3
    assert study.results_["comparison"]["chosen_in_folds"] == ["forest"] * 3
    grouped = tamis.Study(
        frame.assign(g=np.arange(300) // 3),
        target="y",
        folder=tmp_path / "g",
        groups="g",
        procedures="lasso,forest",
        **QUICK,
    ).run()
    assert grouped.results_["comparison"]["procedures"][-1]["race"]["won"] == 0  # rows of a group are alike
