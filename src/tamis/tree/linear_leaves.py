"""Model trees: a penalised linear model in every leaf, smoothed along the path from the root.

Each node has a ridge model fitted from its moments (count, means, scatter of [X, y]); those of a parent are the sum
of its children's, so that one pass over the rows serves the whole tree. The penalty is the one of least generalised
cross-validation. A leaf's answer is mixed with those of its ancestors, (n p + 15 q) / (n + 15) at every step up
(Quinlan 1992); all being linear, the mixture is one linear model. Pruning judges these models, not the means.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tamis.tree.grow.layout import SQUARED_ERROR, TreeLimits
from tamis.tree.leaf_models import BEYOND, ModelLeaves, NodeModels, path_errors, standard_units
from tamis.tree.oblique import ObliqueProblem
from tamis.tree.prune.held_out import HeldOutPaths
from tamis.tree.tree import Tree

SMOOTH = 15.0
_VARIES = 1e-12  # least standard deviation in a node, of that in the whole table
PENALTIES = np.logspace(-4, 3, 15)  # times the number of rows, on standardised columns


class LeafModels(NodeModels):
    """A linear model for every node: prediction = intercept + coef · x, held to the targets of the node."""

    kind = "linear"

    def predict(self, X: np.ndarray, node: np.ndarray) -> np.ndarray:
        """Each row by the model of its node."""
        return self.sums(self.filled(X), node)

    def words(self, node: int, classes: Any = None) -> str:
        """The model as a sum."""
        return self.terms(self.coef[node], self.intercept[node], max_terms=6)


class LinearLeaves(ModelLeaves):
    """A problem whose trees answer with linear models."""

    def _grown(self, rows: np.ndarray, limits: TreeLimits) -> tuple[Tree, np.ndarray]:
        tree, leaf = self.base.grow_on(rows, limits, **self._grower(rows))
        return tree, leaf

    def _grower(self, rows: np.ndarray) -> dict[str, Any]:
        """How splits are found: to suit linear models, unless the criterion or oblique splits ask otherwise."""
        from tamis.tree.linear_splits import LinearSplits

        if getattr(self.base, "criterion", None) != SQUARED_ERROR or isinstance(self.base, ObliqueProblem):
            return {}
        numeric, filled, _ = self._numeric(rows)
        every = np.zeros((len(self.X), len(numeric)))
        centre, unit = standard_units(filled, self.base.weight[rows])
        every[rows] = (filled - centre) / unit
        y, weight = self.base.values[:, 0], self.base.weight

        def residual(node_rows: np.ndarray) -> np.ndarray:
            Z = np.column_stack([every[node_rows], y[node_rows]])
            w = weight[node_rows]
            Z = Z - np.average(Z, axis=0, weights=w)
            coef, _ = _ridge((Z * w[:, None]).T @ Z, float(w.sum()))
            return np.asarray(Z[:, -1] - Z[:, :-1] @ coef)

        return {"grow": LinearSplits(self.X, every, residual).grow}

    def _fit(self, tree: Tree, rows: np.ndarray, leaf: np.ndarray) -> tuple[LeafModels, np.ndarray]:
        numeric, filled, means = self._numeric(rows)
        weight = self.base.weight[rows]
        centre, unit = standard_units(filled, weight)
        Z = np.column_stack([(filled - centre) / unit, self.base.values[rows, 0]])
        count, mean, scatter = _moments(tree, Z, weight, leaf)
        coef, intercept = np.zeros((tree.n_nodes, len(numeric))), np.zeros(tree.n_nodes)
        risk = np.empty(tree.n_nodes)
        for node in range(tree.n_nodes):
            fitted, cost = _ridge(scatter[node], count[node])
            coef[node] = fitted
            intercept[node] = mean[node, -1] - mean[node, :-1] @ fitted
            risk[node] = cost
        smooth, start = coef.copy(), intercept.copy()
        for node in range(tree.n_nodes):
            at, parent = node, int(tree.parent[node])
            while parent >= 0:
                n = count[at]
                smooth[node] = (n * smooth[node] + SMOOTH * coef[parent]) / (n + SMOOTH)
                start[node] = (n * start[node] + SMOOTH * intercept[parent]) / (n + SMOOTH)
                at, parent = parent, int(tree.parent[parent])
        smooth = smooth / unit
        start = start - smooth @ centre
        names = tuple(tree.names[j] for j in numeric)
        low, high = _range(tree, Z[:, -1], leaf)
        return LeafModels(numeric, means, smooth, start, names, low, high), risk

    def errors(
        self, tree: Tree, test: np.ndarray, collapse: np.ndarray, betas: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, HeldOutPaths]:
        """Sums and sums of squares of the squared error on rows left out, for every pruning; and the predictions."""
        models = self.models(tree)
        filled, y = models.filled(self.X[test]), self.base.values[test, 0]

        def answers(rows: np.ndarray, nodes: np.ndarray) -> np.ndarray:
            return models.sums(filled[rows], nodes)[:, None]

        def losses(rows: np.ndarray, answer: np.ndarray) -> np.ndarray:
            return np.asarray((y[rows] - answer[:, 0]) ** 2)

        return path_errors(tree, self.X, test, self.base.weight[test], (collapse, betas), answers, losses)


def _moments(
    tree: Tree, Z: np.ndarray, weight: np.ndarray, leaf: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Count, means and scatter of every node: leaves from their rows, parents from their children."""
    d = Z.shape[1]
    count, mean, scatter = np.zeros(tree.n_nodes), np.zeros((tree.n_nodes, d)), np.zeros((tree.n_nodes, d, d))
    order = np.argsort(leaf, kind="stable")
    ends = np.searchsorted(leaf[order], np.arange(tree.n_nodes + 1))
    for node in range(tree.n_nodes - 1, -1, -1):
        child = int(tree.left[node])
        if child < 0:
            node_rows = order[ends[node] : ends[node + 1]]
            w = weight[node_rows]
            count[node] = w.sum()
            mean[node] = w @ Z[node_rows] / count[node]
            off = Z[node_rows] - mean[node]
            scatter[node] = (off * w[:, None]).T @ off
            continue
        a, b = child, child + 1
        count[node] = count[a] + count[b]
        mean[node] = (count[a] * mean[a] + count[b] * mean[b]) / count[node]
        gap = mean[a] - mean[b]
        scatter[node] = scatter[a] + scatter[b] + np.outer(gap, gap) * count[a] * count[b] / count[node]
    return count, mean, scatter


