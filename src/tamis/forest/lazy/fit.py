"""From a lazy table to a forest: codes in one pass, then each tree on rows of its own, drawn by number.

Trees go to the engine in use. A tree draws `max_samples` rows: by default 262,144, or as many as hold 16,777,216
codes. 50,000 rows, drawn by a hash of their numbers, judge the trees that did not draw them; answers, error curve,
importances and tuning out of the bag are theirs. A table of one cell is taken into memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tamis import check
from tamis.engine import current, drawn_seed
from tamis.engine.hash import bytes_hash
from tamis.errors import ParameterError
from tamis.forest.data.binned import ForestData
from tamis.forest.growing import GrowingForest
from tamis.forest.layout import ForestLimits, ForestTarget, TargetCosts
from tamis.forest.lazy.draw import RowDraws, default_size, judged_rows
from tamis.forest.lazy.one_tree import CodedTarget, OneTree
from tamis.forest.tune import Drawing, Grid, tuned
from tamis.table import LazyTable, features
from tamis.tree.settings import loss_of, rows_or_share
from tamis.views.lazy.given import target_named
from tamis.views.lazy.mapped_codes import MappedCodes, map_codes
from tamis.views.lazy.target import rows_in_memory, target_of


def fit_lazily(forest: Any, table: LazyTable, y: Any, *, classes: bool) -> None:
    """Fit a ForestClassifier or ForestRegressor to a lazy table."""
    target = target_named(table, y)
    answer = target_of(table, target, numbers=not classes)
    if table.source.n_cells == 1:
        forest.fit(*rows_in_memory(table, answer))
        return
    _refuse(forest)
    columns = table.select([name for name in table.names if name != target])
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
        coded = _by_class(forest, counts.astype(np.float64))
    else:
        forest.n_outputs_, loss = 1, np.zeros((0, 0))
        coded = CodedTarget(np.empty(0), np.ones(1))
    _grow(forest, mapped, coded, order, loss, int(counts.sum()))


def _refuse(forest: Any) -> None:
    is_plain = forest.splits == "axis" and forest.thresholds == "best" and forest.bootstrap in (True, False)
    if not is_plain:
        raise ParameterError(
            f"splits={forest.splits!r}, thresholds={forest.thresholds!r} and bootstrap={forest.bootstrap!r} need rows "
            "in memory; give splits='axis', thresholds='best' and bootstrap True or False, or a sample: "
            "table.sample(100_000)"
        )


def _by_class(forest: Any, totals: np.ndarray) -> CodedTarget:
    """What rows of each class weigh: class_weight, and the costs of a loss matrix as altered priors."""
    factor = check.class_factors(forest.class_weight, forest.classes_, totals)
    alter = forest.loss_.sum(axis=1)
    alter = np.maximum(alter, 1e-3 * alter.max())
    alter = alter / alter.mean()
    return CodedTarget(factor * alter, alter)


def _grow(
    forest: Any, mapped: MappedCodes, coded: CodedTarget, order: np.ndarray, loss: np.ndarray, n_rows: int
) -> None:
    n_trees = check.count("n_estimators", forest.n_estimators)
    forest.seed_ = drawn_seed(forest.random_state)
    draws = _draws(forest, n_rows, len(order))
    limits = forest._limits(len(order), draws.size)
    judged = judged_rows(mapped, forest.seed_)
    target = coded.of(mapped.target[judged])
    begin = partial(_begin, forest, mapped, judged, draws, coded, target, loss)
    if forest._tunes:
        grid = Grid.of(forest.tune, limits, len(order), draws.size)
        growing, forest.tuning_ = tuned(begin, limits, grid, n_trees)
        forest._take(forest.tuning_[-1])
        if growing.n_trees > n_trees:
            growing = begin(forest._chosen_limits(len(order), draws.size), Drawing())
    else:
        growing = begin(limits, Drawing())
    growing.grow(n_trees, forest.progress, stop=bool(forest.stop_when_stable))
    _keep(forest, growing, mapped, judged, target, order)


def _draws(forest: Any, n_rows: int, n_columns: int) -> RowDraws:
    size = default_size(n_rows, n_columns)
    if forest.max_samples is not None:
        size = rows_or_share("max_samples", forest.max_samples, n_rows, 1)
    if not forest.bootstrap and size > n_rows:
        raise ParameterError(
            f"max_samples={forest.max_samples}, but without replacement there are only {n_rows:,} rows"
        )
    for name in forest._look_at_rows_left_out:
        if not forest.oob_score or (not forest.bootstrap and size == n_rows):
            raise ParameterError(
                f"{name} looks at rows left out; give oob_score=True, and bootstrap=True or max_samples below 1"
            )
    return RowDraws(size, bool(forest.bootstrap), forest.seed_)


def _begin(
    forest: Any,
    mapped: MappedCodes,
    judged: np.ndarray,
    draws: RowDraws,
    coded: CodedTarget,
    target: ForestTarget,
    loss: np.ndarray,
    limits: ForestLimits,
    _: Drawing,
) -> GrowingForest:
    """A forest without trees; those it builds are grown by the engine in use."""
    voting = getattr(forest, "voting", "probabilities") == "majority"
    worth, out_of_bag = np.ones(len(judged)), bool(forest.oob_score)
    majority = voting or getattr(forest, "loss_matrix", None) is None
    costs = TargetCosts(target.n_classes, target.classes, target.values, worth, loss, majority)
    tree = OneTree(mapped, judged, draws, coded, limits, out_of_bag, loss if voting else None)

    def grow(core: Any, first: int, end: int, progress: Callable[[int], None] | None) -> None:
        for done, batch in enumerate(current().each(tree, range(first, end)), 1):
            core.add(batch)
            if progress is not None:
                progress(done)

    return GrowingForest(grow, costs, target, mapped.n_columns, out_of_bag=out_of_bag)


def _keep(
    forest: Any,
    growing: GrowingForest,
    mapped: MappedCodes,
    judged: np.ndarray,
    target: ForestTarget,
    order: np.ndarray,
) -> None:
    judge = growing.judge
    forest.trees_ = growing.trees(order)
    forest.impurity_importance_ = np.empty(len(order))
    forest.impurity_importance_[order] = growing.gain / growing.n_trees
    forest.oob_fraction_ = growing.share / growing.n_trees
    binned = mapped.binned(judged)
    arrays = (binned.codes, binned.low, binned.high, target.classes, target.values)
    forest.training_digest_ = bytes_hash(*(np.ascontiguousarray(array).tobytes() for array in arrays)).hex()
    for name in ("oob_curve_", "oob_decision_function_", "oob_prediction_", "oob_score_"):
        forest.__dict__.pop(name, None)
    forest.oob_rows_ = judged
    if growing.out_of_bag:
        forest.oob_curve_ = judge.curve
        every = np.arange(len(judged))
        data = ForestData(binned, order, every, None, np.ones(len(judged)), forest.joined_levels_)
        forest._keep_out_of_bag(judge, data, len(judged))
    forest.interval_shares_ = growing.interval_shares()
