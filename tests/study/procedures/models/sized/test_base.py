"""Readable models of several sizes: bounded, learned from training rows alone, the same in any order of columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tamis.split import folds
from tamis.study.procedures.models.fitted import FittedProcedure
from tamis.study.procedures.models.readability import readability
from tamis.study.procedures.models.sized import SizedAdditive, SizedFormulas, SizedTrees
from tamis.study.procedures.models.sized.base import Sample
from tamis.table import Table

KINDS = (SizedTrees, SizedFormulas, SizedAdditive)
SIZES = (1, 2, 3, 5, 6)


def _table(n=160, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("abcde"))
    frame["word"] = rng.choice(["red", "green", "blue"], size=n)
    score = 2 * frame["b"] + frame["d"] + (frame["word"] == "red") + 0.5 * rng.normal(size=n)
    frame.loc[::17, "c"] = np.nan
    return frame, score.to_numpy()


def _columns(model, table):
    return set(FittedProcedure("", model, table.names).columns)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("task", ["classification", "regression"])
def test_every_size_has_a_readable_model_of_at_most_so_many_columns(kind, task):
    """A model of five columns would be offered as one of three, or as readable with a term for every row."""
    frame, score = _table()
    y = (score > 0).astype(np.int64) if task == "classification" else score
    table = Table.of(frame)
    pairs = folds(3, y, classifier=task == "classification", seed=0)
    sized = kind(task, cv=pairs, random_state=0).fit(table, y)
    assert sorted(sized.models_) == list(SIZES)
    for size, model in sized.models_.items():
        assert len(_columns(model, table)) <= size
        assert readability(model) in ("glance", "page")
    losses = {size: sized._cv_loss(Sample(y), size) for size in SIZES}
    assert losses[sized.size_] == min(losses.values())
    assert losses[sized.size_] < 0.6 * np.var(y) * (2 if task == "classification" else 1)
    assert "b" in _columns(sized.models_[1], table) | _columns(sized.models_[2], table)


@pytest.mark.parametrize("kind", KINDS)
def test_one_size_alone_is_the_same_model(kind):
    """The last fit would be of another model than the folds judged."""
    frame, score = _table()
    table, pairs = Table.of(frame), folds(3, score, classifier=False, seed=0)
    sized = kind("regression", cv=pairs, random_state=0).fit(table, score)
    alone = kind("regression", cv=pairs, random_state=0, size=2).fit(table, score)
    assert alone.size_ == 2
    np.testing.assert_array_equal(alone.predict(table), sized.models_[2].predict(table))


@pytest.mark.parametrize("kind", [SizedTrees, SizedFormulas])
def test_out_of_fold_predictions_do_not_know_the_rows_they_judge(kind):
    """Inner losses would be those of training rows."""
    frame, score = _table()
    table = Table.of(frame)
    train, test = np.arange(110), np.arange(110, 160)
    sized = kind("regression", random_state=0)
    tuned = sized._tune(table, Sample(score), None)
    models = sized._models(table.take(train), Sample(score[train]), SIZES, tuned)
    spoilt = score.copy()
    spoilt[test] = 1e3
    again = kind("regression", random_state=0)._models(table.take(train), Sample(spoilt[train]), SIZES, tuned)
    for size in SIZES:
        np.testing.assert_array_equal(models[size].predict(table.take(test)), again[size].predict(table.take(test)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_columns_does_not_matter(kind):
    """Another order of the same columns would give another answer."""
    frame, score = _table()
    pairs = folds(3, score, classifier=False, seed=0)
    one = kind("regression", cv=pairs, random_state=0).fit(Table.of(frame), score)
    other = kind("regression", cv=pairs, random_state=0).fit(Table.of(frame[frame.columns[::-1]]), score)
    for size in SIZES:
        assert _columns(one.models_[size], Table.of(frame)) == _columns(
            other.models_[size], Table.of(frame[frame.columns[::-1]])
        )
