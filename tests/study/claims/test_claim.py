"""What a study claims and denies: rare classes, heavy tails, a model of no column."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from tests.study.tables import held_out

import tamis
from tamis.results.answer import Answer
from tamis.study.claims.association import Association
from tamis.study.claims.claim import ALPHA, FEW_ROWS_ALPHA, Claim, claim, level_of
from tamis.study.claims.methods import methods
from tamis.study.claims.sentences import answer

SIMPLE = {"procedures": ["stump", "lasso"], "black_box": False, "n_jobs": 1}


def _rare(seed, n, n_positive, shift):
    """Few positives, shifted in two of six columns; an AUC of Φ(shift)."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) < n_positive)
    x = rng.normal(size=(n, 6))
    x[y, :2] += shift
    return pd.DataFrame(x, columns=list("abcdef")).assign(y=np.where(y, "yes", "no"))


@pytest.mark.parametrize("seed", [0, 1])
def test_a_clear_ranking_of_rare_positives_is_captured(seed, tmp_path):
    """The Brier score of 3% positives hardly moves: signals with an AUC of 0.93 were denied in 3 tables of 8."""
    study = tamis.Study(_rare(seed, 500, 15, 1.3), target="y", folder=tmp_path / "s", **SIMPLE).run()
    found = study.results_["comparison"]
    assert found["loss"] == "log_loss"
    assert found["signal"] == "captured"
    assert "do not quote" not in study.answer_


def test_fewer_than_ten_of_a_class_are_not_quoted(tmp_path):
    """A bare 0.79 of six positives was 0.53 on fresh rows."""
    study = tamis.Study(_rare(0, 250, 8, 2.0), target="y", folder=tmp_path / "s", lock=0, **SIMPLE).run()
    assert study.results_["answer"]["signal"] == "captured"
    assert (
        "The area under the ROC curve on new rows cannot be bounded with 8 rows of class 'yes'; do not quote the "
        in study.answer_
    )
    assert "do not quote" in methods(study.results_, [])


def test_a_strong_linear_signal_in_few_rows_with_outliers_is_captured(tmp_path):
    """Squared errors of a lognormal target rest on a few rows, and the signal was called uncaptured."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(60, 5))
    y = np.exp(0.8 * (x[:, 0] + x[:, 1]) + 0.2 * rng.normal(size=60))
    frame = pd.DataFrame(x, columns=list("abcde")).assign(y=y)
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", n_jobs=1, black_box=False).run()
    assert study.results_["answer"]["signal"] == "captured"


class _ForFewRows(ClassifierMixin, BaseEstimator):
    """Learns from fewer than 100 rows, and is constant otherwise."""

    def fit(self, X, y):
        self.model_ = LogisticRegression(C=1.0 if len(y) < 100 else 1e-12).fit(X, y)
        self.classes_ = self.model_.classes_
        self.selected_columns_ = tuple(X.columns) if len(y) < 100 else ()
        return self

    def predict_proba(self, X):
        return self.model_.predict_proba(X)

    def predict(self, X):
        return self.model_.predict(X)


def test_a_model_of_no_column_captures_nothing(tmp_path):
    """'The tree uses 0 of 4 columns … a model that can be read costs nothing' was said in seven studies."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(110, 3))
    frame = pd.DataFrame(x, columns=list("abc")).assign(y=np.where(x[:, 0] + 0.7 * rng.normal(size=110) > 0, "p", "q"))
    options = {"lock": 0, "n_jobs": 1, "procedures": {"mine": _ForFewRows()}}
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", **options).run()
    found = study.results_["answer"]
    assert found["selected"] == []
    assert found["signal"] == "uncaptured"
    assert study.answer_.startswith("There is signal, but the model does not capture it: held-out rows show it")
    assert "black box" not in study.answer_
    assert "fitted to all rows uses no column" in (tmp_path / "s" / "report.html").read_text()


FACTS = {"contributions": {"a": 1.0}, "n_columns": 4, "metric": "accuracy", "score": 0.52, "interval": [0.4, 0.6]}
FACTS |= {"baseline": 0.54, "task": "classification", "signal": "captured", "procedure": "lasso", "tried": ["lasso"]}
FACTS |= {"interval_note": "", "accuracy": [0.52, 0.54]}
BOX = {
    "name": "forest",
    "score": 0.6,
    "quoted_score": 0.52,
    "cost": 0.08,
    "cost_interval": [0.0, 0.16],
    "p_value": 0.08,
}
BOX |= {"better": "neither"}


def test_probabilities_are_called_better_only_by_their_own_test():
    """'The probabilities are better than the shares of the classes' was said of noise."""
    assert "probabilities are better" in answer(Answer(**(FACTS | {"gain_p_value": 0.04})))
    assert "probabilities" not in answer(Answer(**(FACTS | {"gain_p_value": 0.06})))
    assert "The predicted class is not right more often." in answer(Answer(**(FACTS | {"gain_p_value": 0.06})))
    better = answer(Answer(**(FACTS | {"gain_p_value": 0.04, "pairs_ranked": 0.6})))
    assert "better than the shares of the classes, and cases are ranked rightly in 60 of 100 pairs" in better
    assert "Its predicted class is no better than guessing: right in 52 of 100 cases (95% interval 40–60)" in better
    ranked = answer(Answer(**(FACTS | {"gain_p_value": 0.29, "p_value": 0.032, "signal": "captured"})))
    assert "ranks cases better than chance (p = 0.032). Its predicted class is no better than guessing" in ranked


