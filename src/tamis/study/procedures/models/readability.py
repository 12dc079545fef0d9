"""Whether a person can read a fitted model: at a glance, on a page, or not."""

from __future__ import annotations

from sklearn.base import BaseEstimator

from tamis.study.procedures.models.facts import facts_of


def readability(model: BaseEstimator) -> str:
    """ "glance", "page" or "no"; a model of a user's is not readable unless its attribute `readable` says so.

    At a glance: no column, a tree of at most 8 leaves, a formula or a score card of at most 8 terms. On a page: a tree
    of at most 20 leaves, a formula of at most 20 terms, an additive model of at most 12 curves and 5 pairs, a model
    tree of at most 6 leaves.

    >>> from tamis import TreeClassifier
    >>> readability(TreeClassifier(max_depth=1).fit([[1.0], [2.0]], [0, 1]))
    'glance'
    """
    declared = getattr(model, "readable", None)
    return declared if declared in ("glance", "page") else facts_of(model).readability()
