"""The coefficients of a linear model, term by term, as plain values: what is compared over folds."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Terms kept, at most: those of the columns that contribute most.
MOST = 40


def is_linear(model: Any) -> bool:
    """Whether a fitted model is a sum of terms."""
    return hasattr(model, "coef_") and hasattr(model, "inputs_") and hasattr(model, "coef_names_")


def terms(model: Any) -> dict[str, Any] | None:
    """Names of the terms with a coefficient, their coefficients (a list an output) and intercepts; None of others.

    `left` counts the terms that are not kept.
    """
    if not is_linear(model):
        return None
    coef, groups = np.atleast_2d(model.coef_), model.inputs_.encoding.groups
    used = np.flatnonzero(coef.any(axis=0))
    weight = getattr(model, "feature_importances_", None)
    size = np.abs(coef).max(axis=0) if weight is None else np.asarray(weight)[groups]
    kept = used[np.argsort(-size[used], kind="stable")][:MOST]
    return {
        "names": [str(model.coef_names_[j]) for j in kept],
        "coef": coef[:, kept].tolist(),
        "intercept": np.atleast_1d(model.intercept_).tolist(),
        "left": len(used) - len(kept),
    }
