"""How much each column brings to a tree."""

from __future__ import annotations

import numpy as np

from tamis.tree.tree import Tree


def importance_of(tree: Tree, surrogates: bool = False) -> np.ndarray:
    """Summed improvement of each column's splits.

    With surrogates, a column is also credited, for every split it could stand in for, with that split's improvement
    times its adjusted agreement: a column masked by a twin is then seen. A linear combination credits its columns by
    the size of their coefficients.
    """
    out = np.zeros(len(tree.names))
    inner = np.flatnonzero(tree.left >= 0)
    axis = inner[tree.feature[inner] >= 0]
    np.add.at(out, tree.feature[axis], tree.improvement[axis])
    for node in inner[tree.feature[inner] == -2]:
        which = slice(int(tree.first_level[node]), int(tree.first_level[node] + tree.n_levels[node]))
        size = np.abs(tree.coefficient[which])
        np.add.at(out, tree.level[which, 0], tree.improvement[node] * size / size.sum())
    if surrogates:
        owner = np.repeat(np.arange(tree.n_nodes), tree.n_surrogates)
        np.add.at(out, tree.surrogate[:, 0], tree.improvement[owner] * tree.agreement[:, 1])
    return out
