"""Of two classes the one that is looked for comes last: sensitivity, curves and thresholds are about it."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis.errors import ParameterError

SMALL = {"procedures": ["tree"], "folds": 3, "repeats": 1, "black_box": False}


def table(words, share=0.3, n=150):
    """The first word for the share of rows in which a column is small."""
    x = np.random.default_rng(1).random(n)
    return {"x": x, "other": x**2 + 1, "y": np.where(x < share, words[0], words[1])}


@pytest.mark.parametrize(
    ("words", "share", "meant"),
    [
        (("disease", "no disease"), 0.3, "disease"),
        (("default", "paid"), 0.7, "default"),
        (("ja", "nein"), 0.8, "ja"),
        (("bad", "good"), 0.3, "bad"),
        (("poor", "rich"), 0.3, "poor"),
        (("poor", "rich"), 0.7, "rich"),
        (("Yes", "No"), 0.7, "Yes"),
    ],
)
def test_the_class_that_is_looked_for(words, share, meant, tmp_path):
    """The last of the alphabet: "A missed no disease costs as much as a false alarm"."""
    study = tamis.Study(table(words, share), target="y", folder=tmp_path / "s", **SMALL).run()
    assert study.results_["data"]["classes"][1]["label"] == meant
    assert study.model_.labels[1] == meant
    page = (tmp_path / "s" / "report.html").read_text()
    assert f'Predict <bdi class="name">{meant}</bdi> from a probability' in page


def test_the_user_names_the_class_and_probabilities_follow(tmp_path):
    """A bank that looks for those who pay could not say so; scikit-learn's order of columns must stay sorted."""
    rows = table(("default", "paid"))
    study = tamis.Study(rows, target="y", positive="paid", folder=tmp_path / "s", **SMALL).run()
    assert study.model_.labels == ("default", "paid")
    assert json.loads((tmp_path / "s" / "plan.json").read_text())["settings"]["positive"] == "paid"
    assert tamis.load(tmp_path / "s").open(rows)["rows"] == 30
    X = pd.DataFrame({"x": rows["x"], "other": rows["other"]})
    fitted = tamis.Study(lock=0, **SMALL).fit(X, rows["y"])
    assert fitted.classes_.tolist() == ["default", "paid"]
    assert (fitted.predict_proba(X)[:, 0] > 0.5).tolist() == (fitted.predict(X) == "default").tolist()


def test_a_class_that_is_none_is_named(tmp_path):
    """A slip would silently mean the other class."""
    with pytest.raises(ParameterError, match=r"positive='Default2' is no class of 'y' \(did you mean 'default'"):
        tamis.Study(table(("default", "paid")), target="y", positive="Default2", folder=tmp_path / "s").run()
    rows = table(("a", "b")) | {"y": np.random.default_rng(0).normal(size=150)}
    with pytest.raises(ParameterError, match="is for a target of two classes, but 'y' has numbers"):
        tamis.Study(rows, target="y", positive="a", folder=tmp_path / "s").run()
