"""What the linear models of a lazy table begin with: the target by name, columns in the order of their names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis import check
from tamis.errors import ParameterError
from tamis.linear.encoding import EncodedInputs
from tamis.split.pairs import is_whole
from tamis.table import LazyTable, features
from tamis.table.lazy.grid import Cell
from tamis.typing import Folding
from tamis.views.indicators import Indicators
from tamis.views.lazy.fold_moments import MomentsOfCell, RowFolds, encoding_of
from tamis.views.lazy.target import LazyTarget

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def folds_of(cv: Folding) -> int:
    """How many folds; a lazy table deals its rows out by their numbers."""
    if cv is not None and not is_whole(cv):
        raise ParameterError(f"cv={cv!r} names rows, which a lazy table cannot take; give a number of folds")
    return 5 if cv is None else check.count("cv", cv, low=2)


def refuse_ratios(model: BaseEstimator) -> None:
    """One share of the absolute penalty, no refits: several are compared on rows in memory only."""
    for name in ("relax", "norm_bound", "prior_sd", "monotone"):
        if getattr(model, name) is not None:
            raise ParameterError(
                f"{name}={getattr(model, name)!r} needs rows in memory; give a sample: table.sample(100_000)"
            )
    if model.penalty == "elastic-net" and (isinstance(model.l1_ratio, str) or np.ndim(model.l1_ratio) > 0):
        raise ParameterError(
            f"l1_ratio={model.l1_ratio!r} compares paths, which a lazy table does not; give a number between 0 and 1"
        )


def remember(model: Any, table: LazyTable, target: str, *, reference: bool) -> Indicators:
    """Let the model remember the columns; the encoding of the columns in solving order."""
    for name in ("cv_predictions_", "nested_predictions_", "standard_errors_", "spread_"):
        model.__dict__.pop(name, None)
    rest = table.select([name for name in table.names if name != target])
    features(model, rest.prototype(), reset=True, min_rows=2)
    encoding = encoding_of(rest, list(rest.names), reference=reference)
    model.inputs_ = EncodedInputs(encoding, encoding.encoded(rest.order()), None)
    model.coef_names_ = list(encoding.columns)
    return encoding.select(rest.order().tolist())


def learn_fill(
    model: BaseEstimator, table: LazyTable, target: str, encoding: Indicators, answer: LazyTarget | None = None
) -> np.ndarray | None:
    """With missing="mean" the means of the encoded columns in solving order, one pass; the model remembers them."""
    if model.missing != "mean":
        return None
    wanted = table.select([*encoding.names, target])
    absent = np.full(encoding.n_encoded, np.nan)  # a missing value stays one
    rows = MomentsOfCell(wanted.cell_table(), encoding, target, RowFolds(1), answer, absent)
    found = wanted.reduce(MeansOfCell(rows), merge_means)
    fill = np.where(found.n > 0, found.mean, 0.0)
    model.inputs_ = replace(model.inputs_, fill=model.inputs_.restore(fill))
    return fill


@dataclass(frozen=True, eq=False)
class Means:
    """Rows with a value and their mean, of every encoded column."""

    n: np.ndarray
    mean: np.ndarray


@dataclass(frozen=True, eq=False)
class MeansOfCell:
    """Makes the means of a cell's rows that have a target."""

    rows: MomentsOfCell

    def __call__(self, cell: Cell) -> Means:
        block = self.rows.rows(cell)[0][:, :-1]
        n = np.count_nonzero(~np.isnan(block), axis=0).astype(np.float64)
        return Means(n, np.divide(np.nansum(block, axis=0), n, out=np.zeros_like(n), where=n > 0))


def merge_means(a: Means, b: Means) -> Means:
    """The means of both."""
    n = a.n + b.n
    share = np.divide(b.n, n, out=np.zeros_like(n), where=n > 0)
    return Means(n, a.mean + (b.mean - a.mean) * share)


def importances(coef: np.ndarray, scatter: np.ndarray, weight: float, groups: np.ndarray, n_columns: int) -> np.ndarray:
    """The spread of what each column adds to the linear predictor, from the scatter of the encoded columns.

    Parameters
    ----------
    coef : outputs × encoded columns, in the order of the scatter.
    """
    found = np.zeros(n_columns)
    for j in np.unique(groups[coef.any(axis=0)]):
        of = np.flatnonzero(groups == j)
        part = np.einsum("ki,ij,kj->k", coef[:, of], scatter[np.ix_(of, of)], coef[:, of]) / weight
        found[j] = np.sqrt(np.mean(np.maximum(part, 0.0)))
    return found
