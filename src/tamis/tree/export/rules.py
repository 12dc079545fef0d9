"""A tree as rules: one a leaf, conditions on the same column merged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.tree.export.wording import PLAIN, Notations, answer, bound, condition, levels_on, number, some
from tamis.tree.tree import Tree

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


def rules_of(model: BaseEstimator) -> list[dict[str, Any]]:
    """Dicts with `conditions` (a list of words), `rule` (the words joined), `rows`, `share`, `prediction`, `purity`.

    `purity` is the share of the predicted class; for numbers, the standard deviation within the leaf is given as
    `spread`.
    """
    tree, notations = model.tree_, getattr(model, "notations_in_", {})
    out = []
    for node in tree.preorder():
        if tree.left[node] >= 0:
            continue
        label, share = answer(model, int(node))
        conditions = conditions_of(tree, int(node), notations)
        row: dict[str, Any] = {
            "rule": " and ".join(conditions) or "all rows",
            "conditions": conditions,
            "rows": int(tree.n_rows[node]),
            "share": float(tree.n_rows[node] / tree.n_rows[0]),
            "prediction": label,
        }
        if share is not None:
            row["purity"] = share
        else:
            row["spread"] = float(np.sqrt(tree.risk[node] / tree.weight[node]))
        out.append(row)
    return out


def conditions_of(tree: Tree, leaf: int, notations: Notations = PLAIN) -> list[str]:
    """The conditions on the way to a leaf, one a column: intervals and sets are intersected."""
    bounds: dict[int, list[float]] = {}
    sets: dict[int, set[int]] = {}
    missing: dict[int, bool] = {}
    clauses: list[str] = []
    node = leaf
    while tree.parent[node] >= 0:
        parent = int(tree.parent[node])
        side = node - int(tree.left[parent])
        j = int(tree.feature[parent])
        if j == -2:
            clauses.append(condition(tree, parent, side))
        elif tree.n_levels[parent]:
            side_levels = set(levels_on(tree, parent, side))
            sets[j] = sets[j] & side_levels if j in sets else side_levels
        elif np.isinf(tree.threshold[parent]):
            missing[j] = bool(side)
        else:
            low_high = bounds.setdefault(j, [-np.inf, np.inf])
            if side:
                low_high[0] = max(low_high[0], tree.threshold[parent])
            else:
                low_high[1] = min(low_high[1], tree.threshold[parent])
        node = parent
    words = [
        f"{tree.names[j]} is {'missing' if is_missing else 'present'}" for j, is_missing in sorted(missing.items())
    ]
    words += [_interval(tree.names[j], low, high, notations) for j, (low, high) in sorted(bounds.items())]
    for j, codes in sorted(sets.items()):
        levels = tree.levels[j] or ()
        words.append(f"{tree.names[j]} in {some([str(levels[code]) for code in sorted(codes)])}")
    return words + clauses[::-1]


def _interval(name: str, low: float, high: float, notations: Notations) -> str:
    notation = notations.get(name)
    if np.isinf(low) or np.isinf(high):
        return f"{name} {bound(high, 0, notation) if np.isinf(low) else bound(low, 1, notation)}"
    write = number if notation is None else notation.write
    return f"{write(low)} < {name} ≤ {write(high)}"
