"""R² of a study: pooled over the held-out rows of a repeat, about the means of the training rows."""

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis import nested_score
from tamis.linear import LinearRegressor
from tamis.metrics import METRICS
from tamis.results.fold import FoldRecord, UnitLosses
from tamis.study.results import _so_far


def _table(n, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    frame["y"] = 2 * frame["a"] + frame["b"] + rng.normal(size=n)
    return frame


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("r2")
    return tamis.Study(_table(30), target="y", folder=folder, lock=0, procedures=["lasso"], n_jobs=1).run()


def test_the_headline_is_pooled_over_rows_not_averaged_over_folds(study):
    """30 rows: the mean of five-row R²s is far below what new rows give, and depends on the luck of the folds."""
    results, kept = study.results_, study.results_["predictions"]
    lasso = next(row for row in results["comparison"]["procedures"] if row["name"] == "lasso")
    baseline = next(row for row in results["comparison"]["procedures"] if row["name"] == "baseline")
    truth = np.array(kept["truth"])
    squares = [np.sum((truth - np.array(answers)) ** 2) for answers in kept["by_repeat"]]
    # the baseline's answers are the means of the training rows: its mean loss is the spread that R² is about
    spread = baseline["loss"] * len(truth)
    assert lasso["score"] == pytest.approx(1 - np.mean(squares) / spread, abs=0.01)
    assert lasso["score"] == pytest.approx(np.mean(lasso["scores"]))
    assert lasso["score"] == pytest.approx(lasso["gain"], abs=0.01)
    assert lasso["metrics"]["r2"] == lasso["score"]


def test_guessing_the_mean_scores_nothing(study):
    """ "Always guessing the mean gives −0.49" would make a poor model look good."""
    baseline = study.results_["comparison"]["procedures"][0]
    assert baseline["score"] == pytest.approx(0, abs=1e-12)
    assert baseline["interval"][0] <= 0 <= baseline["interval"][1]
    assert study.results_["answer"]["baseline"] == baseline["score"]


def test_one_sentence_quotes_one_number_for_the_way_of_working(study):
    """−0.21 and, "in the first 5 of these 15 folds", 0.550 of the same procedure cannot both be believed."""
    found = study.results_["answer"]
    assert found["black_box"]["folds"] == len(study.results_["folds"]) == 15
    assert found["black_box"]["quoted_score"] == pytest.approx(found["score"], abs=1e-12)


@pytest.mark.parametrize("n", [12, 25, 42])
def test_the_score_lies_within_its_interval(n, tmp_path):
    """A point on an end of its own interval says that the interval belongs to something else."""
    for seed in range(3):
        result = nested_score(LinearRegressor(cv=3), *_xy(n, seed), outer=4, repeats=2)
        assert result.interval.low < result.mean < result.interval.high
        assert result.interval.high <= 1


def test_folds_that_are_finished_are_pooled_too():
    """A run that was stopped would show the R²s of single folds, averaged."""

    def fold(loss):
        return FoldRecord(-3.0, {}, UnitLosses(loss, [1, 1])).to_dict()

    done = {
        "repeat 1 fold 1 baseline": fold([4.0, 4.0]),
        "repeat 1 fold 1 lasso": fold([1.0, 1.0]),
        "repeat 1 fold 2 baseline": fold([1.0, 1.0]),
        "repeat 1 fold 2 lasso": fold([1.0, 2.0]),
        "repeat 1 fold 3 lasso": fold([9.0, 9.0]),  # its baseline is not finished
        "leaks": [],
    }
    assert _so_far(METRICS["r2"], done) == [
        {"name": "baseline", "folds": 2, "score": 0.0},
        {"name": "lasso", "folds": 2, "score": 0.5},
    ]
    assert _so_far(METRICS["mae"], done)[1] == {"name": "lasso", "folds": 3, "score": -3.0}


def test_too_few_rows_bound_nothing():
    """An interval from nine rows would be a guess in the shape of a measurement."""
    result = nested_score(LinearRegressor(cv=3), *_xy(9, 0), outer=3)
    assert np.isnan(result.interval.low)
    assert result.interval.note == "cannot be bounded by 9 rows"


def _xy(n, seed):
    frame = _table(n, seed)
    return frame[list("abcd")], frame["y"]


def test_a_fold_of_one_row_counts_like_any_other():
    """Leave-one-out folds have no R² of their own; pooled they have one, and its interval."""
    X, y = _xy(20, 1)
    each = nested_score(LinearRegressor(penalty=None), X, y, outer="loo")
    some = nested_score(LinearRegressor(penalty=None), X, y, outer=10)
    assert each.mean == pytest.approx(some.mean, abs=0.1)
    assert each.mean in each.interval