def _range(tree: Tree, y: np.ndarray, leaf: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest answer of every node: the range of its targets, and a share of it more on either side."""
    low, high = np.full(tree.n_nodes, np.inf), np.full(tree.n_nodes, -np.inf)
    np.minimum.at(low, leaf, y)
    np.maximum.at(high, leaf, y)
    for node in range(tree.n_nodes - 1, 0, -1):
        low[tree.parent[node]] = min(low[tree.parent[node]], low[node])
        high[tree.parent[node]] = max(high[tree.parent[node]], high[node])
    more = BEYOND * (high - low)
    return low - more, high + more


def _ridge(scatter: np.ndarray, n: float) -> tuple[np.ndarray, float]:
    """Coefficients of the ridge model of least generalised cross-validation, and its risk.

    The risk is the residual sum of squares times (n + df) / (n - df): what is expected on new rows. Columns are in
    units of their standard deviation in the whole table.
    """
    d = len(scatter) - 1
    total = float(scatter[-1, -1])
    scale = np.sqrt(np.maximum(np.diag(scatter)[:-1] / n, 0.0))
    used = scale > _VARIES
    plain = np.zeros(d), total * (n + 1.0) / max(n - 1.0, 0.5)
    if not used.any() or n < 4 or total <= 0.0:
        return plain[0], plain[1] if total > 0 else 0.0
    s = scale[used]
    gram = scatter[:-1, :-1][np.ix_(used, used)] / np.outer(s, s)
    slope = scatter[:-1, -1][used] / s
    values, vectors = np.linalg.eigh(gram)
    values = np.maximum(values, 0.0)
    rotated = vectors.T @ slope
    penalty = (PENALTIES * n)[:, None]
    shrunk = rotated / (values + penalty)
    rss = np.maximum(total - 2.0 * (shrunk @ rotated) + shrunk**2 @ values, 0.0)
    df = 1.0 + (values / (values + penalty)).sum(axis=1)
    free = np.maximum(n - df, 0.25)
    cost = np.where(df < n - 0.5, rss * (n + df) / free, np.inf)
    best = int(np.argmin(cost))
    if not cost[best] < plain[1]:
        return plain
    coef = np.zeros(d)
    coef[used] = vectors @ shrunk[best] / s
    return coef, float(cost[best])
