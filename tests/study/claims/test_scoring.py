"""Which metric is quoted, and what guessing gets."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn.metrics import balanced_accuracy_score, recall_score

import tamis
from tamis.metrics import METRICS
from tamis.results.answer import Answer
from tamis.study.claims.claim import ALPHA
from tamis.study.claims.scoring import headline, majority_share
from tamis.study.claims.sentences import answer
from tamis.study.results import _corrected_score


@pytest.mark.parametrize(
    ("counts", "metric"),
    [
        ((50, 50), "accuracy"),
        ((75, 25), "accuracy"),
        ((90, 10), "roc_auc"),
        ((46, 30, 12), "balanced_accuracy"),
        ((46, 30, 8), "accuracy"),  # the recall of 8 rows cannot be bounded: a score that is not to be quoted
        ((50, 50, 50), "accuracy"),
        ((40, 30, 20), "accuracy"),
        ((900, 60, 40), "balanced_accuracy"),
        ((46, 30, 3), "accuracy"),  # fewer rows than folds: what a mean of recalls would rest on is chance
    ],
)
def test_the_headline_of_classes_by_their_sizes(counts, metric):
    """A class that is never predicted would cost the headline nothing."""
    assert headline("classification", np.repeat(np.arange(len(counts)), counts), len(counts), 5) == metric


@pytest.mark.parametrize("counts", [(54, 46), (540, 460), (10, 9), (30, 29, 28), (60, 20, 20), (40, 38, 5)])
def test_a_majority_that_may_be_chance_is_no_majority(counts):
    """Always guessing the majority of 50/50 classes would be said to be right in 54 of 100."""
    largest = max(counts)
    alike = [n for n in counts if binomtest(largest, largest + n).pvalue > 0.05]
    expected = np.mean(alike) / sum(counts) if len(alike) > 1 else None
    assert majority_share(np.array(counts)) == pytest.approx(expected)


def test_the_answer_of_balanced_classes_says_a_half(tmp_path):
    """The baseline of the answer, the table and the report is what a guess gets on new rows."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(100, 3)), columns=list("abc"))
    frame["y"] = np.where(np.arange(100) < 54, "p", "q")
    results = tamis.Study(frame, target="y", folder=tmp_path, lock=0, procedures=["lasso"], n_jobs=1).run().results_
    baseline = results["comparison"]["procedures"][0]
    assert results["answer"]["baseline"] == baseline["score"] == baseline["metrics"]["accuracy"] == 0.5
    assert baseline["interval"][0] <= 0.5 <= baseline["interval"][1]


def test_a_class_that_is_never_recognised_stands_beside_the_headline(tmp_path):
    """Accuracy 0.81 above a class of which no row is recognised would be found 16,000 pixels down, if at all."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [92, 60, 16])
    x = np.where(y == 0, -2.0, np.where(y == 1, 2.0, rng.choice([-2.0, 2.0], len(y)))) + rng.normal(size=len(y))
    frame = pd.DataFrame({"x": x, "z": rng.normal(size=len(y)), "y": np.array(["a", "b", "c"])[y]})
    results = tamis.Study(frame, target="y", folder=tmp_path, lock=0, procedures=["lasso"], n_jobs=1).run().results_
    found, kept = results["answer"], results["predictions"]
    assert found["metric"] == "balanced_accuracy"
    truth = np.array(kept["truth"])
    predicted = [np.array(answers).argmax(axis=1) for answers in kept["by_repeat"]]
    recalls = np.mean([recall_score(truth, one, average=None, zero_division=0) for one in predicted], axis=0)
    if found["procedure"] != "baseline" and set(results["comparison"]["chosen_in_folds"]) == {found["procedure"]}:
        assert [row["recall"] for row in found["recalls"]] == pytest.approx(recalls)
        assert found["score"] == pytest.approx(np.mean([balanced_accuracy_score(truth, one) for one in predicted]))
    assert found["score"] == pytest.approx(np.mean([row["recall"] for row in found["recalls"]]))
    assert f'It recognises {100 * found["recalls"][0]["recall"]:.0f}% of "a", ' in found["words"]
    assert found["recalls"][2]["recall"] < 0.5
    assert found["baseline"] == pytest.approx(1 / 3)


def test_recalls_stand_beside_a_score_that_is_not_to_be_quoted():
    """Eight rows of a class bound nothing; that none of them is recognised is known all the same."""
    facts = {
        "contributions": {"x": 1.0},
        "n_columns": 2,
        "task": "classification",
        "metric": "balanced_accuracy",
        "score": 0.6,
    }
    facts |= {"signal": "captured", "procedure": "lasso", "tried": ["lasso"], "interval": None, "baseline": 1 / 3}
    facts["interval_note"] = "cannot be bounded with 8 rows of class 'c'; do not quote"
    facts["recalls"] = [{"label": label, "recall": r, "rows": 9} for label, r in (("a", 0.9), ("b", 0.9), ("c", 0.0))]
    said = answer(Answer(**facts))
    assert "do not quote the 0.60 measured here." in said
    assert said.endswith('It recognises 90% of "a", 90% of "b" and 0% of "c".')


@pytest.mark.parametrize(
    ("p_value", "interval", "score", "expected"),
    [
        (0.03, [0.52, 0.7], 0.62, "Corrected for that, expect 58 of 100."),
        (0.08, [0.46, 0.7], 0.56, "Corrected for that, the model may be no better than guessing."),
        (0.001, [0.3, 0.7], 0.62, None),  # wide, but clear
        (0.03, [0.88, 0.99], 0.97, None),  # luck is a small part of so large a gain
    ],
)
def test_a_weak_claim_is_corrected_and_a_clear_one_is_not(p_value, interval, score, expected):
    """Of weak signals only the lucky ones are claimed: 0.648 would be quoted where new rows give 0.595."""
    facts = {
        "contributions": {"x": 1.0},
        "n_columns": 2,
        "task": "classification",
        "metric": "accuracy",
        "score": score,
    }
    facts |= {"signal": "captured", "procedure": "lasso", "tried": ["lasso"], "interval": interval, "baseline": 0.5}
    facts |= {"interval_note": "", "chosen_by": "rule", "p_value": p_value}
    facts["corrected_score"] = _corrected_score(Answer(**facts), METRICS["accuracy"], 1.0, ALPHA)
    assert (expected is None) == (facts["corrected_score"] is None)
    assert expected is None or answer(Answer(**facts)).endswith(expected)
    assert expected is not None or "evidence is weak" not in answer(Answer(**facts))
