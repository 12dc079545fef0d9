"""What a study asks of a fitted model, one class a kind of model; `facts_of` finds the one of a model.

A new kind of model is a subclass here with the names of its estimators in `estimators`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from tamis.study.procedures.models.columns import Columns
from tamis.study.procedures.models.transformed import Transformed
from tamis.transform import Symmetrize

#: Leaves of a tree, terms of a formula, rows of a score card, at most, to be read at a glance and on a page.
GLANCE, PAGE = 8, 20

#: Curves and pair maps of an additive model, and leaves of a model tree or of an oblique one, to be read on a page.
CURVES, PAIRS, MODEL_LEAVES = 12, 5, 6


@dataclass(frozen=True)
class SizeErrors:
    """Error against size of what a model was chosen among.

    Attributes
    ----------
    by : "columns", "leaves" or "trees".
    size, error : of each member of the sequence.
    chosen : the size that was taken.
    """

    by: str
    size: np.ndarray
    error: np.ndarray
    chosen: int


class ModelFacts:
    """A fitted model of which nothing is known: of a user's, or of another package."""

    estimators: ClassVar[tuple[str, ...]] = ()
    kind: ClassVar[str] = ""

    def __init__(self, model: Any) -> None:
        self.model = model

    def importances(self) -> dict[str, float]:
        """Column -> what it brings to the model; empty where the model does not say."""
        return {}

    def columns(self) -> Iterable[str] | None:
        """The columns that the model uses; None where it does not say."""
        selected: Iterable[str] | None = getattr(self.model, "selected_columns_", None)
        return selected

    def words(self) -> str:
        """What kind of model it is, and how large."""
        return ""

    def readability(self) -> str:
        """ "glance", "page" or "no"."""
        return "no"

    def complexity(self) -> SizeErrors | None:
        """Sizes and errors of what the model was chosen among; None without such a sequence."""
        return None

    def codes(self) -> list[int] | None:
        """Codes of the classes that were learned; None of numbers."""
        classes = getattr(self.model, "classes_", None)
        return None if classes is None else [int(code) for code in classes]

    def link(self) -> str:
        """What makes predictions of the model's sums: identity, exp, logistic, softmax, cumulative or one_hot."""
        classes = self.codes()
        if classes is None:
            return "exp" if getattr(self.model, "loss", None) == "poisson" else "identity"
        return "logistic" if len(classes) == 2 else "softmax"

    def _by_name(self, names: Iterable[str]) -> dict[str, float]:
        return dict(zip(names, self.model.feature_importances_.tolist()))


class BaselineFacts(ModelFacts):
    """The mean, or the largest class."""

    estimators = ("Baseline",)
    kind = "baseline"

    def readability(self) -> str:
        return "glance"


class OtherTreeFacts(ModelFacts):
    """A tree of scikit-learn's."""

    estimators = ("DecisionTreeClassifier", "DecisionTreeRegressor")

    def words(self) -> str:
        n_leaves = int(self.model.tree_.n_leaves)
        return f"a tree of {n_leaves} leaves" if n_leaves > 1 else "a tree without a split"

    def readability(self) -> str:
        return _sized(int(self.model.tree_.n_leaves))


class TreeFacts(OtherTreeFacts):
    """A tree; its leaves may hold models, its splits may be oblique."""

    estimators = ("TreeClassifier", "TreeRegressor")
    kind = "tree"

    @property
    def is_plain(self) -> bool:
        """Whether every split asks about one column, and every leaf holds one answer."""
        return self.model.leaf == "constant" and not np.any(np.asarray(self.model.tree_.feature) == -2)

    def importances(self) -> dict[str, float]:
        return self._by_name(self.model.tree_.names)

    def columns(self) -> Iterable[str]:
        """Those it asks about, not those that stand in for missing values; and those of models in its leaves."""
        model, tree = self.model, self.model.tree_
        used = {tree.names[j] for j in np.flatnonzero(model.feature_importances_)}
        if model.leaf != "constant" and hasattr(model, "leaf_models_"):
            lines = model.leaf_models_
            used |= {name for name, is_used in zip(lines.names, lines.used(tree.left < 0)) if is_used}
        return used

    def readability(self) -> str:
        n_leaves = int(self.model.tree_.n_leaves)
        return _sized(n_leaves) if self.is_plain else "page" if n_leaves <= MODEL_LEAVES else "no"

    def complexity(self) -> SizeErrors | None:
        table = getattr(self.model, "cost_complexity_", None)
        if table is None or table.get("cv_risk") is None:
            return None
        size, error = _best_of_each(np.asarray(table["n_leaves"]), np.asarray(table["cv_risk"]))
        return SizeErrors("leaves", size, error, int(self.model.tree_.n_leaves))


