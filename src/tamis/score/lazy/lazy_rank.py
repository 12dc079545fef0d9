"""The columns of a lazy table, best first: one pass for all criteria that follow from counts, means and scatters."""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.errors import ParameterError
from tamis.score.combine import combine as combined
from tamis.score.criteria import criterion_named
from tamis.score.criterion import Criterion
from tamis.score.lazy.scored import reads_counts, reads_sums, scores_of, signs_of
from tamis.score.lazy.tally import Tally, TallyOfCell, codings_of, merge
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
    found = _known(criteria)
    if any("numbers" in one.takes and len(one.takes) == 1 for one in found):
        answer = target_of(table, target, numbers=True)
    else:
        answer = target_of(table, target)
    names = [name for name in table.names if name != target]
    heads = [table.heads[table.index(name)] for name in names]
    tally, limits = _tally(table, answer, names, found)
    drawn: Table | None = None
    scores = []
    for one in found:
        if reads_sums(one) or reads_counts(one):
            scores.append(scores_of(one, tally, heads, answer.is_classes, limits))
            continue
        drawn = table.sample(DRAWN_ROWS) if drawn is None else drawn
        scores.append(_drawn(one, drawn, answer, names))
    return _selector(table.select(names), criteria, found, scores, how, tally), tally.rows


def _known(criteria: list[Any]) -> list[Criterion]:
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
    most = min(MOST_CODES, max(FEWEST_CODES, MOST_COUNTS // max(1, len(names) * classes)))
    codings = codings_of(sample, [name for name in names if name in sample.names], most) if counted else {}
    late = [name for name in names if name not in sample.names and counted]
    codings |= {name: _late_coding(table, name, most) for name in late if not _head(table, name).is_categorical}
    wanted = table.select([*names, target.name])
    make = TallyOfCell(wanted.cell_table(), target, tuple(names), codings, groups, any(map(reads_sums, criteria)))
    least = 10 if target.is_classes else 6
    limits = {
        name: max(least, round(_distinct(sample.column(name), table.n_rows) ** (1 / 3)))
        for name in codings
        if name not in late
    }
    return wanted.reduce(make, merge), limits


def _head(table: LazyTable, name: str) -> Column:
    return table.heads[table.index(name)]


def _late_coding(table: LazyTable, name: str, most: int) -> KeyCoding:
    """The coding of a column that is constant in the sample and not beyond it: by its distinct values."""
    one = table.select([name])
    values = np.array(sorted(v for v in one.reduce(CountTarget(one.cell_table(), name), merge_counts) if v == v))
    return KeyCoding.learn(Column(name, "numeric", values), most)


def _distinct(column: Column, n_rows: int) -> int:
    """How many distinct values a column has, about, by the sample: as many as there, or their share of all rows."""
    there = column.values[~column.missing]
    k = len(np.unique(there))
    return max(1, k if 2 * k <= len(there) else round(n_rows * k / max(1, len(column.values))))


def _drawn(criterion: Criterion, sample: Table, target: LazyTarget, names: list[str]) -> np.ndarray:
    """The scores of a criterion on rows in memory."""
    column = sample.column(target.name)
    kept = np.flatnonzero(~column.missing)
    rows = sample.take(kept).select(names)
    y: Any = target.codes(column)[kept] if target.is_classes else column.values[kept]
    given = criterion.target(y, len(kept))
    return np.asarray(criterion.values(criterion.view(rows, given, None, None), given))


def _selector(
    table: LazyTable, by: list[Any], criteria: list[Criterion], scores: list[np.ndarray], how: str, tally: Tally
) -> RankSelector:
    selector = RankSelector(by, combine=how, share=1.0)
    given = [np.nan_to_num(one) for one in scores]
    useless = np.all([one == 0 for one in given], axis=0)
    selector.criterion_scores_ = {one.name: values for one, values in zip(criteria, given)}
    lifted = [np.where(useless, one.min(), one) for one in given]
    selector.scores_ = given[0] if len(given) == 1 else combined(lifted, how)
    selector.order_ = np.lexsort((np.argsort(table.order()), -selector.scores_, useless))
    selector.ranking_ = np.argsort(selector.order_) + 1
    selector.pvalues_ = selector.adjusted_pvalues_ = selector.signs_ = None
    names = [one.name for one in criteria]
    if "pearson" in names and tally.sums is not None:
        selector.signs_ = signs_of(tally.sums, given[names.index("pearson")])
    selector.support_ = np.ones(table.n_columns, dtype=bool)
    selector.n_features_in_ = table.n_columns
    selector.feature_names_in_ = np.array(table.names, dtype=object)
    return selector
