"""The columns of a lazy table, best first: one pass for all criteria that follow from counts, means and scatters."""

from typing import Any

import numpy as np

from tamis.errors import ParameterError
from tamis.score.combine import combine as combined
from tamis.score.counts import Counts
from tamis.score.criteria import criterion_named
from tamis.score.criteria.anova import f_ratio
from tamis.score.criterion import Criterion, Target
from tamis.score.groups import Groups
from tamis.score.lazy.tally import ColumnSums, Tally, TallyOfCell, codings_of, merge
from tamis.score.selector import RankSelector
from tamis.table import Column, LazyTable, Table
from tamis.views.lazy.key_coding import KeyCoding
from tamis.views.lazy.target import CountTarget, LazyTarget, target_of
from tamis.views.lazy.target import merge as merge_counts

#: Codes of a column of numbers, at most and at least, and of all columns and classes together.
MOST_CODES, FEWEST_CODES, MOST_COUNTS = 1_023, 63, 1 << 20

#: Rows that are drawn for criteria that compare rows.
DRAWN_ROWS = 10_000


def rank_lazily(table: LazyTable, target: str, criteria: list[Any], how: str) -> tuple[RankSelector, int]:
    """A fitted selector, and how many rows have a target.

    Columns of numbers are counted by codes that the sample decides; criteria that compare rows (relief) are those of
    10,000 rows drawn by a keyed hash of their numbers.
    """
    checked = _checked_criteria(criteria)
    if any("numbers" in criterion.takes and len(criterion.takes) == 1 for criterion in checked):
        answer = target_of(table, target, numbers=True)
    else:
        answer = target_of(table, target)
    names = [name for name in table.names if name != target]
    heads = [table.heads[table.index(name)] for name in names]
    tally, limits = _tally(table, answer, names, checked)
    drawn: Table | None = None
    scores = []
    for criterion in checked:
        if reads_sums(criterion) or reads_counts(criterion):
            scores.append(scores_of(criterion, tally, heads, answer.is_classes, limits))
            continue
        drawn = table.sample(DRAWN_ROWS) if drawn is None else drawn
        scores.append(_drawn(criterion, drawn, answer, names))
    return _selector(table.select(names), criteria, checked, scores, how, tally), tally.rows


def _checked_criteria(criteria: list[Any]) -> list[Criterion]:
    for by in criteria:
        if callable(by):
            raise ParameterError(
                "a function scores rows in memory; give the name of a criterion, or a sample: tamis.read(…).sample(n)"
            )
    return [criterion_named(by) for by in criteria]


def _tally(
    table: LazyTable, target: LazyTarget, names: list[str], criteria: list[Criterion]
) -> tuple[Tally, dict[str, int]]:
    sample = table.kind_sample
    counted = any(map(reads_counts, criteria))
    groups = None
    if counted and not target.is_classes:
        column = sample.column(target.name)
        groups = KeyCoding.learn(column, max(5, round(_distinct(column, table.n_rows) ** 0.25)))
    classes = len(target.labels) if target.is_classes else 1 if groups is None else groups.n_values
    max_codes = min(MOST_CODES, max(FEWEST_CODES, MOST_COUNTS // max(1, len(names) * classes)))
    codings = codings_of(sample, [name for name in names if name in sample.names], max_codes) if counted else {}
    late = [name for name in names if name not in sample.names and counted]
    codings |= {name: _late_coding(table, name, max_codes) for name in late if not _head(table, name).is_categorical}
    columns_read = table.select([*names, target.name])
    make = TallyOfCell(columns_read.cell_table(), target, tuple(names), codings, groups, any(map(reads_sums, criteria)))
    min_groups = 10 if target.is_classes else 6
    limits = {
        name: max(min_groups, round(_distinct(sample.column(name), table.n_rows) ** (1 / 3)))
        for name in codings
        if name not in late
    }
    return columns_read.reduce(make, merge), limits


def _head(table: LazyTable, name: str) -> Column:
    return table.heads[table.index(name)]


def _late_coding(table: LazyTable, name: str, max_codes: int) -> KeyCoding:
    """The coding of a column that is constant in the sample and not beyond it: by its distinct values."""
    column_table = table.select([name])
    values = np.array(
        sorted(v for v in column_table.reduce(CountTarget(column_table.cell_table(), name), merge_counts) if v == v)
    )
    return KeyCoding.learn(Column(name, "numeric", values), max_codes)


def _distinct(column: Column, n_rows: int) -> int:
    """How many distinct values a column has, about, by the sample: as many as there, or their share of all rows."""
    observed = column.values[~column.missing]
    k = len(np.unique(observed))
    return max(1, k if 2 * k <= len(observed) else round(n_rows * k / max(1, len(column.values))))


def _drawn(criterion: Criterion, sample: Table, target: LazyTarget, names: list[str]) -> np.ndarray:
    """The scores of a criterion on rows in memory."""
    column = sample.column(target.name)
    with_target = np.flatnonzero(~column.missing)
    rows = sample.take(with_target).select(names)
    y: Any = target.codes(column)[with_target] if target.is_classes else column.values[with_target]
    scored_target = criterion.target(y, len(with_target))
    return np.asarray(criterion.values(criterion.view(rows, scored_target, None, None), scored_target))


def _selector(
    table: LazyTable, by: list[Any], criteria: list[Criterion], scores: list[np.ndarray], how: str, tally: Tally
) -> RankSelector:
    selector = RankSelector(by, combine=how, share=1.0)
    finite_scores = [np.nan_to_num(item) for item in scores]
    useless = np.all([item == 0 for item in finite_scores], axis=0)
    selector.criterion_scores_ = {item.name: values for item, values in zip(criteria, finite_scores)}
    lifted = [np.where(useless, item.min(), item) for item in finite_scores]
    selector.scores_ = finite_scores[0] if len(finite_scores) == 1 else combined(lifted, how)
    selector.order_ = np.lexsort((np.argsort(table.order()), -selector.scores_, useless))
    selector.ranking_ = np.argsort(selector.order_) + 1
    selector.pvalues_ = selector.adjusted_pvalues_ = selector.signs_ = None
    names = [item.name for item in criteria]
    if "pearson" in names and tally.sums is not None:
        selector.signs_ = signs_of(tally.sums, finite_scores[names.index("pearson")])
    selector.support_ = np.ones(table.n_columns, dtype=bool)
    selector.n_features_in_ = table.n_columns
    selector.feature_names_in_ = np.array(table.names, dtype=object)
    return selector


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
