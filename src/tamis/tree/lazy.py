"""Trees on tables larger than memory: rows are coded into a mapped file, and a tree is grown on it as on any table.

With prune="cv" the rows are dealt to `cv` folds by a hash of their numbers, and as many folds as hold 262,144 rows, two
at least, are judged, each by a tree grown on the rows outside it; at least one is not, and edges of codes come from
rows of such folds alone. The tree that is pruned is grown on all rows. A leaf holds at least one row of 100,000. A
table of one cell is taken into memory.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tamis import check
from tamis.engine import seed_from
from tamis.errors import ParameterError
from tamis.split.pairs import Folds, is_whole
from tamis.table import LazyTable, features
from tamis.tree.grow.fit import TreeData
from tamis.tree.grow.layout import TreeLimits
from tamis.tree.grow.training_set import CLASS_CRITERIA, NUMBER_CRITERIA, ClassProblem, NumberProblem
from tamis.tree.grow.variant import Variant
from tamis.tree.settings import loss_of
from tamis.tree.tree import Tree
from tamis.views.bins import Bins
from tamis.views.coding import Coding
from tamis.views.lazy.fold_moments import RowFolds
from tamis.views.lazy.mapped_codes import MappedCodes, map_codes
from tamis.views.lazy.target import rows_in_memory, target_named, target_of

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


#: Leaves of a tree, at most about: a leaf holds at least this share of the rows.
MOST_LEAVES = 100_000
#: Rows that judge the subtrees, at least, where the table has so many.
JUDGED_ROWS = 1 << 18


def fit_lazily(model: BaseEstimator, table: LazyTable, y: ArrayLike, *, classes: bool) -> None:
    """Fit a TreeClassifier or TreeRegressor to a lazy table."""
    target = target_named(table, y)
    answer = target_of(table, target, numbers=not classes)
    if table.source.n_cells == 1:
        model.fit(*rows_in_memory(table, answer))
        return
    _refuse(model)
    columns = table.select([name for name in table.names if name != target])
    features(model, columns.prototype(), reset=True, min_rows=2)
    row_folds = RowFolds(_n_folds(model), seed_from(model.random_state)) if model._prune_checked() == "cv" else None
    n_judged = 0 if row_folds is None else judged_folds(row_folds.n_folds, table.n_rows)
    mapped, counts = map_codes(table, columns.names, answer, row_folds, n_judged)
    if classes:
        model.classes_, model.loss_ = np.array(answer.labels), loss_of(model.loss_matrix, len(answer.labels))
    else:
        model.n_outputs_ = 1
    problem = _class_problem(model, mapped, counts) if classes else _number_problem(model, mapped)
    rows = np.flatnonzero(problem.weight > 0)
    folds = [] if row_folds is None else _folds(row_folds, rows, n_judged)
    for name in ("cv_predictions_", "nested_predictions_", "optimal_"):
        model.__dict__.pop(name, None)
    limits = _limits(model, columns, len(rows))._replace(monotone=model._directions(columns.prototype(), problem))
    tree, _, path = model._pruned(problem, None, rows, limits, folds)
    model._keep(with_all_levels(tree, mapped.codings), problem, path)


def judged_folds(n_folds: int, n_rows: int) -> int:
    """How many folds are judged: as many as hold `JUDGED_ROWS`, two at least; but one gives the edges of the codes.

    >>> judged_folds(10, 100_000), judged_folds(10, 1_000_000), judged_folds(10, 20_000_000), judged_folds(2, 500_000)
    (9, 3, 2, 1)
    """
    return min(n_folds - 1, max(2, -(-JUDGED_ROWS * n_folds // max(1, n_rows))))


def _refuse(model: BaseEstimator) -> None:
    is_plain = model.splits == "axis" and model.leaf == "constant" and model.search == "greedy"
    if not is_plain or model.max_leaf_nodes is not None or model.criterion in ("absolute_error", "poisson"):
        raise ParameterError(
            f"criterion={model.criterion!r}, splits={model.splits!r}, leaf={model.leaf!r}, search={model.search!r} and "
            f"max_leaf_nodes={model.max_leaf_nodes!r} need rows in memory; give splits='axis', leaf='constant', "
            "search='greedy', no max_leaf_nodes and another criterion than 'absolute_error' and 'poisson', or a "
            "sample: table.sample(100_000)"
        )
    rules = model.n_bins is not None or model.min_gain > 0 or getattr(model, "max_purity", 1.0) < 1
    if rules or model.missing == "drop":
        raise ParameterError(
            "n_bins, min_gain, max_purity and missing='drop' need rows in memory; leave them out, or give a sample: "
            "table.sample(100_000)"
        )


def _n_folds(model: BaseEstimator) -> int:
    if not is_whole(model.cv):
        raise ParameterError(f"cv={model.cv!r} names rows, which a lazy table cannot take; give a number of folds")
    return check.count("cv", model.cv, low=2)


def _limits(model: BaseEstimator, columns: LazyTable, n_rows: int) -> TreeLimits:
    limits: TreeLimits = model._limits(columns, n_rows)
    return limits._replace(min_leaf=max(limits.min_leaf, n_rows // MOST_LEAVES))


def _folds(row_folds: RowFolds, rows: np.ndarray, n_judged: int) -> Folds:
    fold = row_folds.of(rows).astype(np.uint32)
    return [(rows[fold != k], rows[fold == k]) for k in range(n_judged)]


def _data(mapped: MappedCodes) -> TreeData:
    """The mapped codes; columns are not sorted, which would take eight bytes a value."""
    return TreeData(Bins.mapped(mapped.binned(), mapped.codings), max_sorted=0)


def _number_problem(model: BaseEstimator, mapped: MappedCodes) -> NumberProblem:
    has_target = mapped.has_target(mapped.target)
    values = mapped.target if has_target.all() else np.where(has_target, mapped.target, 0.0)
    weight, scale = has_target.astype(np.float64), np.ones(1)
    return NumberProblem(_data(mapped), NUMBER_CRITERIA[model.criterion], values[:, None], weight, scale)


def _class_problem(model: BaseEstimator, mapped: MappedCodes, counts: np.ndarray) -> Any:
    has_target = mapped.has_target(mapped.target)
    classes = mapped.target if has_target.all() else np.maximum(mapped.target, 0)
    weight = check.class_factors(model.class_weight, model.classes_, counts.astype(np.float64))[classes] * has_target
    priors, by = model._priors_checked(len(model.classes_)), model._prune_by_checked()
    problem = ClassProblem(
        _data(mapped),
        CLASS_CRITERIA[check.one_of("criterion", model.criterion, CLASS_CRITERIA)],
        classes,
        weight,
        model.loss_,
        priors,
        by,
    )
    return (
        problem
        if model.class_weight is None
        else WeightedByFold(problem, has_target, model.class_weight, model.classes_)
    )


@dataclass(frozen=True, eq=False)
class WeightedByFold(Variant):
    """Classes whose weights each tree learns from its own rows: rows held out have no say in them."""

    is_used: np.ndarray
    class_weight: Any
    labels: np.ndarray

    def grow_on(self, rows: np.ndarray, limits: TreeLimits) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows; and each row's leaf."""
        counts = np.bincount(self.base.classes[rows], minlength=len(self.labels)).astype(np.float64)
        factor = check.class_factors(self.class_weight, self.labels, counts)
        return replace(self.base, weight=factor[self.base.classes] * self.is_used).grow_on(rows, limits)


