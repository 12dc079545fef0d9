"""A tree at the end of a pipeline, under the names that the pipeline's columns have."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

from sklearn.feature_selection import SelectorMixin
from sklearn.pipeline import Pipeline

from tamis.errors import ParameterError
from tamis.tree.export.reading import Reading


def from_pipeline(pipeline: Pipeline) -> Any:
    """The fitted tree at the end of a pipeline, for reading: its columns are called what the steps before call them.

    Steps hand on arrays, so the tree itself knows only x0, x1, …; the names are those of the steps'
    `get_feature_names_out`. Where all steps choose columns and change none, booleans and dates are written as such.
    Thresholds are in the units of the columns that reach the tree.

    >>> import pandas as pd
    >>> from tamis import RankSelector, TreeClassifier
    >>> frame = pd.DataFrame({"noise": [1.0, 1.0, 2.0, 2.0], "age": [20.0, 60.0, 30.0, 70.0]})
    >>> pipeline = Pipeline([("select", RankSelector(k=1)), ("tree", TreeClassifier())]).fit(frame, [0, 1, 0, 1])
    >>> from_pipeline(pipeline).rules()[0]["rule"]
    'age ≤ 45'
    """
    steps = getattr(pipeline, "steps", None)
    tree = steps[-1][1] if steps else pipeline
    if not isinstance(tree, Reading) or not hasattr(tree, "tree_"):
        raise ParameterError(f"{type(tree).__name__} is no fitted tree; give a fitted pipeline whose last step is one")
    before = [step for _, step in (steps or [])[:-1] if step is not None and step != "passthrough"]
    if not before:
        return tree
    try:
        names = tuple(str(name) for name in pipeline[:-1].get_feature_names_out())
    except (AttributeError, ValueError) as error:
        raise ParameterError(
            f"the steps before the tree do not name their columns ({error}); fit on a frame"
        ) from error
    out: Any = copy(tree)
    out.tree_ = replace(tree.tree_, names=names)
    if all(isinstance(step, SelectorMixin) for step in before):
        notations = getattr(before[0], "notations_in_", {})
        out.notations_in_ = {name: notations[name] for name in names if name in notations}
    return out
