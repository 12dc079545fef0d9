"""From a lazy table to a tree: codes in one pass, the top level by level, what fits into memory there.

With prune="cv" the rows are dealt to `cv` folds by a hash of their numbers, and as many folds as hold 262,144 rows, two
at least, are judged, each by a tree grown on the rows outside it; at least one is not, and edges of codes come from
rows of such folds alone. The tree that is pruned is grown on all rows. A leaf holds at least one row of 100,000. A
table of one cell is taken into memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tamis import check
from tamis.engine import seed_from
from tamis.errors import ParameterError
from tamis.split.pairs import is_whole
from tamis.table import LazyTable, features
from tamis.tree.grow.fit import weights_of_classes
from tamis.tree.grow.layout import TreeLimits
from tamis.tree.grow.training_set import CLASS_CRITERIA, NUMBER_CRITERIA, ClassProblem, NumberProblem
from tamis.tree.lazy.fixed_point import FixedPoint
from tamis.tree.lazy.graft import graft, in_values, tree_of_top
from tamis.tree.lazy.judge import FoldTree, judge
from tamis.tree.lazy.subtrees import grow_subtrees
from tamis.tree.lazy.top import LazyProblem, TopTree
from tamis.tree.prune.pruning import Sequence, chance_leaves
from tamis.tree.settings import loss_of
from tamis.tree.tree import Tree
from tamis.views.lazy.fold_moments import RowFolds
from tamis.views.lazy.given import target_named
from tamis.views.lazy.mapped_codes import MappedCodes, Written, map_codes
from tamis.views.lazy.target import LazyTarget, rows_in_memory, target_of

#: Leaves of a tree, at most about: a leaf holds at least this share of the rows.
MOST_LEAVES = 100_000
#: Rows that judge the subtrees, at least, where the table has so many.
JUDGED_ROWS = 1 << 18


def fit_lazily(model: Any, table: LazyTable, y: Any, *, classes: bool) -> None:
    """Fit a TreeClassifier or TreeRegressor to a lazy table."""
    target = target_named(table, y)
    answer = target_of(table, target, numbers=not classes)
    if table.source.n_cells == 1:
        model.fit(*rows_in_memory(table, answer))
        return
    prune = model._prune_checked()
    _refuse(model)
    rest = table.select([name for name in table.names if name != target])
    features(model, rest.prototype(), reset=True, min_rows=2)
    folds = RowFolds(_parts(model), seed_from(model.random_state)) if prune == "cv" else None
    n_judged = 0 if folds is None else judged_parts(folds.n_folds, table.n_rows)
    mapped, written = map_codes(table, rest.names, answer, folds, n_judged)
    growing = Growing(model, mapped, written, answer, rest.order())
    limits = _limits(model, rest, written.n_rows)
    problem = growing.problem()
    tree = in_values(growing.tree(limits), mapped.codings)
    for name in ("cv_predictions_", "nested_predictions_"):
        model.__dict__.pop(name, None)
    model.n_outputs_ = 1
    if classes:
        del model.n_outputs_
    if prune is None:
        model._keep(tree, problem, None)
        return
    sequence = Sequence.of(tree)
    shown = sequence.table()
    if folds is not None:
        grown = (growing.fold(part, limits) for part in range(n_judged))
        judged = judge(grown, problem, sequence, growing.case, growing.weight)
        shown |= judged.table()
        model.alpha_ = float(sequence.alpha[judged.choose(model.rule)])
        tree = tree.pruned(sequence.leaves_at(model.alpha_))
    elif prune == "chi2":
        tree = tree.pruned(chance_leaves(tree, classes, rest.n_columns))
    else:
        model.alpha_ = float(prune)
        tree = tree.pruned(sequence.leaves_at(model.alpha_))
    model._keep(tree, problem, shown)


def judged_parts(n_folds: int, n_rows: int) -> int:
    """How many folds are judged: as many as hold `JUDGED_ROWS`, two at least; but one gives the edges of the codes.

    >>> judged_parts(10, 100_000), judged_parts(10, 1_000_000), judged_parts(10, 20_000_000), judged_parts(2, 500_000)
    (9, 3, 2, 1)
    """
    return min(n_folds - 1, max(2, -(-JUDGED_ROWS * n_folds // max(1, n_rows))))


def _refuse(model: Any) -> None:
    known = model.splits == "axis" and model.leaf == "constant" and model.max_leaf_nodes is None
    if model.n_bins is not None or model.min_gain > 0 or getattr(model, "max_purity", 1.0) < 1:
        raise ParameterError(
            "n_bins, min_gain and max_purity need rows in memory; leave them out, or give a sample: "
            "table.sample(100_000)"
        )
    if not known or model.criterion in ("absolute_error", "poisson"):
        raise ParameterError(
            f"criterion={model.criterion!r}, splits={model.splits!r}, leaf={model.leaf!r} and "
            f"max_leaf_nodes={model.max_leaf_nodes!r} need rows in memory; give splits='axis', leaf='constant', no "
            "max_leaf_nodes and another criterion than 'absolute_error' and 'poisson', or a sample: "
            "table.sample(100_000)"
        )


def _parts(model: Any) -> int:
    if not is_whole(model.cv):
        raise ParameterError(f"cv={model.cv!r} names rows, which a lazy table cannot take; give a number of folds")
    return check.count("cv", model.cv, low=2)


def _limits(model: Any, rest: LazyTable, n_rows: int) -> TreeLimits:
    limits: TreeLimits = model._limits(rest, n_rows)
    return limits._replace(min_leaf=max(limits.min_leaf, n_rows // MOST_LEAVES))


class Growing:
    """Grows trees on the mapped rows of a table: of all rows, or of those outside a fold.

    Attributes
    ----------
    case : weight of a row of each class; empty for numbers.
    weight : of all rows.
    """

    def __init__(
        self, model: Any, mapped: MappedCodes, written: Written, answer: LazyTarget, order: np.ndarray
    ) -> None:
        self.model, self.mapped, self.written, self.order = model, mapped, written, order
        self.labels = np.array(answer.labels)
        self.case = self._case(written)
        self.weight = self._weight_of(written)
        if answer.is_classes:
            model.classes_, model.loss_ = self.labels, loss_of(model.loss_matrix, len(self.labels))

    def _case(self, written: Written) -> np.ndarray:
        if not len(self.labels):
            return np.empty(0)
        totals = written.counts.sum(axis=0).astype(np.float64)
        return np.asarray(check.class_factors(self.model.class_weight, self.labels, totals))

    def _weight_of(self, written: Written) -> float:
        if not len(self.labels):
            return float(written.n_rows)
        return float(written.counts.sum(axis=0) @ self.case)

    def problem(self, part: int = -1) -> ClassProblem | NumberProblem:
        """What is learned, as pruning sees it: one row stands for all of its class. Of the rows outside a fold."""
        given: Any = None  # the rows stay in their files
        if not len(self.labels):
            return NumberProblem(given, NUMBER_CRITERIA[self.model.criterion], np.empty((0, 1)), np.empty(0))
        written, model = self.written.without(part), self.model
        totals, every = written.counts.sum(axis=0).astype(np.float64), np.arange(len(self.labels), dtype=np.int32)
        kind, priors = CLASS_CRITERIA[model.criterion], model._priors_checked(len(self.labels))
        by = model._prune_by_checked()
        return ClassProblem(given, kind, every, totals * self._case(written), model.loss_, priors, by)

    def tree(self, limits: TreeLimits, part: int = -1) -> Tree:
        """The tree of the rows outside a fold (of all by default), its splits in codes."""
        problem = self.problem(part)
        top = TopTree(self._lazily(problem, part), limits)
        return _finished(graft(tree_of_top(top), grow_subtrees(top)), problem)

    def fold(self, part: int, limits: TreeLimits) -> FoldTree:
        """The tree of the rows outside a fold, to be judged on those in it."""
        outside = self._weight_of(self.written.without(part))
        return FoldTree(self.mapped.without(part), self.tree(limits, part), outside, self.weight - outside)

    def _lazily(self, problem: ClassProblem | NumberProblem, part: int) -> LazyProblem:
        """What is learned, as growing sees it."""
        mapped, written = self.mapped.without(part), self.written.without(part)
        if isinstance(problem, NumberProblem):
            mean = float(written.total.sum()) / written.n_rows
            fixed, none = FixedPoint.of(float(written.low.min()), float(written.high.max()), mean), np.empty(0)
            return LazyProblem(mapped, problem.criterion, none, none, fixed, self.order)
        case = self._case(written)
        altered = weights_of_classes(problem.weight, problem.classes, problem.priors, problem.loss)[1]
        return LazyProblem(mapped, problem.criterion, case * altered, case, None, self.order)


def _finished(tree: Tree, problem: ClassProblem | NumberProblem) -> Tree:
    """Values and risks as pruning counts them: altered priors taken back."""
    if isinstance(problem, NumberProblem):
        return tree
    prior, altered = weights_of_classes(problem.weight, problem.classes, problem.priors, problem.loss)
    value = tree.value / altered * prior
    return replace(tree, value=value, risk=problem.risk_of(value))
