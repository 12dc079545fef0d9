"""A linear model in words and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.linear.losses import loss_named
from tamis.metrics.distributions import t_tail

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def formula(model: BaseEstimator, digits: int) -> str:
    """The formula of a fitted model, one term a line, largest effect names as they are in the table."""
    coef, intercept = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    if getattr(model, "standard_errors_", None) is not None and model.alpha_ == 0:
        return "\n".join([_errors(coef[0], float(intercept[0]), model, digits), _footer(model)])
    if hasattr(model, "thresholds_"):
        return "\n".join([_terms("score", coef[0], 0.0, model, digits), _ranges(model, digits), _footer(model)])
    parts = [_terms(head, row, b, model, digits) for head, row, b in zip(_heads(model, len(coef)), coef, intercept)]
    return "\n".join([*parts, _footer(model)])


def _ranges(model: BaseEstimator, digits: int) -> str:
    """The log-odds of every split of ordered classes."""
    pairs = zip(model.classes_, model.classes_[1:], model.thresholds_)
    return "\n".join(f"log-odds of at most {low} (not {high}) = {at:.{digits}g} - score" for low, high, at in pairs)


def _heads(model: BaseEstimator, outputs: int) -> list[str]:
    if not hasattr(model, "classes_"):
        word = loss_named(model.loss).predictor
        return [word] if outputs == 1 else [f"{word} {k + 1}" for k in range(outputs)]
    word = "log-odds of" if model.loss == "logistic" and outputs == 1 else "score of"
    labels = model.classes_[1:] if outputs == 1 else model.classes_
    return [f"{word} {label}" for label in labels]


def _terms(head: str, coef: np.ndarray, intercept: float, model: BaseEstimator, digits: int) -> str:
    lines = [f"{head} = {intercept:.{digits}g}"]
    encoding = model.inputs_.encoding
    names = encoding.columns
    for j in np.flatnonzero(coef).tolist():
        sign = "+" if coef[j] > 0 else "-"
        lines.append(f"    {sign} {abs(coef[j]):.{digits}g} × {_word(names[j], encoding, j)}")
    return "\n".join(lines)


def _errors(coef: np.ndarray, intercept: float, model: BaseEstimator, digits: int) -> str:
    """Least squares as a table: coefficient, standard error, t and p of every term."""
    encoding, freedom = model.inputs_.encoding, model.residual_degrees_of_freedom_
    names = [_word(name, encoding, j) for j, name in enumerate(encoding.columns)]
    rows = list(zip(names, coef, model.standard_errors_, model.t_, model.p_))
    if model.fit_intercept:
        error = model.intercept_standard_error_
        t = intercept / error if error > 0 else np.nan
        p = 2 * t_tail(abs(t), freedom) if freedom > 0 else np.nan
        rows.insert(0, ("(intercept)", intercept, error, t, p))
    cells = [["target", "coefficient", "standard error", "t", "p"]]
    for name, value, error, t, p in rows:
        cells.append([name, f"{value:.{digits}g}", f"{error:.{digits}g}", f"{t:.3g}", f"{p:.2g}"])
    wide = [max(len(row[j]) for row in cells) for j in range(5)]
    lines = ["  ".join([row[0].ljust(wide[0]), *(row[j].rjust(wide[j]) for j in range(1, 5))]) for row in cells]
    fit = f"R² {model.r2_:.3g}, adjusted {model.adjusted_r2_:.3g}; residual standard deviation "
    return "\n".join([*lines, f"{fit}{model.residual_deviation_:.{digits}g} on {freedom:g} degrees of freedom"])


def _word(name: str, encoding: Any, j: int) -> str:
    column = int(encoding.groups[j])
    if encoding.levels[column] is None:
        return name
    return f"[{encoding.names[column]} is {name[len(encoding.names[column]) + 1 :]}]"


def _footer(model: BaseEstimator) -> str:
    used, total = len(model.selected_columns_), len(model.inputs_.encoding.names)
    how = f"penalty {model.penalty}" if model.penalty else "no penalty"
    if model.penalty == "subset":
        how = f"best subset of {used}"
    elif model.penalty and model.alpha_ is not None:
        how += f", alpha {model.alpha_:.4g}"
        if model.path_ is not None and model.path_.cv_mean is not None:
            how += f" by cross-validation (rule {model.rule})"
    return f"({used} of {total} columns; {how})"
