"""A fitted card as plain values and back, as text and as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.errors import DamagedError
from tamis.linear.card.statement import Statement
from tamis.saved import mapping, numbers, reading
from tamis.table.interface.saved_head import begin, head, refuse_other, saved_classes, saved_levels
from tamis.table.notation import Notation
from tamis.table.sql_text import literal, quoted

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


FORMAT = 1


def plain(model: BaseEstimator) -> dict[str, Any]:
    """Plain values only: dicts, lists, text, numbers, None."""
    out: dict[str, Any] = {
        **head(model, FORMAT, cv=model.cv if isinstance(model.cv, int) else None),  # folds are no plain values
        "levels": saved_levels(model),
        "statements": [statement.as_list() for statement in model.statements_],
        "points": model.points_.tolist(),
        "intercept": model.intercept_,
        "slope": model.slope_,
        "importances": model.feature_importances_.tolist(),
        "shrinkage": model.shrinkage_,
        "risk": {name: values.tolist() for name, values in model.risk_.items()},
    }
    if hasattr(model, "classes_"):
        out["classes"] = saved_classes(model)
    return out


def load(kind: Any, saved: dict[str, Any]) -> Any:
    """The fitted card of `plain`."""
    refuse_other(kind, saved, FORMAT)
    with reading("the saved card", "give what its to_dict wrote"):
        return _loaded(kind, saved)


def _loaded(kind: Any, saved: dict[str, Any]) -> Any:
    model, names = begin(kind, saved)
    model.column_names_ = names
    model.statements_ = [Statement.from_list(each) for each in saved["statements"]]
    place = {name: j for j, name in enumerate(names)}
    unknown = [each.column for each in model.statements_ if each.column not in place]
    if unknown:
        raise DamagedError(f"a statement is about {unknown[0]!r}, which is not among its columns")
    model.columns_ = np.array([place[each.column] for each in model.statements_], dtype=np.int64)
    model.points_ = numbers("points", saved["points"], np.int64, (len(model.statements_),))
    model.intercept_ = float(numbers("intercept", saved["intercept"], shape=()))
    model.slope_ = float(numbers("slope", saved["slope"], shape=()))
    model.feature_importances_ = numbers("importances", saved["importances"], shape=(len(names),))
    model.shrinkage_ = float(numbers("shrinkage", saved["shrinkage"], shape=()))
    risk = mapping("risk", saved["risk"])
    kinds = {"total": np.int64, "prediction": np.float64, "n_rows": np.int64}
    model.risk_ = {name: numbers(name, risk[name], dtype, (None,)) for name, dtype in kinds.items()}
    return model


def text_of(model: BaseEstimator) -> str:
    """The card to print: statements with points, then totals with what they predict."""
    lines = [(words, f"{points:+d}") for words, points in model.table_]
    width = max([len(words) for words, _ in lines], default=10)
    out = [f"{words:<{width}}  {points:>4}" for words, points in lines] or ["no statement predicts better than none"]
    is_class = hasattr(model, "classes_") and len(model.classes_) == 2
    heading = f"risk of {model.classes_[1]}" if is_class else "expected value"
    predictions = [_percent(p) if is_class else f"{p:.4g}" for p in model.risk_["prediction"]]
    cells = [max(len(str(t)), len(p)) for t, p in zip(model.risk_["total"], predictions)]
    totals = "  ".join(f"{t:>{w}}" for t, w in zip(model.risk_["total"], cells))
    values = "  ".join(f"{p:>{w}}" for p, w in zip(predictions, cells))
    side = max(len("total"), len(heading))
    return "\n".join([*out, "", f"{'total':<{side}}  {totals}", f"{heading:<{side}}  {values}"])


def _percent(risk: float) -> str:
    """A risk in whole percent, never quite 0 or 100.

    >>> _percent(0.001), _percent(0.234), _percent(0.999)
    ('<1%', '23%', '>99%')
    """
    return "<1%" if risk < 0.005 else ">99%" if risk > 0.995 else f"{100 * risk:.0f}%"


def sql_of(model: BaseEstimator, name: str) -> str:
    """The sum of one CASE per statement, through the curve; dates and words are compared as the database holds them."""
    terms = [
        f"CASE WHEN {_condition(statement, model.notations_in_)} THEN {int(points)} ELSE 0 END"
        for statement, points in zip(model.statements_, model.points_)
    ]
    curve = f"({model.intercept_!r} + {model.slope_!r} * ({' + '.join(terms) or '0'}))"
    if hasattr(model, "classes_"):
        curve = f"1.0 / (1.0 + EXP(-{curve}))"
    return f"{curve} AS {quoted(name)}"


def _condition(statement: Statement, notations: dict[str, Notation]) -> str:
    what, notation = quoted(statement.column), notations.get(statement.column)
    if statement.kind == "missing":
        return f"{what} IS NULL"
    if statement.kind == "is":
        return f"{what} = {literal(statement.value)}"
    sign = ">" if statement.kind == "above" else "<="
    words = () if notation is None else notation.values()
    if words:
        last = int(np.clip(np.floor(statement.value) + 1, 0, len(words)))
        side = words[last:] if statement.kind == "above" else words[:last]
        return f"{what} IN ({', '.join(map(literal, side))})" if side else "1 = 0"
    moment = "" if notation is None else notation.moment(statement.value)
    return f"{what} {sign} {literal(moment or statement.threshold)}"
