"""Gradient boosting on a table of any kinds of columns, its cost bounded: the black box, and the booster."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from tamis.boosting import BoostingClassifier, BoostingRegressor
from tamis.boosting.base import MOST_BINS
from tamis.check import count, number, one_of, weights
from tamis.engine import generator, seed_from
from tamis.errors import DamagedError
from tamis.saved import mapping, numbers, read_entry, read_integer, texts
from tamis.search.mirror import MANY_COLUMNS
from tamis.study.procedures.models.columns import directions_among
from tamis.study.procedures.models.rounds import EVERY, tuned_rounds
from tamis.table import Table
from tamis.table.interface.takes_table import TakesTable
from tamis.task import CLASSIFICATION, COUNT, TASKS, predicts_classes, read_task

#: Rows × columns × trees at most: a second on small tables, some seconds of 100,000 rows.
MOST_SEARCHED = 1_000_000_000

#: Trees at most: 100 rounds of six classes. Over 8 tables of 3 to 9 classes (70/30, four times) 100 rounds of rate 0.1
#: have a mean Brier score of 0.213, 33 of rate 0.3 one of 0.219.
MOST_TREES = 600

#: Trees a class in any case.
FEWEST_ROUNDS = 20

#: Rows that a leaf has at least: a tree of fewer than twice as many has no split.
LEAF = 20

#: Columns of a model that are named.
MOST_LISTED = 20

#: Columns that a tree draws at least, where it draws some: of two columns that decide together one tells nothing.
FEWEST_DRAWN = 4

#: Rounds of rate 0.1 by whose gains columns are ranked.
RANKING = 100


class Boosting(TakesTable, BaseEstimator):
    """`BoostingClassifier` or `BoostingRegressor`, with fewer, larger rounds where they would be dear.

    Each round adds a tree (of several classes, one a class): by default 100 rounds of rate 0.1, fewer and larger ones
    (at least 20, of rate 0.3 at most) where there would be more than `MOST_TREES` trees, or rows × columns × trees
    would exceed `MOST_SEARCHED`; none where rows are too few for any split: the answer is then the shares of the
    classes, or the mean. With `kept` below 1 a first fit ranks the columns of tables of more than 20 by what their
    splits gain, and the model is fitted on the fewest that make up this share of all gains. With `cv` the rounds are
    those, of at most these, that lose least in folds; columns are ranked in each of them again.

    Parameters
    ----------
    task : one of `tamis.task.TASKS`.
    rounds : rounds at most.
    learning_rate, max_leaf_nodes, min_samples_leaf, max_bins : of the model.
    max_features : share of the columns that each tree draws, four at least; None tries all.
    kept : share of the gain that the columns kept make up; 1 keeps all.
    monotone : directions of columns, as `BoostingClassifier` takes them.
    cv : folds that choose the rounds, as pairs of positions or a splitter; None takes them as they are.
    most_rows : of more rows than these, so many are drawn at random, and the others are not looked at.
    random_state : seed of rows and columns drawn.

    Attributes
    ----------
    classes_ : of a classifier.
    model_ : the fitted model.
    columns_ : the columns that the model was fitted on.
    selected_columns_ : those that it uses; all, where it does not choose.
    rounds_ : rounds that were asked for, or chosen.
    cv_predictions_, nested_predictions_ : where folds chose, their answers (see `TunedRounds`).

    >>> X = Table.of(np.arange(200.0)[:, None])
    >>> Boosting("regression", random_state=0).fit(X, np.repeat([1.0, 2.0], 100)).predict(X)[[0, 199]].round(2)
    array([1., 2.])
    """

    def __init__(
        self,
        task: str = CLASSIFICATION,
        *,
        rounds: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int = 31,
        min_samples_leaf: int = LEAF,
        max_features: float | None = None,
        max_bins: int = MOST_BINS,
        kept: float = 1.0,
        monotone: dict[str, int] | None = None,
        cv: Any = None,
        most_rows: int = 100_000,
        random_state: Any = None,
    ) -> None:
        self.task = task
        self.rounds = rounds
        self.learning_rate = learning_rate
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_bins = max_bins
        self.kept = kept
        self.monotone = monotone
        self.cv = cv
        self.most_rows = most_rows
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Boosting:
        """Learn from a table and its target."""
        of_classes = predicts_classes(one_of("task", self.task, TASKS))
        table, target = X if isinstance(X, Table) else Table.of(X), np.asarray(y)
        weight = None if sample_weight is None else weights(sample_weight, len(target))
        rows = self._rows(len(target))
        if len(rows) < len(target):
            table, target, weight = table.take(rows), target[rows], None if weight is None else weight[rows]
        n_classes = len(np.unique(target)) if of_classes else 1
        self.rounds_ = self._fewer_rounds(table, n_classes if n_classes > 2 else 1)
        fewer = self.learning_rate * self.rounds / max(1, self.rounds_)
        rate = min(0.3, max(self.learning_rate, fewer)) if self.rounds_ < self.rounds else self.learning_rate
        kind = BoostingClassifier if of_classes else BoostingRegressor
        fit = partial(self._fitted, kind, rate, min(RANKING, self.rounds_))
        self._tune(fit, table, target if of_classes else target.astype(np.float64), weight)
        self._keep(*fit(table, target, weight))
        return self

    def _tune(self, fit: Any, table: Table, target: np.ndarray, weight: np.ndarray | None) -> None:
        """Take the rounds that folds choose, where there are folds and anything to choose."""
        for name in ("cv_predictions_", "nested_predictions_"):
            self.__dict__.pop(name, None)
        if self.cv is None or self.rounds_ <= EVERY:
            return
        pairs = list(self.cv.split(table, target)) if hasattr(self.cv, "split") else list(self.cv)
        tuned = tuned_rounds(fit, table, target, pairs, self.rounds_, weight)
        self.rounds_, self.cv_predictions_ = tuned.rounds, tuned.cv_predictions
        self.nested_predictions_ = tuned.nested_predictions

    def _fitted(
        self, kind: Any, rate: float, ranking: int, table: Table, target: np.ndarray, weight: np.ndarray | None = None
    ) -> tuple[Any, tuple[str, ...]]:
        """A model of `rounds_` rounds, and the columns that it was fitted on, by a ranking of so many rounds."""
        settings = {
            "max_leaf_nodes": self.max_leaf_nodes,
            "min_samples_leaf": self.min_samples_leaf,
            "max_bins": self.max_bins,
            "random_state": self.random_state,
            **({"loss": "poisson"} if self.task == COUNT else {}),
        }
        if number("kept", self.kept, low=0, high=1) < 1 and self.rounds_ and table.n_columns > MANY_COLUMNS:
            # with all columns tried: drawn ones would have splits gain something by columns of noise, too
            ranks = kind(ranking, learning_rate=0.1, monotone=self.monotone, **settings).fit(table, target, weight)
            table = table.select(_columns_of(ranks.feature_importances_, self.kept, table.names))
        settings |= {"max_features": self._drawn(table.n_columns), "learning_rate": rate}
        settings["monotone"] = directions_among(self.monotone, table.names)
        return kind(max(1, self.rounds_), **settings).fit(table, target, weight), table.names

    def _fewer_rounds(self, table: Table, trees: int) -> int:
        """Rounds of so many trees, as many as are worth their cost."""
        if table.n_rows < 2 * self.min_samples_leaf:
            return 0
        searched = MOST_SEARCHED // max(1, table.n_rows * table.n_columns)
        return min(count("rounds", self.rounds), max(FEWEST_ROUNDS, min(MOST_TREES, searched) // trees))

    def _drawn(self, n_columns: int) -> int | None:
        """Columns that a tree tries, where it does not try all."""
        if self.max_features is None:
            return None
        return min(n_columns, max(FEWEST_DRAWN, round(self.max_features * n_columns)))

    def _keep(self, model: Any, names: tuple[str, ...]) -> None:
        self.model_, self.columns_ = model, tuple(names)
        used = model.selected_columns_ if self.kept < 1 else ()
        self.selected_columns_ = used or self.columns_
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class, or the number, of every row."""
        return np.asarray(self.model_.predict(self._checked_table(X)))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class, in the order of `classes_`."""
        return np.asarray(self.model_.predict_proba(self._checked_table(X)))

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each of `columns_` in what all splits gained."""
        return np.asarray(self.model_.feature_importances_)

    def to_text(self) -> str:
        """The columns by their share of what all splits gained."""
        share = self.feature_importances_
        order = [j for j in np.argsort(-share, kind="stable") if share[j] > 0]
        lines = [f"  {share[j]:6.1%}  {self.columns_[j]}" for j in order[:MOST_LISTED]]
        lines += [f"  and {len(order) - MOST_LISTED:,} more"] if len(order) > MOST_LISTED else []
        columns = "1 column" if len(order) == 1 else f"{len(order):,} columns"
        head = f"the sum of {self.rounds_} rounds of small trees on {columns}, by share of what splits gain:"
        return "\n".join([head, *lines])

    def _checked_table(self, X: Any) -> Table:
        """The columns that the model was fitted on."""
        table = X if isinstance(X, Table) else Table.of(X)
        return table if tuple(table.names) == self.columns_ else table.select(list(self.columns_))

    def _rows(self, n_rows: int) -> np.ndarray:
        max_rows = count("most_rows", self.most_rows, low=2)
        if n_rows <= max_rows:
            return np.arange(n_rows)
        return np.sort(generator(seed_from(self.random_state), "rows").permutation(n_rows)[:max_rows])

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        facts = {
            "task": self.task,
            "rounds": self.rounds,
            "most_rows": self.most_rows,
            "rounds_asked_for": self.rounds_,
        }
        facts |= {"kept": self.kept}
        return {**facts, "columns": list(self.columns_), "model": self.model_.to_dict()}

    @classmethod
    def from_dict(cls, state: dict[str, Any]) -> Boosting:
        """The fitted model that `to_dict` described."""
        task = read_task(read_entry(state, "task"))
        rounds, max_rows = (
            read_integer("rounds", read_entry(state, "rounds")),
            read_integer("most_rows", read_entry(state, "most_rows")),
        )
        share = float(numbers("kept", read_entry(state, "kept"), shape=()))
        boosting = cls(task, rounds=rounds, kept=share, most_rows=max_rows)
        boosting.rounds_ = read_integer("rounds_asked_for", read_entry(state, "rounds_asked_for"))
        kind = BoostingClassifier if predicts_classes(task) else BoostingRegressor
        model = kind.from_dict(mapping("model", read_entry(state, "model")))
        names = texts("columns", read_entry(state, "columns"))
        if len(names) != model.n_features_in_:
            raise DamagedError(f"it names {len(names):,} columns instead of {model.n_features_in_:,}")
        boosting._keep(model, names)
        return boosting


def _columns_of(importance: np.ndarray, fraction: float, names: tuple[str, ...]) -> list[str]:
    """The fewest columns that make up a share of the importance, at least one, in the order of the table.

    >>> _columns_of(np.array([0.1, 0.7, 0.0, 0.2]), 0.9, tuple("abcd")), _columns_of(np.zeros(2), 0.9, tuple("ab"))
    (['b', 'd'], ['a'])
    """
    order = np.argsort(-importance, kind="stable")
    n_columns = np.searchsorted(np.cumsum(importance[order]), fraction * importance.sum() * (1 - 1e-12)) + 1
    return [names[j] for j in sorted(order[:n_columns].tolist())]
