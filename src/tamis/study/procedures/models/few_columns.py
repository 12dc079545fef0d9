"""A procedure held to few columns: those that contribute most to it on the training rows, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if

from tamis.check import count
from tamis.errors import ParameterError
from tamis.evaluate.cross_validate import weight_names
from tamis.evaluate.problem import problem_of
from tamis.study.procedures.models.columns import Columns, directions_among
from tamis.study.procedures.models.contribution import contributions
from tamis.study.procedures.models.transformed import Transformed
from tamis.table import Table
from tamis.table.interface.takes_table import TakesTable, takes_table
from tamis.task import CLASSIFICATION, REGRESSION

#: Numbers of columns that a procedure is held to in every training part: fixed, so that no score has a say in them.
SIZES = (1, 2, 3, 5, 8, 12, 20)

#: The largest of them for a linear model of several classes: vehicle (540 rows, 4 classes) takes 1.1 s for all
#: strengths in all folds, 0.03 s for 5 columns at one strength, 0.14 s for 12.
MOST_OF_SEVERAL = 5


def _gives_shares(model: FewColumns) -> bool:
    return hasattr(model.model, "predict_proba")


class FewColumns(TakesTable, BaseEstimator):
    """A model of Tamis on at most k columns.

    It is fitted on all columns; where it uses more than k, it is fitted again on the k that contribute most (as
    `feature_importances_`; ties by name). A sparse linear model and a pruned tree keep the strength that was chosen
    with all columns; another model is tuned again. Both fits see the training rows alone.

    Parameters
    ----------
    model : an unfitted model that takes a Table and tells what each column contributes.
    k : columns at most.

    Attributes
    ----------
    selected_columns_ : the columns that are used.
    fitted_ : the fitted model; behind the chosen columns where there were too many.
    """

    def __init__(self, model: Any, k: int = 5) -> None:
        self.model = model
        self.k = k

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> FewColumns:
        """Fit, and where too many columns are used, fit again on the k that contribute most."""
        from tamis.study.procedures.models.fitted import FittedProcedure

        k, X = count("k", self.k), X if isinstance(X, Table) else Table.of(X)
        first = clone(self.model).fit(X, y, **weighted(self.model, sample_weight))
        used = by_contribution(first, X, y)
        self.fitted_: Any = first
        if len(used) > k:
            indices, again = fit_restricted(first, X, y, used[:k], sample_weight)
            self.fitted_ = Transformed([("columns", Columns(X.n_columns, indices, list(X.names))), ("model", again)])
        if hasattr(first, "classes_"):
            self.classes_ = first.classes_
        self.selected_columns_ = FittedProcedure("", self.fitted_, tuple(X.names)).columns
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class or number of every row."""
        return np.asarray(self.fitted_.predict(X))

    @available_if(_gives_shares)
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of every class."""
        return np.asarray(self.fitted_.predict_proba(X))


def by_contribution(model: Any, X: Table, y: Any) -> list[str]:
    """Names of the columns that a fitted model uses, largest contribution to these rows first, ties by name."""
    from tamis.study.procedures.models.fitted import FittedProcedure

    task = CLASSIFICATION if hasattr(model, "classes_") else REGRESSION
    return list(contributions(FittedProcedure("", model, tuple(X.names)), problem_of([], X, y, task=task)))


def fit_restricted(
    model: Any, X: Table, y: Any, names: Sequence[str], sample_weight: Any = None
) -> tuple[np.ndarray, Any]:
    """Places of the named columns of X, and a model like a fitted one, at its strength, fitted on them alone."""
    indices = np.sort([X.index(name) for name in names])
    again = type(model)(**{**model.get_params(deep=False), **strength(model)})  # a clone would copy all folds
    if getattr(again, "monotone", None) is not None:
        again.set_params(monotone=directions_among(again.monotone, names))
    return indices, again.fit(X.select(indices.tolist()), y, **weighted(again, sample_weight))


def weighted(model: BaseEstimator, sample_weight: Any) -> dict[str, Any]:
    """Weights of rows, which in a study are exposures, as arguments of `fit`; nothing where there are none."""
    return {} if sample_weight is None else dict.fromkeys(weight_names(model, exposure=True), sample_weight)


def sizes(model: Any, n_used: int) -> list[int]:
    """The numbers of columns below n_used that a fitted model is held to; none of a model that must be tuned again."""
    if not strength(model):
        return []
    several = len(getattr(model, "classes_", ())) > 2 and hasattr(model, "coef_")
    return [k for k in SIZES if k < n_used and not (several and k > MOST_OF_SEVERAL)]


def strength(model: Any) -> dict[str, Any]:
    """Parameters at which a fitted model is fitted again without tuning; none where it must be tuned again.

    On 1 to 8 columns (at most 600 rows, three splits) a lasso at its strength does as well as a tuned one (mean loss
    over 9 tables within 1%), a tree at its price of a leaf, too (over 13 tables 5% worse on one column, 2 to 3% better
    on 2 to 5), in milliseconds.
    """
    if not takes_table(model):
        return {}
    if getattr(model, "prune", None) == "cv" and not hasattr(model, "leaf_models_"):
        return {"prune": model.alpha_}
    sparse = getattr(model, "penalty", None) in ("lasso", "elastic-net")
    if sparse and model.alpha == "cv" and not hasattr(model, "paths_"):  # else each class has its own
        return {"alpha": model.alpha_, "l1_ratio": model.l1_ratio_}
    return {}


def can_be_held(model: Any) -> bool:
    """Whether a model can be held to few columns: a pipeline or a model of others may need those it is made for."""
    return takes_table(model) and not isinstance(model, Transformed)


def held_to(model: Any, k: int, name: str) -> FewColumns:
    """A procedure's model on at most k columns."""
    if not can_be_held(model):
        raise ParameterError(
            f"columns={k} does not go with the procedure {name!r}: a pipeline is fitted on the columns it is made for; "
            "give procedure= alone, or a pipeline that chooses columns itself"
        )
    return FewColumns(model, k)
