"""The words of `task`: one place, and former words that still work."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

import tamis
from tamis.errors import ParameterError
from tamis.study.settings import Settings
from tamis.task import FORMER, TASKS, predicts_classes, predicts_numbers, read_task, task_named


def test_every_task_predicts_classes_or_numbers():
    """A task that is neither would be taken for the other of the two somewhere."""
    assert all(predicts_classes(task) != predicts_numbers(task) for task in TASKS)


@pytest.mark.parametrize(("former", "word"), FORMER.items())
def test_a_former_word_works_and_warns(former, word):
    """Scripts written for an earlier version would stop."""
    with pytest.warns(FutureWarning, match=f"task='{former}' is now called '{word}'"):
        assert task_named(former) == word
    with pytest.warns(FutureWarning, match="is now called"):
        assert Settings("y", task=former).to_dict() == Settings("y", task=word).to_dict()
    assert read_task(former) == word  # of a file, without a warning


def test_an_unknown_word_is_refused_with_the_known_ones():
    """A misspelt task would be decided by the data, unnoticed."""
    with pytest.raises(ParameterError, match=r"task='regresion' is not known.*regression"):
        task_named("regresion")
    with pytest.raises(ParameterError, match="task='x' is not known"):
        tamis.nested_score(DummyClassifier(), np.zeros((20, 1)), np.arange(20) % 2, task="x")


def test_a_folder_of_former_words_is_read(tmp_path):
    """Studies of an earlier version could no longer be loaded, or their report would take classes for numbers."""
    frame = pd.DataFrame({"a": np.sin(np.arange(60.0)), "y": np.repeat(["p", "q"], 30)})
    tamis.Study(frame, target="y", folder=tmp_path, task="classification", procedures=["stump"], lock=0).run()
    for name in ("results.json", "plan.json"):
        path = tmp_path / name
        stored = json.loads(path.read_text().replace('"classification"', '"classes"'))
        stored.pop("check", None)  # earlier versions wrote no checksum
        path.write_text(json.dumps(stored))
    study = tamis.load(tmp_path)
    assert study.settings.task == study.results_["answer"]["task"] == "classification"
