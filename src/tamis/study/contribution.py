"""What each column contributes to a fitted procedure, as shares that add up to 1."""

from __future__ import annotations

from tamis.study.procedures import Fitted


def contributions(fitted: Fitted) -> dict[str, float]:
    """Share of each column that a model just fitted uses, largest first; ties by name.

    A linear model: the standard deviation, over the training rows, of what the column adds to the linear predictor (of
    several classes: root mean square over them). A tree or a forest: the share of the improvement it brings.
    """
    model = fitted.model
    if hasattr(model, "inputs_"):
        weight = dict(zip(model.inputs_.encoding.names, model.feature_importances_.tolist()))
    elif hasattr(model, "forest_"):
        weight = dict(zip(model.selected_columns_, model.forest_.feature_importances_.tolist()))
    elif hasattr(model, "tree_"):
        weight = dict(zip(model.tree_.names, model.feature_importances_.tolist()))
    else:
        weight = {}
    known = {str(name): float(weight.get(name, 0.0)) for name in fitted.columns}
    total = sum(known.values())
    order = sorted(known, key=lambda name: (-known[name], name))
    return {name: known[name] / total if total > 0 else 1 / len(known) for name in order}
