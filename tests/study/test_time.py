"""A study in time order works on small tables, or says what is wrong with the time."""

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.errors import TableError


def frame(n, per_day, classes):
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    y = np.where(x + rng.normal(size=n) > 0.5, "u", "v") if classes else x
    return pd.DataFrame({"x": x, "z": rng.normal(size=n), "day": np.arange(n) // per_day, "y": y})


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize(("n", "per_day"), [(30, 1), (60, 1), (45, 15), (200, 30)])
def test_few_times_give_fewer_folds_and_no_crash(n, per_day, classes, tmp_path):
    """A stretch of few rows, or of one time only, ended in IndexError or in advice about a cv nobody gave."""
    data = frame(n, per_day, classes)
    study = tamis.Study(
        data, target="y", time="day", folder=tmp_path / "s", procedures=("stump", "lasso"), n_jobs=1
    ).run()
    assert np.isfinite(study.score_)


def test_too_few_times_are_told_as_such(tmp_path):
    """The sentence is about the time, not about folds the user never gave."""
    with pytest.raises(TableError, match="2 different times, too few"):
        tamis.Study(frame(40, 20, True), target="y", time="day", folder=tmp_path / "s").run()
