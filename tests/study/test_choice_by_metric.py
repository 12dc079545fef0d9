"""The quoted metric decides among procedures that the proper loss cannot tell apart, in the folds as outside."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

import tamis
from tamis.study.choose import choose

ROWS = np.ones(200)


def _losses(level, seed, spread=0.1):
    noise = np.random.default_rng(seed).normal(size=200)
    return level + spread * (noise - noise.mean())


def test_it_decides_only_where_the_loss_does_not_and_beyond_chance():
    """The model chosen would be worse, by the very metric that is quoted, than another in the same table."""
    noise = _losses(0, 0)
    losses = [_losses(0.25, 1), 0.1 + noise, 0.099 + noise + _losses(0, 2)]
    better, worse = _losses(0.15, 3), _losses(0.25, 4)
    assert choose(losses, ROWS, "simplest") == 1
    assert choose(losses, ROWS, "simplest", [worse, worse, better]) == 2  # better by the metric, equal by the loss
    assert choose(losses, ROWS, "simplest", [worse, better, worse]) == 1  # both agree
    hardly = worse - 0.002 + _losses(0, 5, 0.02)
    assert choose(losses, ROWS, "simplest", [worse, worse, hardly]) == 1  # no more than chance
    losses[2] = losses[1] + 0.1 + _losses(0, 6, 0.01)
    assert choose(losses, ROWS, "simplest", [worse, worse, better]) == 1  # the loss tells them apart


def test_several_that_do_as_well_leave_the_simplest():
    """A less readable model would be taken for no more of the metric."""
    noise = _losses(0, 0)
    losses = [_losses(0.5, 1), 0.1 + noise, 0.1 + noise + _losses(0, 2), 0.1 + noise + _losses(0, 3)]
    good = _losses(0.1, 4)
    quoted = [_losses(0.5, 5), _losses(0.3, 6), good, good - 1e-4 + _losses(0, 7, 0.01)]
    assert choose(losses, ROWS, "best", quoted) in (2, 3)
    assert choose(losses, ROWS, "simplest", quoted) == 2


class _Ranker(ClassifierMixin, BaseEstimator):
    """Probabilities from one column, in two steps (`coarse`), or fine and too large: their Brier scores are alike."""

    def __init__(self, coarse=True):
        self.coarse = coarse

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        x = np.asarray(X, dtype=float)[:, 0]
        p = 1 / (1 + np.exp(-1.3 * x + 2.6))
        p = np.where(x > 1.6, 0.5, 0.085) if self.coarse else np.minimum(2 * p, 0.99)
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def test_a_study_quotes_the_better_ranking_and_says_why(tmp_path):
    """AUC 0.789 would be delivered beside a model of 0.839 that loses no more."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(700, 2))
    y = rng.random(700) < 1 / (1 + np.exp(-1.3 * x[:, 0] + 2.6))
    frame = pd.DataFrame(x, columns=["a", "b"]).assign(y=np.where(y, "yes", "no"))
    made = {"steps": _Ranker(True), "fine": _Ranker(False)}
    study = tamis.Study(
        frame, target="y", folder=tmp_path, lock=0, procedures=made, scoring="roc_auc", repeats=1, n_jobs=1
    ).run()
    compared = study.results_["comparison"]
    rows = {row["name"]: row for row in compared["procedures"]}
    assert rows["fine"]["score"] > rows["steps"]["score"] + 0.05
    assert compared["chosen"] == "fine"
    assert set(compared["chosen_in_folds"]) == {"fine"}
    assert abs(rows["fine"]["loss"] - rows["steps"]["loss"]) < 2 * max(row["standard_error"] for row in rows.values())
    assert compared["by_metric"]
    assert "better by the quoted metric beyond chance, so it is chosen" in (tmp_path / "report.html").read_text()
