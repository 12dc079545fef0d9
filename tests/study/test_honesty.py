"""The rule above all: what is fitted does not depend on the rows it is judged on."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import tamis
from tamis.study.procedures import all_procedures
from tamis.study.requested import chosen
from tamis.table import Table

HELD_OUT = np.arange(100, 150)


def _table(task: str, garbage: bool = False) -> tuple[pd.DataFrame, np.ndarray]:
    """A mixed table with missing values; with `garbage`, held-out rows hold rubbish in every column and the target."""
    rng = np.random.default_rng(0)
    n = 150
    x = rng.normal(size=(n, 3))
    x[rng.random((n, 3)) < 0.05] = np.nan
    word = rng.choice(["a", "b", "c"], size=n).astype(object)
    signal = np.nan_to_num(x[:, 0]) + (word == "a") + 0.3 * rng.normal(size=n)
    y = signal if task == "regression" else (signal > 0.4).astype(int)
    if garbage:
        x[HELD_OUT] = 1e6 * rng.normal(size=(len(HELD_OUT), 3))
        x[HELD_OUT[::2], 1] = np.nan
        word[HELD_OUT] = [f"rubbish {i}" for i in HELD_OUT]
        y[HELD_OUT] = 1e6 if task == "regression" else 1 - y[HELD_OUT]
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "word": word}), y


COMPARED = [one for one in all_procedures().values() if one.compared == "best" or one.name == "baseline"]


@pytest.mark.parametrize("as_table", [False, True], ids=["frame", "table"])
@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("procedure", COMPARED, ids=lambda procedure: procedure.name)
def test_garbage_in_held_out_rows_changes_no_bit_of_what_is_fitted(procedure, task, as_table):
    """If held-out rows can change the model, every score of it is a lie."""
    fitted = []
    for garbage in (False, True):
        X, y = _table(task, garbage)
        found = tamis.nested_score(
            procedure.make(task),
            Table.of(X) if as_table else X,
            y,
            outer=[(np.arange(100), HELD_OUT)],
            scoring="accuracy" if task == "classification" else "r2",
            keep_models=True,
        )
        fitted.append(json.dumps(found.models[0].to_dict()))
    assert fitted[0] == fitted[1]
    assert "rubbish" not in fitted[0]


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_a_study_and_nested_score_give_the_same_numbers(task, tmp_path):
    """If this fails, there are two ways of judging, and one of them is wrong."""
    X, y = _table(task)
    study = tamis.Study(X.assign(y=y), target="y", folder=tmp_path / "s", task=task, lock=0, folds=4, repeats=2).run()
    from tamis.study.fold import outer_folds

    pairs = [(fold.train, fold.test) for fold in outer_folds(study.problem, 4, 2, 0)]
    shape = len(study.problem.y), study.problem.table.n_columns
    made = {procedure.name: procedure.make(task) for procedure in chosen(None, shape=shape)}
    sizes = {one: made[one.partition("[")[0]] for one in _names(study) if one not in made}
    made |= {one: clone(model).set_params(size=int(one[:-1].partition("[")[2])) for one, model in sizes.items()}
    found = tamis.nested_score(
        made, study.problem, outer=pairs, scoring=study.results_["answer"]["metric"], random_state=0
    )
    for row in study.results_["comparison"]["procedures"]:
        scores = found[row["name"]].scores
        if task == "classification":
            np.testing.assert_allclose(scores, row["scores"], rtol=1e-9)
        else:
            np.testing.assert_allclose(_pooled(scores, study.problem.y, pairs, 4), row["score"], rtol=1e-9, atol=1e-12)


def _names(study):
    return [row["name"] for row in study.results_["comparison"]["procedures"]]


def _pooled(scores, y, pairs, k):
    """The mean over repeats of 1 - SSE / SST about the means of the training rows, from each fold's own R²."""
    errors = [(1 - score) * ((y[test] - y[test].mean()) ** 2).sum() for score, (_, test) in zip(scores, pairs)]
    spreads = [((y[test] - y[train].mean()) ** 2).sum() for train, test in pairs]
    return np.mean(1 - np.reshape(errors, (-1, k)).sum(axis=1) / np.reshape(spreads, (-1, k)).sum(axis=1))
