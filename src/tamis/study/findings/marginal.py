"""Each column alone against the target: strength, direction, and the p-value of the test of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.engine import generator
from tamis.score import mutual_information, relief
from tamis.study.claims.association import Association
from tamis.study.problem import StudyProblem
from tamis.table import Column

#: Neighbours of ReliefF; of so few rows, all others.
NEIGHBOURS = 10

#: Rows that the score by neighbours looks at, at most: it grows with their square.
MOST_RELIEF = 500

#: Columns beyond which it is not computed: distances in thousands of columns say little about any one of them.
WIDEST_RELIEF = 2_000


def marginal(problem: StudyProblem, tested: Association, n_jobs: int | None = None) -> dict[str, list[Any]]:
    r"""For every column, in the order of names, as parallel lists.

    strength : the share of variance that column and target have in common, from 0 to 1: of a number and classes
        :math:`\eta^2`, of two numbers :math:`r^2`, of a category and a number the correlation ratio, of a category and
        classes Cramér's :math:`V^2`.
    p_value : of the test of columns (`study.claims.association`), adjusted for all columns; None for a column that is
        not tested.
    direction : 1 or -1, the sign of the correlation with a number, or with the second of two classes; for more classes
        the code of the class with the largest mean; None for categories.
    information : mutual information in nats, less its bias.
    relief : ReliefF, of at most 500 rows; None on tables of more than 2,000 columns.
    missing : share of rows without a value.
    """
    described = [_of_column(column, problem) for column in problem.X.columns]
    rows = np.arange(len(problem.y))
    if len(rows) > MOST_RELIEF:
        rows = np.sort(generator(0, "rows of relief").permutation(rows)[:MOST_RELIEF])
    near = None
    if _suits_relief(problem, rows):
        near = relief(problem.X.take(rows), problem.rates[rows], k=min(NEIGHBOURS, len(rows) - 1), n_jobs=n_jobs)
    return {
        "name": list(problem.X.names),
        **{key: [facts[key] for facts in described] for key in ("strength", "direction", "missing")},
        "p_value": [tested.p_values.get(name) for name in problem.X.names],
        "information": mutual_information(problem.X, problem.rates, corrected=True, n_jobs=n_jobs).tolist(),
        "relief": None if near is None else near.tolist(),
    }


def _suits_relief(problem: StudyProblem, rows: np.ndarray) -> bool:
    """Whether there are few enough columns, and two rows at least of every class."""
    if problem.X.n_columns > WIDEST_RELIEF:
        return False
    if not problem.labels:
        return True
    counts = np.bincount(problem.y[rows], minlength=len(problem.labels))
    return bool(counts.min() >= 2)


def _of_column(column: Column, problem: StudyProblem) -> dict[str, Any]:
    is_known = ~column.missing if not column.is_categorical else column.values >= 0
    values, y = column.values[is_known], problem.rates[is_known]
    nothing = {"strength": 0.0, "direction": None}
    if len(values) < 3:
        facts = nothing
    elif column.is_categorical:
        facts = _category_and_class(values, y) if problem.labels else _groups(values, y)
    elif problem.labels:
        facts = {**_groups(y, values), "direction": _towards(values, y, len(problem.labels))}
    else:
        facts = _two_numbers(values, y)
    return {**nothing, **facts, "missing": float(1 - is_known.mean())}


def _groups(codes: np.ndarray, values: np.ndarray) -> dict[str, Any]:
    """Variance of numbers between groups, as a share of all."""
    mass = np.bincount(codes)
    centred = values - values.mean()
    total, used = float(centred @ centred), int((mass > 0).sum())
    if not total > 0 or not 2 <= used < len(values):
        return {}
    sums = np.bincount(codes, centred)
    between = float(np.divide(sums**2, mass, out=np.zeros(len(mass)), where=mass > 0).sum())
    return {"strength": min(between / total, 1.0)}


def _two_numbers(x: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    a, b = x - x.mean(), y - y.mean()
    squares, product = float((a @ a) * (b @ b)), float(a @ b)
    if not squares > 0:
        return {}
    return {"strength": min(product**2 / squares, 1.0), "direction": int(np.sign(product))}


def _category_and_class(codes: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Cramér's V squared."""
    counts = np.zeros((int(codes.max()) + 1, int(y.max()) + 1))
    np.add.at(counts, (codes, y), 1)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    freedom = min(counts.shape) - 1
    if freedom < 1:
        return {}
    n = counts.sum()
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return {"strength": min(statistic / (n * freedom), 1.0)}


def _towards(values: np.ndarray, y: np.ndarray, n_classes: int) -> int | None:
    """The sign of the difference of two classes' means; of more classes, the one with the largest mean."""
    mass, sums = np.bincount(y, minlength=n_classes), np.bincount(y, values, minlength=n_classes)
    means = np.divide(sums, mass, out=np.full(n_classes, -np.inf), where=mass > 0)
    if n_classes == 2:
        return int(np.sign(means[1] - means[0])) if (mass > 0).all() else None
    return int(means.argmax())
