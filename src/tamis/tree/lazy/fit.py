"""From a lazy table to a tree: codes in one pass, the top level by level, what fits into memory there.

With prune="cv" one part of `cv` is held out, chosen by a hash of each row's number: the tree is grown on the others,
and the part that was held out chooses among its subtrees. A leaf holds at least one row of 100,000. A table of one cell
is taken into memory.
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
from tamis.tree.lazy.judge import judge
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
    mapped, written = map_codes(table, rest.names, answer, folds)
    _refuse_one_class(answer, written)
    problem, lazy = _problem(model, mapped, written, answer, rest.order())
    limits = _limits(model, rest, written.n_rows)
    top = TopTree(lazy, limits)
    tree = _finished(in_values(graft(tree_of_top(top), grow_subtrees(top)), mapped.codings), problem, lazy)
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
        judged = judge(table, rest.names, answer, folds, problem, tree, sequence, lazy.case)
        shown |= judged.table()
        model.alpha_ = float(sequence.alpha[judged.choose(model.rule)])
        tree = tree.pruned(sequence.leaves_at(model.alpha_))
    elif prune == "chi2":
        tree = tree.pruned(chance_leaves(tree, classes, rest.n_columns))
    else:
        model.alpha_ = float(prune)
        tree = tree.pruned(sequence.leaves_at(model.alpha_))
    model._keep(tree, problem, shown)


def _refuse(model: Any) -> None:
    known = model.splits == "axis" and model.leaf == "constant" and model.max_leaf_nodes is None
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


def _refuse_one_class(answer: LazyTarget, written: Written) -> None:
    for label, count in zip(answer.labels, written.counts.tolist()):
        if not count:
            raise ParameterError(
                f"class {label!r} of {answer.name!r} has no row outside the part held out; give a larger cv, or "
                "prune=None"
            )


def _limits(model: Any, rest: LazyTable, n_rows: int) -> TreeLimits:
    limits: TreeLimits = model._limits(rest, n_rows)
    return limits._replace(min_leaf=max(limits.min_leaf, n_rows // MOST_LEAVES))


def _problem(
    model: Any, mapped: MappedCodes, written: Written, answer: LazyTarget, order: np.ndarray
) -> tuple[Any, LazyProblem]:
    """The problem as pruning sees it, where one row stands for all of its class; and as growing does."""
    if not answer.is_classes:
        kind = NUMBER_CRITERIA[model.criterion]
        fixed = FixedPoint.of(written.low, written.high, written.total / written.n_rows)
        none = np.empty(0)
        given: Any = None  # the rows stay in their files
        return NumberProblem(given, kind, np.empty((0, 1)), none), LazyProblem(mapped, kind, none, none, fixed, order)
    totals, kind = written.counts.astype(np.float64), CLASS_CRITERIA[model.criterion]
    labels = np.array(answer.labels)
    case = check.class_factors(model.class_weight, labels, totals)
    model.classes_, model.loss_ = labels, loss_of(model.loss_matrix, len(labels))
    priors = model._priors_checked(len(labels))
    every, given = np.arange(len(labels), dtype=np.int32), None
    problem = ClassProblem(given, kind, every, totals * case, model.loss_, priors, model._prune_by_checked())
    altered = weights_of_classes(totals * case, every, priors, model.loss_)[1]
    return problem, LazyProblem(mapped, kind, case * altered, case, None, order)


def _finished(tree: Tree, problem: Any, lazy: LazyProblem) -> Tree:
    """Values and risks as pruning counts them: altered priors taken back."""
    if lazy.fixed is not None:
        return tree
    prior, altered = weights_of_classes(problem.weight, problem.classes, problem.priors, problem.loss)
    value = tree.value / altered * prior
    return replace(tree, value=value, risk=problem.risk_of(value))
