"""Scores of columns from a tally: the formulas of the criteria, on tables of counts and on means and scatters."""

import numpy as np

from tamis.errors import ParameterError
from tamis.score.counts import Counts
from tamis.score.criteria.anova import f_ratio
from tamis.score.criterion import Criterion, Target
from tamis.score.groups import Groups
from tamis.score.lazy.tally import ColumnSums, Tally
from tamis.table import Column, Table

#: Criteria that read means and scatters, and those that read counts of codes besides the ones of `Counts`.
OF_SUMS, OF_CODES = ("anova", "dispersion", "pearson", "variance"), ("stump",)


def reads_sums(criterion: Criterion) -> bool:
    return criterion.name in OF_SUMS


def reads_counts(criterion: Criterion) -> bool:
    return isinstance(criterion, Counts) or criterion.name in OF_CODES


def scores_of(
    criterion: Criterion, tally: Tally, heads: list[Column], of_classes: bool, limits: dict[str, int]
) -> np.ndarray:
    """One number a column.

    Parameters
    ----------
    heads : the columns, for their names, kinds and levels.
    of_classes : whether the target is classes.
    limits : into how many groups each column of numbers is cut, by name.
    """
    target_kind = "classes" if of_classes else "numbers"
    if criterion.takes and target_kind not in criterion.takes:
        alternatives = "mutual_information, anova or gini" if of_classes else "mutual_information, pearson or anova"
        raise ParameterError(f"{criterion.name} takes no target of {target_kind}; use {alternatives}")
    plain = _of_sums(criterion.name, tally.sums, of_classes) if reads_sums(criterion) and tally.sums else None
    scores = np.zeros(len(heads))
    for j, head in enumerate(heads):
        if plain is not None and not head.is_categorical:
            scores[j] = plain[j]
        elif reads_sums(criterion) and not of_classes:
            scores[j] = _of_levels(criterion, tally, head)
        else:
            scores[j] = _of_counts(criterion, tally.counts[head.name], head, of_classes, limits.get(head.name))
    return scores


def _of_sums(name: str, sums: ColumnSums, of_classes: bool) -> np.ndarray:
    """Of columns of numbers; NaN for the others."""
    rows, zeros = sums.rows, np.zeros(len(sums.scatter))
    with np.errstate(invalid="ignore"):
        if name in ("variance", "dispersion"):
            below = rows * (1.0 if name == "variance" else np.abs(sums.middle))
            return np.divide(sums.scatter, below, out=zeros, where=below > 0)
        if of_classes:
            between = (sums.n * (sums.mean - sums.middle) ** 2).sum(axis=0)
            share = np.divide(between, sums.scatter, out=zeros, where=sums.scatter > 0)
            used = (sums.n > 0).sum(axis=0)
            return f_ratio(np.clip(share, 0.0, 1.0), used - 1, rows - used)
        scatter_product = sums.scatter * sums.target_scatter
        squared = np.divide(sums.products**2, scatter_product, out=zeros, where=(scatter_product > 0) & (rows > 2))
        squared = np.minimum(squared, 1.0)
        return squared if name == "pearson" else f_ratio(squared, 1, rows - 2)


def signs_of(sums: ColumnSums, squared: np.ndarray) -> np.ndarray:
    """The sign of each correlation; 0 for categories and where there is none."""
    with np.errstate(invalid="ignore"):
        return np.where((squared > 0) & np.isfinite(sums.products), np.sign(np.nan_to_num(sums.products)), 0.0)


def _of_levels(criterion: Criterion, tally: Tally, head: Column) -> float:
    """Of a categorical column and a numeric target: each level as two values that have its mean and scatter."""
    if not criterion.takes:
        return _of_counts(criterion, tally.counts[head.name].sum(axis=1, keepdims=True), head, True, None)
    levels = tally.levels[head.name]
    occupied = np.flatnonzero(levels.n)
    if not occupied.size:
        return 0.0
    spread = np.sqrt(levels.scatter[occupied] / levels.n[occupied])
    y = np.concatenate([levels.mean[occupied] - spread, levels.mean[occupied] + spread])
    codes, weights = np.tile(occupied, 2).astype(np.int32), np.tile(levels.n[occupied] / 2, 2)
    table = Table([Column(head.name, "categorical", codes, head.levels)])
    target = Target("numbers", len(y), values=y)
    return float(criterion.values(criterion.view(table, target, weights, None), target)[0])


def _of_counts(criterion: Criterion, counts: np.ndarray, head: Column, of_classes: bool, limit: int | None) -> float:
    """Of a column as one row for every code and class that occur, weighted by how often they do."""
    codes, classes = np.nonzero(counts)
    weights, missing = counts[codes, classes].astype(np.float64), len(counts) - 1
    if not len(codes):
        return 0.0
    if head.is_categorical:
        values = np.where(codes == missing, -1, codes).astype(np.int32)
        table = Table([Column(head.name, "categorical", values, head.levels)])
    else:
        table = Table([Column(head.name, "numeric", np.where(codes == missing, np.nan, codes))])
    kind = "classes" if of_classes else "numbers"
    target = Target(kind, len(codes), classes.astype(np.int32), counts.shape[1])
    if not criterion.takes:
        target = Target("none", len(codes))
    if isinstance(criterion, Counts):
        view = Groups.of(table, weights, max_groups=limit, min_groups=10 if of_classes else 6)
        return float(criterion.values(view, target)[0])
    return float(criterion.values(criterion.view(table, target, weights, None), target)[0])
