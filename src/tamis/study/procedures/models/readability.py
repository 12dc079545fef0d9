"""Whether a person can read a fitted model: at a glance, on a page, or not."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Leaves of a tree, terms of a formula, rows of a score card, at most, to be read at a glance and on a page.
GLANCE, PAGE = 8, 20

#: Curves and pair maps of an additive model, and leaves of a model tree or of an oblique one, to be read on a page.
CURVES, PAIRS, MODEL_LEAVES = 12, 5, 6


def readability(model: Any) -> str:
    """ "glance", "page" or "no"; a model of a user's is not readable unless its attribute `readable` says so.

    At a glance: no column, a tree of at most 8 leaves, a formula or a score card of at most 8 terms. On a page: a tree
    of at most 20 leaves, a formula of at most 20 terms, an additive model of at most 12 curves and 5 pairs, a model
    tree of at most 6 leaves.

    >>> from tamis import TreeClassifier
    >>> readability(TreeClassifier(max_depth=1).fit([[1.0], [2.0]], [0, 1]))
    'glance'
    """
    declared = getattr(model, "readable", None)
    if declared in ("glance", "page"):
        return str(declared)
    model = _last_step(model)
    if type(model).__name__ == "Baseline":
        return "glance"
    if hasattr(model, "tree_") and hasattr(model.tree_, "n_leaves"):
        return _tree(model)
    if hasattr(model, "statements_"):
        return _sized(len(model.statements_))
    if hasattr(model, "curves_") and hasattr(model, "pairs_"):
        return "page" if len(model.curves_) <= CURVES and len(model.pairs_) <= PAIRS else "no"
    if hasattr(model, "inputs_") and hasattr(model, "coef_"):
        return _sized(_n_terms(model))
    return "no"


def model_words(model: Any) -> str:
    """What kind of model it is, and how large; empty where nothing is known of it.

    >>> from tamis import TreeClassifier
    >>> model_words(TreeClassifier(max_depth=1).fit([[1.0], [2.0]], [0, 1]))
    'a tree of 2 leaves'
    """
    model = _last_step(model)
    if hasattr(model, "tree_") and hasattr(model.tree_, "n_leaves"):
        n_leaves = int(model.tree_.n_leaves)
        return f"a tree of {n_leaves} leaves" if n_leaves > 1 else "a tree without a split"
    if hasattr(model, "statements_"):
        return f"a score card of {_counted(len(model.statements_), 'statement')}"
    if hasattr(model, "curves_") and hasattr(model, "pairs_"):
        maps = f" and {_counted(len(model.pairs_), 'pair map')}" if model.pairs_ else ""
        return f"an additive model of {_counted(len(model.curves_), 'curve')}{maps}"
    if hasattr(model, "inputs_") and hasattr(model, "coef_"):
        return f"a formula of {_counted(_n_terms(model), 'term')}"
    if hasattr(model, "n_estimators"):
        return "a forest"
    return ""


def _n_terms(model: Any) -> int:
    """Inputs with a coefficient; of several classes, each has one per class."""
    return int(np.count_nonzero(np.atleast_2d(model.coef_).any(axis=0)))


def _counted(n: int, noun: str) -> str:
    return f"1 {noun}" if n == 1 else f"{n} {noun}s"


def _last_step(model: Any) -> Any:
    """The model behind choices of columns and transforms of single columns; of another pipeline the whole."""
    steps = getattr(model, "steps", None)
    if not steps:
        return model
    named = all(hasattr(step, "get_support") or hasattr(step, "selected_columns_") for _, step in steps[:-1])
    return steps[-1][1] if named else model


def _tree(model: Any) -> str:
    tree = model.tree_
    if getattr(model, "leaf", "constant") == "linear" or np.any(np.asarray(tree.feature) == -2):
        return "page" if tree.n_leaves <= MODEL_LEAVES else "no"
    return _sized(int(tree.n_leaves))


def _sized(n: int) -> str:
    return "glance" if n <= GLANCE else "page" if n <= PAGE else "no"
