"""The coefficients of a linear model, term by term, as plain values: what is compared over folds."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

import numpy as np

from tamis.study.procedure.columns import Columns
from tamis.study.procedure.transformed import Transformed

#: Terms listed, at most: those of the columns that contribute most.
LISTED = 40

#: Coefficients that a fold keeps, at most. Which of them the final model lists is not known before it is fitted, so a
#: fold keeps all that it can: 7,000 take 75 kB (130 kB as digits), 100,000 take 1.1 MB.
KEPT = 100_000

Terms = dict[str, Any]


def is_linear(model: Any) -> bool:
    """Whether a fitted model is a sum of terms."""
    return hasattr(model, "coef_") and hasattr(model, "inputs_") and hasattr(model, "coef_names_")


def terms(model: Any) -> Terms | None:
    """Names of the terms with a coefficient, their coefficients (a list an output) and intercepts; None of others.

    `left` counts the terms that are not listed; `classes` are the codes of the classes that were learned.
    """
    found = _largest(model, LISTED)
    return None if found is None else {**found, "coef": found["coef"].tolist()}


def kept_terms(model: Any, most: int = KEPT) -> Terms | None:
    """The same of a fold's model for the journal: as many coefficients as there is room for, packed as bytes."""
    outputs = np.atleast_2d(getattr(_linear(model), "coef_", 0.0)).shape[0]
    found = _largest(model, most // outputs)
    if found is None:
        return None
    packed = b64encode(np.ascontiguousarray(found["coef"], dtype="<f8").tobytes()).decode()
    return {**found, "coef": packed, "outputs": outputs}


def listed_terms(kept: Terms | None, listed: Terms | None) -> Terms | None:
    """What a fold kept of the terms that the final model lists, in their order.

    A term that the fold's model does not have is there with 0; one is missing only where `kept_terms` had no room for
    it. `left` counts the terms of the fold's model that are not there. None where the fold learned other classes: its
    outputs are others.
    """
    if kept is None or listed is None or kept.get("classes") != listed.get("classes"):
        return None
    coef, place = _unpacked(kept), {name: j for j, name in enumerate(kept["names"])}
    names = [name for name in listed["names"] if name in place or not kept["left"]]
    found = np.zeros((len(coef), len(names)))
    known = [k for k, name in enumerate(names) if name in place]
    found[:, known] = coef[:, [place[names[k]] for k in known]]
    left = len(place) - len(known) + kept["left"]
    return {"names": names, "coef": found.tolist(), "intercept": kept["intercept"], "left": left}


def _unpacked(kept: Terms) -> np.ndarray:
    if not isinstance(kept["coef"], str):  # a journal begun before they were packed
        return np.atleast_2d(np.array(kept["coef"], dtype=np.float64))
    numbers = np.frombuffer(b64decode(kept["coef"]), dtype="<f8")
    return numbers.reshape(kept["outputs"], len(kept["names"]))


def _linear(model: Any) -> Any:
    """The model itself, or the one behind a choice of columns: its terms are of columns of the table, too."""
    if isinstance(model, Transformed) and len(model.steps) == 2 and isinstance(model.steps[0][1], Columns):
        return model.steps[1][1]
    return model


def _largest(model: Any, most: int) -> Terms | None:
    """So many terms at most, those of the columns that contribute most first; `coef` is outputs × terms."""
    model = _linear(model)
    if not is_linear(model):
        return None
    coef, groups = np.atleast_2d(model.coef_), model.inputs_.encoding.groups
    used = np.flatnonzero(coef.any(axis=0))
    weight = getattr(model, "feature_importances_", None)
    size = np.abs(coef).max(axis=0) if weight is None else np.asarray(weight)[groups]
    first = used[np.argsort(-size[used], kind="stable")][:most]
    return {
        "names": [str(model.coef_names_[j]) for j in first],
        "coef": coef[:, first],
        "intercept": np.atleast_1d(model.intercept_).tolist(),
        "left": len(used) - len(first),
        "classes": [int(code) for code in model.classes_] if hasattr(model, "classes_") else None,
    }
