"""What the linear models of a lazy table begin with: the target by name, columns in the order of their names."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis import check
from tamis.errors import ParameterError
from tamis.linear.encoding import EncodedInputs
from tamis.split.pairs import is_whole
from tamis.table import LazyTable, features
from tamis.views.indicators import Indicators
from tamis.views.lazy.fold_moments import encoding_of


def folds_of(cv: Any) -> int:
    """How many folds; a lazy table deals its rows out by their numbers."""
    if cv is not None and not is_whole(cv):
        raise ParameterError(f"cv={cv!r} names rows, which a lazy table cannot take; give a number of folds")
    return 5 if cv is None else check.count("cv", cv, low=2)


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
