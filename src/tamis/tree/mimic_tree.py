"""The tree that best mimics a model that cannot be read."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state

from tamis.check import count, number
from tamis.errors import TamisWarning
from tamis.table import Table
from tamis.table.like import TableLike
from tamis.tree.estimator import TreeClassifier, TreeRegressor
from tamis.typing import RandomState

FAITHFUL = 0.8  # below this fidelity the user is told


@dataclass(frozen=True, eq=False)
class Mimic:
    """A readable stand-in for a model.

    Attributes
    ----------
    tree : the fitted TreeClassifier or TreeRegressor.
    fidelity : on rows the tree did not see, the share of rows on which both say the same class; for numbers, the share
        of the model's variance that the tree reproduces (R²).
    n_held_out : how many rows those were.
    """

    tree: Any
    fidelity: float
    n_held_out: int


def mimic(
    model: BaseEstimator,
    X: TableLike,
    *,
    max_leaf_nodes: int = 16,
    held_out: float = 0.3,
    random_state: RandomState = 0,
    **tree: Any,
) -> Mimic:
    """The tree that best mimics a fitted model, with its fidelity on held-out rows.

    The model is asked about every row; a tree learns those answers on part of the rows and is compared with the model
    on the rest. No target is needed: the tree explains the model, not the world.

    Parameters
    ----------
    model : anything with `predict`; a classifier is recognised by its `classes_`.
    X : rows to ask the model about; better not those it was fitted on, where a flexible model repeats the noise of the
        target, which no small tree can follow. The table a Tamis forest was grown on is known to it, and each row is
        answered by the trees that did not see it. Below a fidelity of 0.8 a warning says so.
    max_leaf_nodes : how large the tree may be.
    held_out : share of the rows that fidelity is judged on.
    **tree : further parameters of TreeClassifier or TreeRegressor.

    >>> from sklearn.svm import SVC
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> model = SVC().fit(X, X[:, 0] > 0)
    >>> mimic(model, X, max_leaf_nodes=4).fidelity > 0.9
    True
    """
    count("max_leaf_nodes", max_leaf_nodes, low=2)
    share = number("held_out", held_out, low=0, high=1, open_low=True, open_high=True)
    answers = _answers(model, X)
    table = Table.of(X)
    mixed = check_random_state(random_state).permutation(table.n_rows)
    n_held = min(max(1, round(share * table.n_rows)), table.n_rows - 1)
    test, train = mixed[:n_held], mixed[n_held:]
    kind = TreeClassifier if hasattr(model, "classes_") else TreeRegressor
    fitted = kind(max_leaf_nodes=max_leaf_nodes, **tree).fit(table.take(train), answers[train])
    theirs, ours = answers[test], fitted.predict(table.take(test))
    if kind is TreeClassifier:
        fidelity = float(np.mean(theirs == ours))
    else:
        spread = float(((theirs - theirs.mean(axis=0)) ** 2).sum())
        fidelity = (
            1.0 - float(((theirs - ours) ** 2).sum()) / spread if spread > 0 else float(np.allclose(theirs, ours))
        )
    if fidelity < FAITHFUL:
        _warn(fidelity, kind is TreeClassifier, max_leaf_nodes)
    return Mimic(fitted, fidelity, n_held)


def _answers(model: BaseEstimator, X: TableLike) -> np.ndarray:
    """What the model says of each row; of its own training rows, a forest by the trees that did not see the row."""
    honest = model.answers_out_of_bag(X) if hasattr(model, "answers_out_of_bag") else None
    return np.asarray(model.predict(X)) if honest is None else honest


def _warn(fidelity: float, classes: bool, leaves: int) -> None:
    what = "gives the model's class on" if classes else "reproduces"
    of = "of held-out rows" if classes else "of the variance of the model's answers on held-out rows"
    warnings.warn(
        f"the tree {what} only {max(fidelity, 0):.0%} {of}, too little to explain it; give max_leaf_nodes above "
        f"{leaves}, or rows the model was not fitted on: a forest repeats the noise of its own training rows",
        TamisWarning,
        stacklevel=3,
    )
