"""A black box to compare with: gradient boosting on a table of any kinds of columns, its cost bounded."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis.boosting import BoostingClassifier, BoostingRegressor
from tamis.check import count, one_of
from tamis.engine import generator, seed_from
from tamis.errors import DamagedError
from tamis.saved import mapping, part, texts, whole
from tamis.table import Table
from tamis.table.interface.takes_table import TakesTable

#: Rows × columns × trees at most: a second on small tables, some seconds of 100,000 rows.
MOST_SEARCHED = 1_000_000_000

#: Trees at most: 100 rounds of six classes. Over 8 tables of 3 to 9 classes (70/30, four times) 100 rounds of rate 0.1
#: have a mean Brier score of 0.213, 33 of rate 0.3 one of 0.219.
MOST_TREES = 600

#: Trees a class in any case.
FEWEST_ROUNDS = 20

#: Rows that a leaf has at least: a tree of fewer than twice as many has no split.
LEAF = 20


class Boosting(TakesTable, BaseEstimator):
    """`BoostingClassifier` or `BoostingRegressor` at its defaults, with fewer, larger rounds where they would be dear.

    Each round adds a tree (of several classes, one a class): 100 rounds of rate 0.1, fewer and larger ones (at least
    20, of rate 0.3 at most) where there would be more than `MOST_TREES` trees, or rows × columns × trees would exceed
    `MOST_SEARCHED`; none where rows are too few for any split: the answer is then the shares of the classes, or the
    mean.

    Parameters
    ----------
    task : "classes" or "numbers".
    rounds : rounds at most.
    most_rows : of more rows than these, so many are drawn at random, and the others are not looked at.
    random_state : seed of the rows drawn.

    Attributes
    ----------
    classes_ : of a classifier.
    model_ : the fitted model.
    selected_columns_ : all columns, for it does not choose.
    rounds_ : rounds that were asked for.

    >>> X = Table.of(np.arange(200.0)[:, None])
    >>> Boosting("numbers", random_state=0).fit(X, np.repeat([1.0, 2.0], 100)).predict(X)[[0, 199]].round(2)
    array([1., 2.])
    """

    def __init__(
        self, task: str = "classes", *, rounds: int = 100, most_rows: int = 100_000, random_state: Any = None
    ) -> None:
        self.task = task
        self.rounds = rounds
        self.most_rows = most_rows
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Boosting:
        """Learn from a table and its target."""
        of_classes = one_of("task", self.task, ("classes", "numbers")) == "classes"
        table, target = X if isinstance(X, Table) else Table.of(X), np.asarray(y)
        rows = self._rows(len(target))
        table, target = (table.take(rows), target[rows]) if len(rows) < len(target) else (table, target)
        n_classes = len(np.unique(target)) if of_classes else 1
        self.rounds_ = self._fewer_rounds(table, n_classes if n_classes > 2 else 1)
        rate = min(0.3, max(0.1, 10 / max(1, self.rounds_))) if self.rounds_ < self.rounds else 0.1
        kind = BoostingClassifier if of_classes else BoostingRegressor
        self._keep(
            kind(max(1, self.rounds_), learning_rate=rate, min_samples_leaf=LEAF).fit(table, target), table.names
        )
        return self

    def _fewer_rounds(self, table: Table, trees: int) -> int:
        """Rounds of so many trees, as many as are worth their cost."""
        if table.n_rows < 2 * LEAF:
            return 0
        searched = MOST_SEARCHED // max(1, table.n_rows * table.n_columns)
        return min(count("rounds", self.rounds), max(FEWEST_ROUNDS, min(MOST_TREES, searched) // trees))

    def _keep(self, model: Any, names: tuple[str, ...]) -> None:
        self.model_, self.selected_columns_ = model, tuple(names)
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class, or the number, of every row."""
        return np.asarray(self.model_.predict(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class, in the order of `classes_`."""
        return np.asarray(self.model_.predict_proba(X))

    def _rows(self, n_rows: int) -> np.ndarray:
        most = count("most_rows", self.most_rows, low=2)
        if n_rows <= most:
            return np.arange(n_rows)
        return np.sort(generator(seed_from(self.random_state), "rows").permutation(n_rows)[:most])

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        told = {"task": self.task, "rounds": self.rounds, "most_rows": self.most_rows, "rounds_asked_for": self.rounds_}
        return {**told, "columns": list(self.selected_columns_), "model": self.model_.to_dict()}

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Boosting:
        """The fitted model that `to_dict` described."""
        task = one_of("task", part(state, "task"), ("classes", "numbers"))
        rounds, most = whole("rounds", part(state, "rounds")), whole("most_rows", part(state, "most_rows"))
        made = cls(task, rounds=rounds, most_rows=most)
        made.rounds_ = whole("rounds_asked_for", part(state, "rounds_asked_for"))
        kind = BoostingClassifier if task == "classes" else BoostingRegressor
        model = kind.from_dict(mapping("model", part(state, "model")))
        names = texts("columns", part(state, "columns"))
        if len(names) != model.n_features_in_:
            raise DamagedError(f"it names {len(names):,} columns instead of {model.n_features_in_:,}")
        made._keep(model, names)
        return made
