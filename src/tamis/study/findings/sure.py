"""Which of a model's columns are sure: those that explain the target beyond all other columns of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import special

from tamis.engine import generator
from tamis.score.permutation import benjamini_hochberg
from tamis.study.findings.pairs.additive_fit import fitted_terms, orthonormal, plain_terms
from tamis.study.findings.pairs.interactions import clusters_of_rows, contrasts, inflated, root_exposure
from tamis.study.problem import StudyProblem

#: Columns, rows and cells that are tested, at most.
MAX_COLUMNS, MAX_ROWS, MAX_CELLS = 60, 5_000, 100_000

#: Draws of the residuals' signs, which give the scale of the statistics; share of false columns among the sure ones.
DRAWS, ALPHA = 99, 0.1

#: Rows for each term of the model that the test is made in.
ROWS_PER_TERM = 3


def sure_columns(
    problem: StudyProblem,
    order: Sequence[str],
    interchangeable: Sequence[dict[str, Any]],
    pairs: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    r"""For each column of the model: whether it is sure, and the reason.

    The target is fitted by the terms of all columns of the model (of a number itself, its rank and the rank's square;
    of a category its levels). The terms of a column, less what the others explain, are orthonormal columns Q; with the
    target's working response z,

    .. math:: T_j = \lVert Q^\top z \rVert^2

    is compared with a chi-squared variable, scaled by its mean over draws of the residuals' signs (wild bootstrap, CR3,
    by group or stretch of time). P-values are adjusted after Benjamini and Hochberg for all columns of the *table*, for
    the model chose among these: half of the columns that a lasso uses may be chance. A column is sure at p ≤ 0.1, or
    if it acts together with another one (`pairs`). Columns that correlate by 0.9 or more are tested as one.

    Parameters
    ----------
    order : columns of the model, largest contribution first.
    interchangeable, pairs : what `interchangeable` and `interactions` found.
    """
    units = _units(order, interchangeable)
    p_values = _p_values(problem, units) if units and len(np.unique(problem.y)) > 1 else {}
    partner: dict[str, str] = {}
    for pair in pairs:
        partner.setdefault(pair["first"], pair["second"])
        partner.setdefault(pair["second"], pair["first"])
    verdicts = []
    for name in order:
        unit = next(unit for unit in units if name in unit)
        p = p_values.get(unit)
        partners = [member for member in unit if member != name]
        is_sure = p is not None and p <= ALPHA
        if is_sure:
            reason = "explains the target beyond the other columns of the model"
            reason += f", together with {', '.join(partners)}" if partners else ""
        elif name in partner:
            is_sure, reason = True, f"acts together with {partner[name]}"
        else:
            reason = "not tested: too few rows" if p is None else "may repeat other columns of the model or be chance"
        verdicts.append({"name": name, "supported": is_sure, "p_value": p, "reason": reason})
    return verdicts


def _units(order: Sequence[str], interchangeable: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Columns that are tested together, by their first one in the order."""
    groups = {name: group["columns"][: group["used"]] for group in interchangeable for name in group["columns"]}
    return list(dict.fromkeys(tuple(groups.get(name, [name])) for name in order))


def _p_values(problem: StudyProblem, units: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], float]:
    """P-value of each unit that rows suffice for, after Benjamini and Hochberg over the columns of the table."""
    units = units[:MAX_COLUMNS]
    rows = np.arange(len(problem.y))
    n_tested = min(MAX_ROWS, max(500, MAX_CELLS // max(len(units), 1)))
    if len(rows) > n_tested:
        rows = np.sort(generator(0, "rows of sure columns").permutation(rows)[:n_tested])
    clusters, table = clusters_of_rows(problem, rows), problem.X.take(rows)
    signs = generator(0, "signs of sure columns").choice([-1.0, 1.0], size=(DRAWS, int(clusters.max()) + 1))
    targets = contrasts(problem, rows)
    smallest: dict[tuple[str, ...], float] = {}
    for mask, y in targets:
        subset = table.take(np.flatnonzero(mask))
        terms = [np.hstack([plain_terms(subset.column(name)) for name in unit]) for unit in units]
        n_informative = 2 * min(y.sum(), len(y) - y.sum()) if problem.labels else len(y)
        n_units = int((np.cumsum([term.shape[1] for term in terms]) <= n_informative // ROWS_PER_TERM).sum())
        if not n_units:
            continue
        every_term = np.hstack([np.ones((len(y), 1)), *terms[:n_units]])
        fit = fitted_terms(every_term, y, bool(problem.labels), root_exposure(problem, rows))
        draws = (signs[:, clusters[mask]] * inflated(fit, clusters[mask])) @ fit.basis
        weighted = [fit.basis.T @ (term * fit.weight[:, None]) for term in terms[:n_units]]
        constant = fit.basis.T @ fit.weight[:, None]
        response = fit.basis.T @ fit.response
        for k, unit in enumerate(units[:n_units]):
            other_terms = orthonormal(np.hstack([constant, *weighted[:k], *weighted[k + 1 :]]))
            p = _p_value(weighted[k], other_terms, response, draws) * len(targets)
            smallest[unit] = min(smallest.get(unit, 1.0), p)
    if not smallest:
        return {}
    untested = np.ones(max(0, problem.X.n_columns - len(smallest)))
    adjusted = benjamini_hochberg(np.concatenate([list(smallest.values()), untested]))
    return dict(zip(smallest, adjusted.tolist()))


def _p_value(term: np.ndarray, other_terms: np.ndarray, response: np.ndarray, draws: np.ndarray) -> float:
    """P-value of one unit's terms beyond an orthonormal basis of the others, all in coordinates of the fit's basis.

    The terms of all units span that basis, so nothing is lost, and no matrix here has as many rows as the table.
    """
    left = term - other_terms @ (other_terms.T @ term)
    U, size, _ = np.linalg.svd(left, full_matrices=False)
    Q = U[:, size > 0.02 * max(float(np.linalg.norm(term, axis=0).max(initial=0.0)), 1e-300)]
    df = Q.shape[1]
    if not df:
        return 1.0
    T = float(np.square(Q.T @ response).sum())
    null = np.square(draws @ Q).sum(axis=1)
    scale = max(float(null.mean()) / df, 1e-300)
    return float(special.chdtrc(df, T / scale))