def with_all_levels(tree: Tree, codings: tuple[Coding, ...]) -> Tree:
    """The tree with levels instead of codes that several levels share; the code of missing values is one beyond all."""
    if all(coding.lossless or not coding.is_categorical for coding in codings):
        return tree
    pairs_of: list[np.ndarray] = [np.empty((0, 2), dtype=np.int64)]
    first_level, n_levels, surrogate = tree.first_level.copy(), tree.n_levels.copy(), tree.surrogate.copy()
    at = 0

    def added(column: int, first: int, n: int) -> tuple[int, int]:
        nonlocal at
        pairs = tree.level[first : first + n]
        if n and codings[column].table is not None:
            expanded = [_levels_of(codings[column], code) for code in pairs[:, 0].tolist()]
            sides = np.repeat(pairs[:, 1], [len(levels) for levels in expanded])
            pairs = np.column_stack([np.concatenate(expanded), sides])
            pairs = pairs[np.argsort(pairs[:, 0])]  # rows look their level up by bisection
        pairs_of.append(pairs)
        at += len(pairs)
        return at - len(pairs), len(pairs)

    for k in range(tree.n_nodes):
        first_level[k], n_levels[k] = added(int(tree.feature[k]), int(tree.first_level[k]), int(tree.n_levels[k]))
    for q in range(len(surrogate)):
        surrogate[q, 2:] = added(*tree.surrogate[q, [0, 2, 3]].tolist())
    level = np.concatenate(pairs_of)
    return replace(
        tree, first_level=first_level, n_levels=n_levels, surrogate=surrogate, level=level,
        coefficient=np.zeros(len(level)),
    )  # fmt: skip


def _levels_of(coding: Coding, code: int) -> np.ndarray:
    if coding.table is None or code >= coding.n_values:
        return np.array([len(coding.levels or ())])
    return np.flatnonzero(coding.table == code)
