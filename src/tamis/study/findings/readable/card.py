"""A score card as plain values: its statements, their points, and the table from totals to predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tamis.study.procedures.models.facts import facts_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def card_of(model: BaseEstimator, order: list[str]) -> dict[str, Any] | None:
    """`statements`, `risk`, and `intercept` + `slope` · total, of which `link` makes an answer; None of other columns.

    A statement has the place of its `column` in `order`, its `test` ("above", "at most", "is", "missing"), the `value`
    that is asked for, its `words` and `points`.
    """
    index_of = {name: k for k, name in enumerate(order)}
    if not {statement.column for statement in model.statements_} <= set(index_of):
        return None
    statements = [
        {
            "column": index_of[statement.column],
            "test": statement.kind,
            "value": str(statement.value) if statement.kind == "is" else statement.value,
            "words": words,
            "points": points,
        }
        for statement, (words, points) in zip(model.statements_, model.table_)
    ]
    return {
        "kind": "card",
        "statements": statements,
        "risk": {name: values.tolist() for name, values in model.risk_.items()},
        "intercept": [model.intercept_],
        "slope": model.slope_,
        "link": facts_of(model).link(),
        "classes": facts_of(model).codes(),
    }
