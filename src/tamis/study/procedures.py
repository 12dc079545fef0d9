"""The procedures a study compares, simplest first: the one place where they are listed.

A procedure is everything that is learned from training rows: transform, choice of columns, model and its strength. A
new one is an entry in `PROCEDURES`; its model takes a Table, and has `to_dict` and `from_dict` of plain values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from tamis.check import one_of
from tamis.split import Folds
from tamis.table import Table

#: Every model a study can save, and where it lives.
MODELS = {
    "Baseline": "tamis.study.baseline",
    "LinearClassifier": "tamis.linear",
    "LinearRegressor": "tamis.linear",
    "SiftedForest": "tamis.study.sifted",
    "TreeClassifier": "tamis.tree",
    "TreeRegressor": "tamis.tree",
}


@dataclass(frozen=True)
class Procedure:
    """A named way from training rows to a fitted model.

    Parameters
    ----------
    name : one word, used in settings and results.
    words : what it does, for people.
    make : (task, seed, folds) -> an unfitted model; folds are for its own choices, groups and time kept.
    tunes : whether it uses these folds; drawing them costs more than a stump in a table of millions of rows.
    """

    name: str
    words: str
    make: Callable[[str, int, Folds], Any]
    tunes: bool = True

    def fit(
        self, table: Table, y: np.ndarray, task: str, seed: int, folds: Folds, like: Fitted | None = None
    ) -> Fitted:
        """Learn everything from these rows alone; where they hold a single class there is nothing but that to say.

        With `like`, its strength is taken where it was not chosen in folds: a forest's leaves.
        """
        make = self.make if task == "numbers" or np.any(y != y[0]) else _baseline
        model = make(task, seed, folds)
        leaf = getattr(like.model, "min_samples_leaf_", None) if like is not None else None
        if leaf is not None and hasattr(model, "leaf"):
            model.leaf = leaf
        return Fitted(self.name, model.fit(table, y))


@dataclass(frozen=True)
class Fitted:
    """A fitted procedure: what it predicts, which columns it uses, and itself as plain values."""

    procedure: str
    model: Any

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns the model uses, in the order of names."""
        found = getattr(self.model, "selected_columns_", None)
        if found is None:  # a tree: the columns it asks about, not those that stand in for missing values
            found = [self.model.tree_.names[j] for j in np.flatnonzero(self.model.feature_importances_)]
        return tuple(sorted(str(name) for name in found))

    def numbers(self, table: Table) -> np.ndarray:
        """Predicted numbers."""
        return np.asarray(self.model.predict(table), dtype=np.float64)

    def interval(self, table: Table, coverage: float) -> np.ndarray | None:
        """Ends of an interval for each row's number (rows × 2), of a model that has them; None of another."""
        ends = getattr(self.model, "predict_interval", None)
        return None if ends is None else np.asarray(ends(table, coverage), dtype=np.float64)

    def probabilities(self, table: Table, n_labels: int) -> np.ndarray:
        """Probability of every class of the study; 0 for a class that the training rows lacked."""
        out = np.zeros((table.n_rows, n_labels))
        out[:, np.asarray(self.model.classes_, dtype=np.int64)] = self.model.predict_proba(table)
        return out

    def inner_answers(self, n_labels: int) -> np.ndarray | None:
        """Out-of-fold answers to the training rows, of a model that chose its strength in folds; None of another."""
        found = getattr(self.model, "cv_predictions_", None)
        if found is None or not n_labels:
            return None if found is None else np.asarray(found, dtype=np.float64)
        out = np.zeros((len(found), n_labels))
        out[:, np.asarray(self.model.classes_, dtype=np.int64)] = found
        return np.where(np.isnan(found[:, :1]), np.nan, out)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        return {"procedure": self.procedure, "model": type(self.model).__name__, "state": self.model.to_dict()}

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Fitted:
        """The fitted procedure that `to_dict` described; only Tamis's own types are ever imported."""
        name = one_of("model", facts["model"], MODELS)
        return cls(facts["procedure"], getattr(import_module(MODELS[name]), name).from_dict(facts["state"]))


def _baseline(task: str, seed: int, folds: Folds) -> Any:
    from tamis.study.baseline import Baseline

    return Baseline(task)


def _tree(**parameters: Any) -> Callable[[str, int, Folds], Any]:
    def make(task: str, seed: int, folds: Folds) -> Any:
        from tamis.tree import TreeClassifier, TreeRegressor

        if task == "numbers":
            return TreeRegressor(cv=folds, random_state=seed, **parameters)
        # By misclassification a tree of 5% positives is cut back to its root, whatever it tells of them. Over 20 tables
        # the log loss keeps the accuracy (0.794 against 0.792), the Brier score loses some (0.787).
        return TreeClassifier(cv=folds, random_state=seed, prune_by="log_loss", **parameters)

    return make


def _linear(**parameters: Any) -> Callable[[str, int, Folds], Any]:
    def make(task: str, seed: int, folds: Folds) -> Any:
        from tamis.linear import LinearClassifier, LinearRegressor

        return (LinearClassifier if task == "classes" else LinearRegressor)(missing="mean", cv=folds, **parameters)

    return make


def _forest(task: str, seed: int, folds: Folds) -> Any:
    from tamis.study.sifted import SiftedForest

    return SiftedForest(task, seed)


PROCEDURES = (
    Procedure("baseline", "always the majority class, or the mean: no column is looked at", _baseline, tunes=False),
    Procedure("stump", "one question about one column", _tree(max_depth=1), tunes=False),
    Procedure(
        "tree",
        "a decision tree, grown in full and cut back to the size that does best in inner folds",
        _tree(prune="cv", rule="min"),
    ),
    Procedure(
        "lasso",
        "a linear model whose penalty drops columns; its strength is the one that does best in inner folds",
        _linear(penalty="lasso", rule="min"),
    ),
    Procedure(
        "forest",
        "a forest of 200 trees on the columns that matter more, to rows a tree did not see, than any column of noise",
        _forest,
    ),
)


def chosen(names: Iterable[str] | None) -> tuple[Procedure, ...]:
    """The procedures asked for, simplest first; the baseline is always among them."""
    by_name = {procedure.name: procedure for procedure in PROCEDURES}
    if names is None:
        return PROCEDURES
    wanted = {one_of("procedures", name, by_name) for name in names} | {"baseline"}
    return tuple(procedure for procedure in PROCEDURES if procedure.name in wanted)
