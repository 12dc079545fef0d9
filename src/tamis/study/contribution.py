"""What each column contributes to a fitted procedure, as shares that add up to 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from tamis.linear.contribution import contributions as of_columns
from tamis.study.procedures import Fitted
from tamis.table import Table


def contributions(fitted: Fitted, table: Table) -> dict[str, float]:
    """Share of each column the model uses, largest first; ties by name.

    A linear model: the standard deviation, over the training rows, of what the column adds to the linear predictor (of
    several classes: root mean square over them). A tree or a forest: the share of the improvement it brings.
    """
    model = fitted.model
    if hasattr(model, "inputs_"):
        weight = _of_linear(model, table)
    elif hasattr(model, "forest_"):
        weight = dict(zip(model.selected_columns_, model.forest_.feature_importances_.tolist()))
    elif hasattr(model, "tree_"):
        weight = dict(zip(model.tree_.names, model.feature_importances_.tolist()))
    else:
        weight = {}
    known = {str(name): float(weight.get(name, 0.0)) for name in fitted.columns}
    total = sum(known.values())
    order = sorted(known, key=lambda name: (-known[name], name))
    return {name: known[name] / total if total > 0 else 1 / len(known) for name in order}


def _of_linear(model: Any, table: Table) -> dict[str, float]:
    matrix, encoding = model.inputs_.read(table), model.inputs_.encoding
    matrix = matrix.tocsc() if sparse.issparse(matrix) else matrix
    coef, rows = np.atleast_2d(model.coef_), np.ones(table.n_rows)
    spread = of_columns(matrix, coef, encoding.groups, len(encoding.names), rows)
    return {encoding.names[j]: float(spread[j]) for j in np.unique(encoding.groups[coef.any(axis=0)])}
