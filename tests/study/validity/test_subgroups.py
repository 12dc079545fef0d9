"""Subgroups: a planted difference is named, noise is not, and small groups are silent."""

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.errors import ParameterError
from tamis.study.validity.subgroups import holm

FAST = {"folds": 5, "repeats": 1, "black_box": False, "lock": 0, "procedures": ["lasso"]}


def _table(seed: int, differs: bool, n: int = 600) -> pd.DataFrame:
    """Classes by one number; where `differs`, the number means nothing for women."""
    rng = np.random.default_rng(seed)
    x, sex = rng.normal(size=n), rng.choice(["f", "m"], size=n)
    site = rng.choice(["north", "south", "east"], size=n)
    strength = np.where((sex == "f") & differs, 0.0, 2.5)
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-strength * x)), "ill", "well")
    return pd.DataFrame({"x": x, "sex": sex, "site": site, "y": y})


def test_a_group_for_which_the_model_fails_is_named(tmp_path):
    """A model that is worthless for half of the patients would be quoted by its mean."""
    study = tamis.Study(_table(0, True), target="y", folder=tmp_path / "s", subgroups=["sex"], **FAST).run()
    facts = study.results_["validity"]["subgroups"]
    assert [(one["column"], one["level"]) for one in facts["records"]] == [("sex", "f"), ("sex", "m")]
    women, men = facts["records"]
    assert women["rows"] + men["rows"] == 600
    assert "score" in women["differs"]
    assert women["interval"][0] < 0.6 < men["interval"][0]
    assert any("sex = f" in sentence for sentence in study.results_["validity"]["words"])


def test_groups_that_do_not_differ_are_hardly_ever_named(tmp_path):
    """With five subgroups and two comparisons of each, some difference would be named in four of ten tables."""
    named = 0
    for seed in range(12):
        folder = tmp_path / str(seed)
        study = tamis.Study(_table(seed + 1, False, 300), target="y", folder=folder, **FAST).run()
        records = study.results_["validity"]["subgroups"]["records"]
        assert {one["column"] for one in records} == {"sex", "site"}
        named += any(one["differs"] for one in records)
    assert named <= 3


def test_small_groups_are_silent_and_a_wrong_name_is_refused(tmp_path):
    """A score of eight rows would be read as a finding; a misspelt column would be judged as none."""
    frame = _table(2, False, 300)
    frame.loc[:7, "site"] = "west"
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", subgroups="site", **FAST).run()
    assert "west" not in [one["level"] for one in study.results_["validity"]["subgroups"]["records"]]
    with pytest.raises(ParameterError, match="subgroups names 'ste', which is no column of the table"):
        tamis.Study(frame, target="y", folder=tmp_path / "t", subgroups=["ste"], **FAST).run()


def test_other_subgroups_need_no_new_run(tmp_path):
    """Another column to look at would cost the whole study again."""
    frame = _table(3, False, 200)
    first = tamis.Study(frame, target="y", folder=tmp_path / "s", **FAST).run()
    again = tamis.Study(frame, target="y", folder=tmp_path / "s", subgroups=["x"], **FAST).run()
    assert again.score_ == first.score_
    levels = [one["level"] for one in again.results_["validity"]["subgroups"]["records"]]
    assert len(levels) == 3
    assert levels[0].startswith("up to ")


def test_holm_is_the_textbook_adjustment():
    """Unadjusted p-values would name a subgroup in every tenth honest study."""
    adjusted = holm([0.01, 0.04, 0.03, None])
    assert adjusted[:3] == pytest.approx([0.03, 0.06, 0.06])
    assert adjusted[3] is None
