"""One column that carries the whole score is asked about; a column that is merely good is not."""

import numpy as np
import pandas as pd
import pytest

import tamis

FAST = {"n_jobs": 1, "black_box": False, "procedures": ["tree", "lasso"], "folds": 3, "repeats": 1, "lock": 0.0}


def stays(rng, n=300):
    """Patients whose discharge status was written down after the outcome, in all but a few cases."""
    frame = pd.DataFrame(rng.normal(size=(n, 4)), columns=["age", "bmi", "crp", "pulse"])
    died = frame["age"] + rng.normal(size=n) > 0.8
    status = np.where(died ^ (rng.random(n) < 0.02), "deceased", rng.choice(["home", "transfer"], n))
    return frame.assign(status=status, died=np.where(died, "yes", "no"))


def test_the_answer_asks_about_a_column_that_was_written_afterwards(tmp_path):
    """A status that is known only with the outcome would be quoted as the best predictor."""
    study = tamis.Study(stays(np.random.default_rng(0)), target="died", folder=tmp_path, **FAST).run()
    answer = study.results_["answer"]
    assert answer["dominant"]["column"] == "status"
    assert answer["dominant"]["score"] > 0.95
    assert answer["words"].startswith("status alone reaches an accuracy of 0.9")
    assert "Was it known beforehand?" in answer["words"]
    assert study.results_["leaks"][0]["kind"] == "dominant"
    assert answer["quotable"] is True  # a question, not an accusation


def test_a_number_written_afterwards_is_asked_about(tmp_path):
    """For numbers, the share of the squared error counts."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 4)), columns=list("abcd"))
    frame["cost"] = frame.sum(axis=1) + rng.normal(size=300)
    frame["invoice"] = frame["cost"] ** 3 + 0.05 * rng.normal(size=300)
    study = tamis.Study(frame, target="cost", folder=tmp_path, **FAST).run()
    assert study.results_["answer"]["dominant"]["column"] == "invoice"


@pytest.mark.parametrize("strength", [0.8, 3.0])
def test_a_column_that_is_merely_good_is_not_asked_about(strength, tmp_path):
    """A question about every good column would not be read; two columns share the work here."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(300, 5)), columns=list("abcde"))
    frame["y"] = np.where(strength * (2 * frame["a"] + frame["b"]) + rng.normal(size=300) > 0, "yes", "no")
    study = tamis.Study(frame, target="y", folder=tmp_path, **FAST).run()
    assert study.results_["answer"]["dominant"] is None
    assert "beforehand" not in study.results_["answer"]["words"]


def test_a_strong_column_that_was_surely_known_is_not_asked_about(tmp_path):
    """The weight of a car alone explains 85% of its price: the question would be asked of every such table."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(300, 5)), columns=list("abcde"))
    frame["price"] = frame["a"] + 0.42 * rng.normal(size=300)
    study = tamis.Study(frame, target="price", folder=tmp_path, **FAST).run()
    assert study.results_["answer"]["score"] > 0.75
    assert study.results_["answer"]["dominant"] is None


def test_a_column_that_a_stop_asks_about_is_asked_about_once(tmp_path):
    """The answer of a column that equals the target would ask the same question twice in two sentences."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    frame["y"] = np.where(frame["a"] > 0, "p", "n")
    words = tamis.Study(frame, target="y", folder=tmp_path, **FAST).run().results_["answer"]["words"]
    assert words.startswith("Do not quote this score: column 'a' alone")
    assert words.count("known be") == 1
