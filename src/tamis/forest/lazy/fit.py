"""From a lazy table to a forest: codes in one pass, then each tree on rows of its own, drawn by number.

Trees go to the engine in use. A tree draws `max_samples` rows: by default 262,144, or as many as hold 16,777,216
codes. 50,000 rows, drawn by a hash of their numbers, judge the trees that did not draw them; answers, error curve,
importances and tuning out of the bag are theirs. A table of one cell is taken into memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tamis import check
from tamis.engine import current, drawn_seed
from tamis.errors import ParameterError
from tamis.forest.data.binned import ForestData
from tamis.forest.growing import GrowingForest, add_each
from tamis.forest.layout import ForestLimits, ForestTarget
from tamis.forest.lazy.draw import RowDraws, default_size, judged_rows
from tamis.forest.lazy.one_tree import CodedTarget, OneTree
from tamis.forest.settings import altered_priors
from tamis.forest.tune import Drawing
from tamis.table import LazyTable, features
from tamis.tree.settings import loss_of, rows_or_share
from tamis.views.lazy.mapped_codes import MappedCodes, map_codes
from tamis.views.lazy.target import rows_in_memory, target_named, target_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def fit_lazily(forest: BaseEstimator, table: LazyTable, y: ArrayLike, *, classes: bool) -> None:
    """Fit a ForestClassifier or ForestRegressor to a lazy table."""
    name = target_named(table, y)
    answer = target_of(table, name, numbers=not classes)
    if table.source.n_cells == 1:
        forest.fit(*rows_in_memory(table, answer))
        return
    _refuse(forest)
    columns = table.select([other for other in table.names if other != name])
    features(forest, columns.prototype(), reset=True, min_rows=2)
    order = columns.order()
    mapped, counts = map_codes(table, [columns.names[j] for j in order], answer)
    forest.joined_levels_ = {
        int(j): coding.table
        for j, coding in zip(order, mapped.codings)
        if coding.is_categorical and not coding.lossless
    }
    if classes:
        forest.classes_ = np.array(answer.labels)
        forest.loss_ = loss = loss_of(forest.loss_matrix, len(answer.labels))
        factor = check.class_factors(forest.class_weight, forest.classes_, counts.astype(np.float64))
        worth = altered_priors(loss)
        forest._take_scores(counts.astype(np.float64))
        coded = CodedTarget(factor * worth, worth, forest._codes(len(answer.labels)))
    else:
        forest.n_outputs_, loss = 1, np.zeros((0, 0))
        coded = CodedTarget(np.empty(0), np.ones(1))
    forest.seed_ = drawn_seed(forest.random_state)
    draws = _draws(forest, int(counts.sum()), len(order))
    judged = judged_rows(mapped, forest.seed_)
    target = coded.of(mapped.target[judged])
    begin = partial(_begin, forest, _LazyRows(mapped, judged, draws, coded), target, loss)
    limits = forest._limits(len(order), draws.size)
    limits = limits._replace(monotone=forest._directions(columns.prototype(), target, order))
    growing = forest._grown(begin, limits, len(order), draws.size)
    every, worth = np.arange(len(judged)), np.ones(len(judged))
    data = ForestData(mapped.binned(judged), order, every, None, worth, forest.joined_levels_)
    forest._keep(growing, data, target, len(judged))
    forest.oob_rows_ = judged


def _refuse(forest: BaseEstimator) -> None:
    if forest._chooses_scores:
        raise ParameterError("level_scores='oob' needs rows in memory; give 'equal', 'normal' or a number a class")
    is_plain = forest.splits == "axis" and forest.thresholds == "best" and forest.bootstrap in (True, False)
    if not is_plain:
        raise ParameterError(
            f"splits={forest.splits!r}, thresholds={forest.thresholds!r} and bootstrap={forest.bootstrap!r} need rows "
            "in memory; give splits='axis', thresholds='best' and bootstrap True or False, or a sample: "
            "table.sample(100_000)"
        )


def _draws(forest: BaseEstimator, n_rows: int, n_columns: int) -> RowDraws:
    size = default_size(n_rows, n_columns)
    if forest.max_samples is not None:
        size = rows_or_share("max_samples", forest.max_samples, n_rows, 1)
    if not forest.bootstrap and size > n_rows:
        raise ParameterError(
            f"max_samples={forest.max_samples}, but without replacement there are only {n_rows:,} rows"
        )
    forest._refuse_without_rows_left_out(not forest.bootstrap and size == n_rows)
    return RowDraws(size, bool(forest.bootstrap), forest.seed_)


class _LazyRows(NamedTuple):
    """Rows in files: their codes, those that are judged out of the bag, how many a tree draws, and the target."""

    mapped: MappedCodes
    judged: np.ndarray
    draws: RowDraws
    coded: CodedTarget


def _begin(
    forest: BaseEstimator, rows: _LazyRows, target: ForestTarget, loss: np.ndarray, limits: ForestLimits, _: Drawing
) -> GrowingForest:
    """A forest without trees; those it builds are grown by the engine in use."""
    out_of_bag = bool(forest.oob_score)
    tree = OneTree(*rows, limits, out_of_bag, loss if forest._votes else None)

    def grow(core: Any, first: int, end: int, progress: Callable[[int], None] | None) -> None:
        add_each(core, current().each(tree, range(first, end)), progress)

    costs = forest._costs(target, np.ones(len(rows.judged)), loss)
    return GrowingForest(grow, costs, target, rows.mapped.n_columns, out_of_bag=out_of_bag)
