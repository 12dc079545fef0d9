"""Sentences of the answer: numbers that stand beside each other do not contradict each other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.results.answer import Answer
from tamis.study.claims.sentences import answer

FACTS = {"contributions": {"a": 0.6, "b": 0.4}, "n_columns": 4, "metric": "accuracy", "score": 0.8}
FACTS |= {
    "interval": [0.7, 0.9],
    "baseline": 0.33,
    "task": "classification",
    "signal": "captured",
    "procedure": "lasso",
}
FACTS |= {"tried": ["lasso"], "interval_note": "", "accuracy": [0.8, 0.33], "p_value": 1e-9, "gain_p_value": 1e-9}


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        ([1, 3], "always answering the majority is right in 33."),
        ([3, 3], "always answering one class is right in 33 on average."),
        ([2, 3], "always answering one of the 2 largest classes is right in 33 on average."),
    ],
)
def test_guessing_among_classes_of_about_one_size_is_a_mean(classes, words):
    """Of 59, 71 and 48 wines "always guessing the majority gives 0.33" beside a share of 0.40 that readers count."""
    assert words in answer(Answer(**(FACTS | {"largest_classes": classes})))


def test_a_baseline_that_is_kept_is_quoted_as_a_mean():
    """A denial would call the mean of two classes the score of the larger one."""
    said = answer(
        Answer(**(FACTS | {"signal": "none", "procedure": "baseline", "score": 0.5, "largest_classes": [2, 2]}))
    )
    assert said.endswith("Always answering one class is right in 50 of 100 cases on average.")


def test_the_mean_over_classes_is_said_of_three_nearly_equal_classes(tmp_path):
    """The count of classes would not reach the sentence."""
    rng = np.random.default_rng(0)
    y = np.repeat(["u", "v", "w"], [40, 36, 38])
    frame = pd.DataFrame(rng.normal(size=(114, 3)) + 2 * (y == "u")[:, None], columns=list("abc")).assign(y=y)
    options = {"procedures": ["stump", "lasso"], "black_box": False, "repeats": 1, "lock": 0, "n_jobs": 1}
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", **options).run()
    assert study.results_["answer"]["largest_classes"] == [3, 3]
    assert "always answering one class is right in 33 on average" in study.answer_
    assert "one class, on average" in (tmp_path / "s" / "report.html").read_text()


def test_columns_that_predict_the_target_come_first():
    """A reader would meet folds and shares before what was found."""
    facts = FACTS | {"target": "diagnosis", "kind": "a tree of 5 leaves", "majority": "benign", "baseline": 0.63}
    assert answer(Answer(**(facts | {"contributions": {"radius": 0.9, "texture": 0.1}}))).startswith(
        "Two columns predict diagnosis: radius and texture (a tree of 5 leaves). On new rows the model should be right "
        'in 80 of 100 cases (95% interval 70–90); always answering "benign" is right in 63.'
    )
    assert answer(Answer(**(facts | {"contributions": {"radius": 1.0}}))).startswith(
        "One column predicts diagnosis: radius (a tree"
    )
    many = {f"c{j:02d}": 1 / 13 for j in range(13)}
    assert answer(Answer(**(facts | {"contributions": many}))).startswith("13 columns predict diagnosis: c00, c01, ")
    assert "c07 and 5 more (a tree of 5 leaves)." in answer(Answer(**(facts | {"contributions": many})))


def test_an_interval_has_two_ends():
    """ "1.00 (95% interval 1.00–1.00)" says that no row will ever be wrong."""
    said = answer(Answer(**(FACTS | {"score": 0.9996, "interval": [0.9987, 1.0]})))
    assert "right in 100.0 of 100 cases (95% interval 99.9–100.0)" in said
    assert "80 of 100 cases (95% interval 70–90)" in answer(Answer(**FACTS))


def test_columns_that_repeat_each_other_are_not_called_chance_alone():
    """One of three indicators of a category adds nothing to the others, and is no chance."""
    assert "All are sure but b" not in answer(Answer(**(FACTS | {"supported": ["a"]})))
    one = "Well supported is a; in another sample, another column might take the place of the other."
    assert answer(Answer(**(FACTS | {"supported": ["a"]}))).endswith(one)
    none = "In another sample, another column might take the place of any of them."
    assert answer(Answer(**(FACTS | {"supported": []}))).endswith(none)


def test_signal_without_a_reliable_model_names_who_shows_it():
    """ "At least one procedure beats …" leaves the reader to search for it."""
    said = answer(
        Answer(**(FACTS | {"signal": "uncaptured", "shown_by": {"name": "forest", "p_value": 0.012}, "n_rows": 42}))
    )
    assert said.startswith(
        "The columns carry some information about the target (the forest beats always guessing the majority, p = "
        "0.012), but with 42 rows no choice of a model is reliable."
    )


def test_a_score_below_guessing_is_not_corrected_towards_it(tmp_path):
    """An accuracy of 0.73 beside a majority of 0.75 "may, corrected, be no better than guessing"."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(160, 3))
    y = np.where(rng.random(160) < 1 / (1 + np.exp(1.25 - 0.55 * x[:, 0])), "yes", "no")
    frame = pd.DataFrame(x, columns=list("abc")).assign(y=y)
    options = {"procedures": ["stump", "tree", "lasso", "forest"], "black_box": False, "n_jobs": 1, "lock": 0}
    study = tamis.Study(frame, target="y", folder=tmp_path, **options).run()
    found = study.results_["answer"]
    assert found["signal"] == "captured"
    assert found["score"] <= found["baseline"]
    assert found["corrected_score"] is None
    assert "Its predicted class is no better than guessing: right in 7" in study.answer_
    assert "rightly in" in study.answer_
    assert 'always answering "no"' in study.answer_
