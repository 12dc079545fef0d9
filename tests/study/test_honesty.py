"""The rule above all: what is fitted does not depend on the rows it is judged on."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tamis.study.fold import _fit, _learnable, inner_folds
from tamis.study.problem import Problem
from tamis.study.procedures import PROCEDURES
from tamis.study.settings import Settings
from tamis.table import Column, Table, categories


def _problem(task: str, garbage: np.ndarray | None = None) -> Problem:
    """A mixed problem with missing values; rows of `garbage` hold rubbish in every column and in the target."""
    rng = np.random.default_rng(0)
    n = 150
    x = rng.normal(size=(n, 3))
    x[rng.random((n, 3)) < 0.05] = np.nan
    word = rng.choice(["a", "b", "c"], size=n).tolist()
    signal = np.nan_to_num(x[:, 0]) + (np.array(word) == "a") + 0.3 * rng.normal(size=n)
    y = signal if task == "numbers" else (signal > 0.4).astype(float)
    if garbage is not None:
        x[garbage] = 1e6 * rng.normal(size=(len(garbage), 3))
        x[garbage[::2], 1] = np.nan
        for i in garbage:
            word[i] = f"rubbish {i}"
        y[garbage] = 1e6 if task == "numbers" else 1 - y[garbage]
    columns = [Column(f"x{j}", "numeric", x[:, j]) for j in range(3)]
    table = Table([*columns, categories("word", word), Column("y", "numeric", y)])
    return Problem.of(table, Settings(target="y", task=task, lock=0.0))


@pytest.mark.parametrize("task", ["classes", "numbers"])
@pytest.mark.parametrize("procedure", PROCEDURES, ids=lambda procedure: procedure.name)
def test_garbage_in_held_out_rows_changes_no_bit_of_what_is_fitted(procedure, task):
    """If held-out rows can change the model, every score of it is a lie."""
    held_out = np.arange(100, 150)
    clean, spoilt = _problem(task), _problem(task, held_out)
    train = np.arange(100)
    fitted = []
    for problem in (clean, spoilt):
        pairs = inner_folds(problem, train, 5, 0)
        fitted.append(json.dumps(_fit(problem, procedure, train, 3, pairs).to_dict()))
    assert fitted[0] == fitted[1]


def test_levels_of_other_rows_leave_no_trace():
    """A level that only held-out rows have must not appear in what is fitted."""
    table = Table([categories("w", ["a", "b", "z", "a"])]).take([0, 1, 3])
    assert _learnable(table).column("w").levels == ("a", "b")
