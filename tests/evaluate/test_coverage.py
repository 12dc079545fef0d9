"""Coverage of the intervals over simulated tables: the settings of the table in docs/reference/evaluation.md.

Covered is the score of the refitted model on 100,000 fresh rows. The 500 tables of the documentation take a quarter of
an hour (benchmarks/evaluate/coverage.py); here a part of the settings is run on 200, whose share has a standard error
of 0.02 at 0.9: a share below 0.86 is no chance.
"""

import runpy
from pathlib import Path

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from tamis.evaluate import nested_score

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "evaluate" / "coverage.py"
TABLES = 200

#: Setting and rows, with the metrics that must be covered.
COVERED = {
    ("accuracy 0.97", 30): ("accuracy", "balanced_accuracy", "roc_auc"),
    ("discriminant", 100): ("accuracy", "balanced_accuracy", "roc_auc"),
    ("best 5 of 50", 100): ("accuracy", "balanced_accuracy", "roc_auc"),
    ("tree of depth 3", 30): ("accuracy", "balanced_accuracy", "roc_auc"),
    ("90/10", 100): ("accuracy", "balanced_accuracy", "roc_auc"),
    ("90/10", 300): ("accuracy", "balanced_accuracy", "roc_auc", "average_precision", "f1", "matthews"),
    ("least squares", 30): ("mse", "r2", "mae"),
    ("5% outliers, 5 times", 100): ("mse", "r2", "mae"),
    ("5% outliers, 5 times", 300): ("mse", "r2", "mae"),
    ("groups of 10", 200): ("accuracy", "balanced_accuracy", "roc_auc", "mse", "r2"),
}


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(SCRIPT))


@pytest.mark.nightly
@pytest.mark.parametrize("which", list(COVERED), ids=lambda which: f"{which[0]}, {which[1]} rows")
def test_intervals_hold_the_true_score_as_often_as_they_say(script, which):
    """An interval that misses the truth more often than it admits is the very thing this package is against."""
    name, n = which
    for setting in script["SETTINGS"][name]:
        if setting.n != n:
            continue
        for metric, found in script["coverage"](setting, TABLES).items():
            if metric in COVERED[which]:
                assert found["held"] >= 0.86, (metric, found)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["constant", "perfect"])
def test_answers_that_do_not_vary_are_always_inside(script, name):
    """Where every fold answers alike, only the rows say how sure it is; they must say it."""
    for setting in script["SETTINGS"][name]:
        for metric, found in script["coverage"](setting, 100).items():
            assert found["held"] >= 0.93, (metric, found)
            assert found["width"] > 1 / setting.n


def test_the_settings_of_the_table_run(script):
    """The script of the documentation must give what nested_score gives, and not rot between two nights."""
    setting = script["SETTINGS"]["90/10"][1]
    X, y, groups = setting.make(np.random.default_rng(0), setting.n)
    found = script["intervals"](setting, X, y, groups, 0)
    result = nested_score(LinearDiscriminantAnalysis(), X, y, scoring="balanced_accuracy")
    assert tuple(found["balanced_accuracy"]) == pytest.approx(tuple(result.interval), abs=1e-12)
    assert found["brier"].low < found["brier"].high
    assert set(found) == set(setting.metrics)