def test_what_only_the_looser_level_shows_is_called_possible(tmp_path):
    """'One column predicts y: f' was said where chance explains it, with p = 0.08 two sentences later."""
    rng = np.random.default_rng(7)
    noise = pd.DataFrame(rng.normal(size=(80, 8)), columns=list("abcdefgh"))
    frame = noise.assign(y=np.where(0.45 * noise["f"] + rng.normal(size=80) > 0, "p", "q"))
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", n_jobs=1).run()
    found = study.results_["answer"]
    assert 0.05 < found["p_value"] <= ALPHA
    assert found["signal"] == "uncaptured"
    assert found["tentative"]
    assert study.answer_.startswith("Two columns may predict y: f and b (a formula of 2 terms). With 80 rows this coul")
    assert "predicts" not in study.answer_
    assert "none at 0.05, so chance may explain what was seen" in methods(study.results_, [])
    assert "chance may explain this" in (tmp_path / "s" / "report.html").read_text()


def test_one_test_at_the_stricter_level_is_enough_to_claim():
    """A signal that a single procedure, a black box or columns alone show beyond chance would be called possible."""
    silent = Association(0.5, {"a": 0.5})
    weak = Claim("captured", 0.08, (1.0, 0.07), (0.2,))
    assert weak.hedged(silent).is_tentative
    assert weak.hedged(silent).signal == "uncaptured"
    assert Claim("captured", 0.04, (1.0, 0.07), (0.2,)).hedged(silent).signal == "captured"
    assert Claim("captured", 0.08, (1.0, 0.05), (0.2,)).hedged(silent).signal == "captured"
    assert Claim("captured", 0.08, (1.0, 0.07), (0.01,)).hedged(silent).signal == "captured"
    assert weak.hedged(Association(0.01, {"a": 0.01})).signal == "captured"
    assert Claim("uncaptured", 0.3, (1.0, 0.07)).hedged(silent).is_tentative
    assert not Claim("uncaptured", 0.3, (1.0, 0.03)).hedged(silent).is_tentative
    assert not Claim("none", 0.3, (1.0, 0.3)).hedged(silent).is_tentative


@pytest.mark.parametrize(
    ("facts", "first"),
    [
        (
            {"p_value": 0.3, "by_black_box_alone": True, "black_box": BOX},
            "A black box (a random forest) may predict y, no readable model does; with 60 rows this could be chance "
            "(p = 0.08). The model (the lasso) uses one column: a.",
        ),
        (
            {"p_value": 0.3, "shown_by": {"name": "tree", "p_value": 0.09}},
            "The columns may carry some information about y (the tree beats always guessing the majority, p = 0.09), "
            "but with 60 rows this could be chance. The model (the lasso) uses one column: a.",
        ),
    ],
)
def test_what_single_models_may_show_is_hedged(facts, first):
    """'There is signal' would be said where one test in ten of noise says as much."""
    tentative = {"signal": "uncaptured", "tentative": True, "alpha": ALPHA, "n_rows": 60, "target": "y"}
    said = answer(Answer(**(FACTS | tentative | {"readable": "glance", "loss": "brier"} | facts)))
    assert said.startswith(first)
    assert "reading" not in said


def test_a_better_order_of_rows_is_not_called_a_lower_loss(tmp_path):
    """One huge target, and the formula orders rows but loses no less than the mean: "it beats the mean" is false."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3))
    y = np.exp(1.5 * X[:, 0] + 0.3 * rng.normal(size=300))
    y[7] = 1e7
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=y)
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", lock=0, procedures=("formula",), n_jobs=1).run()
    rows = {row["name"]: row for row in study.results_["comparison"]["procedures"]}
    shown = study.results_["answer"]["shown_by"]
    assert rows["formula"]["loss"] > 0.999 * rows["baseline"]["loss"]
    assert shown["by_ranks"] and shown["p_value"] < 1e-4  # noqa: PT018
    assert "the formula ranks held-out rows better than chance" in study.answer_
    assert "beats" not in study.answer_


def test_a_bound_above_chance_is_not_denied():
    """'No procedure beats chance' would stand beside an AUC of 0.66 (0.54–0.77)."""
    none = Claim("none", 0.5, (1.0, 0.6))
    assert none.bounded("roc_auc", [0.54, 0.77]).by_bound_alone
    assert none.bounded("roc_auc", [0.49, 0.77]) == none
    assert none.bounded("accuracy", [0.54, 0.77]) == none
    ranked = FACTS | {"metric": "roc_auc", "signal": "uncaptured", "by_bound_alone": True, "score": 0.66}
    assert answer(Answer(**(ranked | {"interval": [0.54, 0.77]}))).startswith(
        "A sign of signal that is not captured: choosing a procedure in every fold has an area under the ROC curve of "
        "0.66 (95% interval 0.54–0.77), above chance"
    )
    best = {"name": "lasso", "score": 0.64, "interval": [0.51, 0.76]}
    denied = FACTS | {"metric": "roc_auc", "signal": "none", "procedure": "baseline", "above_chance": best}
    assert "the best of 1 often has as much by chance" in answer(Answer(**denied))


def test_few_rows_of_a_class_are_claimed_at_a_stricter_level():
    """Ranks of a dozen positives pass 0.1 in a tenth of tables of noise, all tests together."""
    assert level_of(Association(0.3, {"a": 0.3}, joint_p_value=0.2)) == FEW_ROWS_ALPHA
    assert level_of(Association(0.3, {"a": 0.3}, joint_p_value=0.02)) == ALPHA  # there is signal: is it captured?
    assert level_of(Association(0.3, {"a": 0.3})) == ALPHA
    rng = np.random.default_rng(0)
    base, own = held_out(np.ones(100)), held_out(0.85 + 0.5 * rng.normal(size=100))
    p = claim(base, [own], own).p_value
    assert FEW_ROWS_ALPHA < p <= ALPHA
    assert claim(base, [own], own).signal == "captured"
    assert claim(base, [own], own, alpha=FEW_ROWS_ALPHA).signal == "none"
