"""The coefficients of a linear model, term by term, as plain values: what is compared over folds."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.study.procedures.models.columns import Columns
from tamis.study.procedures.models.facts import LinearFacts, facts_of
from tamis.study.procedures.models.transformed import Transformed

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


#: Terms listed, at most: those of the columns that contribute most.
LISTED = 40

#: Coefficients that a fold keeps, at most. Which of them the final model lists is not known before it is fitted, so a
#: fold keeps all that it can: 7,000 take 75 kB (130 kB as digits), 100,000 take 1.1 MB.
KEPT = 100_000

Terms = dict[str, Any]


def is_linear(model: BaseEstimator) -> bool:
    """Whether a fitted model is a sum of terms."""
    return isinstance(facts_of(model), LinearFacts)


def terms(model: BaseEstimator) -> Terms | None:
    """Names of the terms with a coefficient, their coefficients (a list an output) and intercepts; None of others.

    `left` counts the terms that are not listed; `classes` are the codes of the classes that were learned.
    """
    largest = _largest(model, LISTED)
    return None if largest is None else {**largest, "coef": largest["coef"].tolist()}


def kept_terms(model: BaseEstimator, max_numbers: int = KEPT) -> Terms | None:
    """The same of a fold's model for the journal: as many coefficients as there is room for, packed as bytes."""
    outputs = np.atleast_2d(getattr(_linear(model), "coef_", 0.0)).shape[0]
    largest = _largest(model, max_numbers // outputs)
    if largest is None:
        return None
    packed = b64encode(np.ascontiguousarray(largest["coef"], dtype="<f8").tobytes()).decode()
    return {**largest, "coef": packed, "outputs": outputs}


def listed_terms(stored: Terms | None, listed: Terms | None) -> Terms | None:
    """What a fold kept of the terms that the final model lists, in their order.

    A term that the fold's model does not have is there with 0; one is missing only where `kept_terms` had no room for
    it. `left` counts the terms of the fold's model that are not there. None where the fold learned other classes: its
    outputs are others.
    """
    if stored is None or listed is None or stored.get("classes") != listed.get("classes"):
        return None
    coef, index_of = _unpacked(stored), {name: j for j, name in enumerate(stored["names"])}
    names = [name for name in listed["names"] if name in index_of or not stored["left"]]
    coefficients = np.zeros((len(coef), len(names)))
    stored_indices = [k for k, name in enumerate(names) if name in index_of]
    coefficients[:, stored_indices] = coef[:, [index_of[names[k]] for k in stored_indices]]
    left = len(index_of) - len(stored_indices) + stored["left"]
    return {"names": names, "coef": coefficients.tolist(), "intercept": stored["intercept"], "left": left}


def _unpacked(stored: Terms) -> np.ndarray:
    if not isinstance(stored["coef"], str):  # a journal begun before they were packed
        return np.atleast_2d(np.array(stored["coef"], dtype=np.float64))
    numbers = np.frombuffer(b64decode(stored["coef"]), dtype="<f8")
    return numbers.reshape(stored["outputs"], len(stored["names"]))


def _linear(model: BaseEstimator) -> Any:
    """The model itself, or the one behind a choice of columns: its terms are of columns of the table, too."""
    if isinstance(model, Transformed) and len(model.steps) == 2 and isinstance(model.steps[0][1], Columns):
        return model.steps[1][1]
    return model


def _largest(model: BaseEstimator, max_terms: int) -> Terms | None:
    """So many terms at most, those of the columns that contribute most first; `coef` is outputs × terms."""
    model = _linear(model)
    if not is_linear(model):
        return None
    coef, groups = np.atleast_2d(model.coef_), model.inputs_.encoding.groups
    used = np.flatnonzero(coef.any(axis=0))
    weight = getattr(model, "feature_importances_", None)
    size = np.abs(coef).max(axis=0) if weight is None else np.asarray(weight)[groups]
    first = used[np.argsort(-size[used], kind="stable")][:max_terms]
    return {
        "names": [str(model.coef_names_[j]) for j in first],
        "coef": coef[:, first],
        "intercept": np.atleast_1d(model.intercept_).tolist(),
        "left": len(used) - len(first),
        "classes": facts_of(model).codes(),
    }