class LinearFacts(ModelFacts):
    """A sum of terms."""

    estimators = ("LinearClassifier", "LinearRegressor")
    kind = "linear"

    def importances(self) -> dict[str, float]:
        return self._by_name(self.model.inputs_.encoding.names)

    def words(self) -> str:
        return f"a formula of {_counted(self.n_terms, 'term')}"

    def readability(self) -> str:
        return _sized(self.n_terms)

    def link(self) -> str:
        """As of every sum; `cumulative` of ordered classes, `one_hot` of margins, whose largest sum is the class."""
        if self.model.loss == "cumulative_logit":
            return "cumulative"
        return super().link() if self.codes() is None or self.model.loss == "logistic" else "one_hot"

    @property
    def n_terms(self) -> int:
        """Inputs with a coefficient; of several classes, each has one per class."""
        return int(np.count_nonzero(np.atleast_2d(self.model.coef_).any(axis=0)))

    def complexity(self) -> SizeErrors | None:
        path = getattr(self.model, "path_", None)
        if path is None or getattr(path, "cv_mean", None) is None:
            return None
        size, error = _best_of_each(np.asarray(path.n_columns), np.asarray(path.cv_mean))
        return SizeErrors("columns", size, error, len(self.model.selected_columns_))


class CardFacts(ModelFacts):
    """A score card."""

    estimators = ("ScoreCard", "ScoreCardRegressor")
    kind = "card"

    def importances(self) -> dict[str, float]:
        return self._by_name(self.model.column_names_)

    def words(self) -> str:
        return f"a score card of {_counted(len(self.model.statements_), 'statement')}"

    def readability(self) -> str:
        return _sized(len(self.model.statements_))


class AdditiveFacts(ModelFacts):
    """A sum of curves and pair maps."""

    estimators = ("AdditiveClassifier", "AdditiveRegressor")
    kind = "additive"

    def words(self) -> str:
        model = self.model
        maps = f" and {_counted(len(model.pairs_), 'pair map')}" if model.pairs_ else ""
        return f"an additive model of {_counted(len(model.curves_), 'curve')}{maps}"

    def readability(self) -> str:
        return "page" if len(self.model.curves_) <= CURVES and len(self.model.pairs_) <= PAIRS else "no"


class OtherForestFacts(ModelFacts):
    """A forest of scikit-learn's."""

    estimators: ClassVar[tuple[str, ...]] = (
        "RandomForestClassifier",
        "RandomForestRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
    )

    def words(self) -> str:
        return "a forest"


class ForestFacts(OtherForestFacts):
    """A forest, by itself or with the columns that it chose."""

    estimators = ("ForestClassifier", "ForestRegressor", "MirrorSelector")
    kind = "forest"

    @property
    def forest(self) -> Any:
        """The forest itself."""
        return getattr(self.model, "estimator_", self.model)

    def importances(self) -> dict[str, float]:
        if self.forest is self.model:
            return {}
        return dict(zip(self.model.selected_columns_, self.forest.feature_importances_.tolist()))

    def complexity(self) -> SizeErrors | None:
        if getattr(self.forest, "oob_curve_", None) is None:
            return None
        curve = np.asarray(self.forest.oob_curve_, dtype=np.float64)
        return SizeErrors("trees", np.arange(1, len(curve) + 1), curve, len(curve))


class BoostingFacts(ModelFacts):
    """Boosted trees on the columns that they were fitted on."""

    estimators = ("Boosting",)
    kind = "boosting"

    def importances(self) -> dict[str, float]:
        return self._by_name(self.model.columns_)


class PipelineFacts(ModelFacts):
    """A model behind steps; what is said of it holds of the whole where the steps hand on columns as they are."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        steps = [step for _, step in model.steps]
        self.last = facts_of(steps[-1])
        self.chooses = all(hasattr(step, "get_support") or hasattr(step, "selected_columns_") for step in steps[:-1])
        self.keeps_names = isinstance(model, Transformed) and isinstance(steps[0], (Columns, Symmetrize))

    def importances(self) -> dict[str, float]:
        return self.last.importances() if self.keeps_names else {}

    def words(self) -> str:
        return self.last.words() if self.chooses else ""

    def readability(self) -> str:
        return self.last.readability() if self.chooses else "no"


_BY_NAME: dict[str, type[ModelFacts]] = {
    name: kind
    for kind in (
        *(BaselineFacts, TreeFacts, LinearFacts, CardFacts, AdditiveFacts, ForestFacts, BoostingFacts),
        *(OtherTreeFacts, OtherForestFacts),
    )
    for name in kind.estimators
}


def facts_of(model: BaseEstimator) -> ModelFacts:
    """What can be asked of a fitted model.

    >>> from tamis import TreeClassifier
    >>> facts_of(TreeClassifier(max_depth=1).fit([[1.0], [2.0]], [0, 1])).words()
    'a tree of 2 leaves'
    """
    if isinstance(model, Pipeline):
        return PipelineFacts(model)
    for base in type(model).__mro__:
        if base.__module__.partition(".")[0] in ("tamis", "sklearn") and base.__name__ in _BY_NAME:
            return _BY_NAME[base.__name__](model)
    return ModelFacts(model)


def _best_of_each(size: np.ndarray, error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sizes in rising order, each with the least error that a model of that size has."""
    sizes = np.unique(size)
    return sizes, np.array([np.min(error[size == size_value]) for size_value in sizes])


def _counted(n: int, noun: str) -> str:
    return f"1 {noun}" if n == 1 else f"{n} {noun}s"


def _sized(n: int) -> str:
    return "glance" if n <= GLANCE else "page" if n <= PAGE else "no"
