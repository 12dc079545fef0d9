"""Model trees: a penalised linear model in every leaf, smoothed along the path from the root.

Each node has a ridge model fitted from its moments (count, means, scatter of [X, y]); those of a parent are the sum
of its children's, so that one pass over the rows serves the whole tree. The penalty is the one of least generalised
cross-validation. A leaf's answer is mixed with those of its ancestors, (n p + 15 q) / (n + 15) at every step up
(Quinlan 1992); all being linear, the mixture is one linear model. Pruning judges these models, not the means.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tamis.errors import DamagedError
from tamis.saved import numbers, refuse_outside, refuse_shape, texts
from tamis.tree.export.wording import number
from tamis.tree.grow.layout import SQUARED_ERROR, TreeLimits
from tamis.tree.oblique import ObliqueProblem
from tamis.tree.prune.held_out import HeldOutPaths
from tamis.tree.tree import Tree

SMOOTH = 15.0
BEYOND = 0.1  # of the range of a node's targets
_VARIES = 1e-12  # least standard deviation in a node, of that in the whole table
PENALTIES = np.logspace(-4, 3, 15)  # times the number of rows, on standardised columns


@dataclass(frozen=True, eq=False)
class LeafModels:
    """A linear model for every node: prediction = intercept + coef · x over the numeric columns, in their own units.

    `columns` are the numeric columns, `fill` stands in for their missing values. Predictions are held between `low` and
    `high`, a tenth of their range beyond the targets of the node: a line does not know where it ends.
    """

    columns: np.ndarray
    fill: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray

    def predict(self, X: np.ndarray, node: np.ndarray) -> np.ndarray:
        """Each row by the model of its node."""
        return self.answers(self.filled(X), node)

    def answers(self, filled: np.ndarray, node: np.ndarray) -> np.ndarray:
        """The same for rows whose numeric columns have no holes."""
        predictions = self.intercept[node] + np.einsum("ij,ij->i", self.coef[node], filled)
        return np.clip(predictions, self.low[node], self.high[node])

    def filled(self, X: np.ndarray) -> np.ndarray:
        values = X[:, self.columns]
        return np.where(np.isnan(values), self.fill, values)

    def used(self, nodes: np.ndarray) -> np.ndarray:
        """Mask of the columns that models of some nodes use."""
        return np.asarray((self.coef[nodes] != 0).any(axis=0))

    def words(self, node: int, classes: Any = None) -> str:
        """The model as a sum, its largest terms first; small trees are read by people."""
        order = np.argsort(-np.abs(self.coef[node]), kind="stable")
        terms = [number(self.intercept[node])]
        for j in order[:6]:
            if self.coef[node, j] != 0:
                sign = "-" if self.coef[node, j] < 0 else "+"
                terms.append(f"{sign} {number(abs(self.coef[node, j]))}·{self.names[j]}")
        return " ".join(terms) + (" …" if np.count_nonzero(self.coef[node]) > 6 else "")

    def of_nodes(self, keep: np.ndarray) -> LeafModels:
        """The models of some nodes."""
        arrays = {name: getattr(self, name)[keep] for name in ("coef", "intercept", "low", "high")}
        return replace(self, **arrays)

    def to_dict(self) -> dict[str, Any]:
        arrays = ("columns", "fill", "coef", "intercept", "low", "high")
        return {name: getattr(self, name).tolist() for name in arrays} | {"names": list(self.names)}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> LeafModels:
        columns, intercept = numbers("columns", saved["columns"], np.int64), numbers("intercept", saved["intercept"])
        fill = numbers("fill", saved["fill"], shape=(len(columns),))
        coef = numbers("coef", saved["coef"], shape=(len(intercept), len(columns))).reshape(
            len(intercept), len(columns)
        )
        ends = (numbers(name, saved[name], shape=(len(intercept),)) for name in ("low", "high"))
        return cls(columns, fill, coef, intercept, texts("names", saved["names"]), *ends)

    def refuse_damaged(self, tree: Tree) -> None:
        """Raise unless there is a model for every node of a tree, of columns it has."""
        refuse_shape("intercept", self.intercept, (tree.n_nodes,))
        refuse_outside("columns", self.columns, 0, len(tree.names) - 1)
        if len(self.names) != len(self.columns):
            raise DamagedError("its linear models do not name their columns")


@dataclass(frozen=True, eq=False)
class LinearLeaves:
    """A problem whose trees answer with linear models."""

    base: Any
    X: np.ndarray

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)  # targets, weights and costs are the same

    def grow_on(self, rows: np.ndarray, limits: TreeLimits) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows, the risk of its nodes being that of their models; and each row's leaf."""
        tree, leaf = self.base.grow_on(rows, limits, **self._grower(rows))
        models, risk = self._fit(tree, rows, leaf)
        return with_models(tree, models, risk), leaf

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

    def _numeric(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The numeric columns, their values in some rows with means in place of missing ones, and the means."""
        numeric = np.flatnonzero(~self.base.data.bins.is_categorical)
        values = self.X[np.ix_(rows, numeric)]
        means = np.where(np.isnan(values), 0.0, values).sum(axis=0) / np.maximum((~np.isnan(values)).sum(axis=0), 1)
        return numeric, np.where(np.isnan(values), means, values), means

    def models(self, tree: Tree) -> LeafModels:
        """The models of a tree that `grow_on` grew, pruned or not."""
        return tree.models  # type: ignore[attr-defined, no-any-return]

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
            return models.answers(filled[rows], nodes)[:, None]

        def losses(rows: np.ndarray, answer: np.ndarray) -> np.ndarray:
            return np.asarray((y[rows] - answer[:, 0]) ** 2)

        return path_errors(tree, self.X, test, self.base.weight[test], (collapse, betas), answers, losses)


Answers = Callable[[np.ndarray, np.ndarray], np.ndarray]


def path_errors(
    tree: Tree,
    X: np.ndarray,
    test: np.ndarray,
    weight: np.ndarray,
    prices: tuple[np.ndarray, np.ndarray],
    answers: Answers,
    losses: Answers,
) -> tuple[np.ndarray, np.ndarray, HeldOutPaths]:
    """Sums of losses, and of their squares, on rows left out of a tree of models, for every pruning; their answers.

    Parameters
    ----------
    prices : of every node from which on it is a leaf; and those at which the tree is pruned, the largest first.
    answers : (mask of test rows, their nodes) -> rows × outputs.
    losses : (mask of test rows, their answers) -> one a row.
    """
    collapse, betas = prices
    first, second = np.zeros(len(betas) + 1), np.zeros(len(betas) + 1)
    above = np.full(len(test), np.inf)  # a node answers from its own price down from that of its parent
    paths = paths_of(tree, tree.apply(np.ascontiguousarray(X[test])))
    n_outputs = answers(np.zeros(len(test), dtype=bool), np.zeros(0, dtype=np.int64)).shape[1]
    answer = np.zeros((*paths.shape, n_outputs))
    last = np.full(paths.shape, len(betas), dtype=np.int32)
    for column in range(paths.shape[1]):
        node = paths[:, column]
        live = node >= 0
        price = np.where(live, collapse[np.maximum(node, 0)], np.inf)
        answering = live & (price < above)
        answer[answering, column] = answers(answering, node[answering])
        loss = losses(answering, answer[answering, column])
        # betas descend: those below the parent's price and not below the node's own
        start = np.searchsorted(-betas, -above[answering], side="right")
        until = np.searchsorted(-betas, -price[answering], side="right")
        start = np.where(np.isinf(above[answering]), 0, start)
        for sums, error in ((first, weight[answering] * loss), (second, weight[answering] * loss**2)):
            np.add.at(sums, start, error)
            np.add.at(sums, until, -error)
        last[answering, column] = until
        last[live & ~answering, column] = 0  # the parent answers wherever this node could
        above = np.where(live, np.minimum(above, price), above)
    return np.cumsum(first)[:-1], np.cumsum(second)[:-1], HeldOutPaths(test, last, answer)


def with_models(tree: Tree, models: Any, risk: np.ndarray) -> Tree:
    """The tree with the risk of its models, its models carried along, also through pruning."""
    out = ModelTree(**{name: getattr(tree, name) for name in tree.__dataclass_fields__})
    out = replace(out, risk=risk)
    object.__setattr__(out, "models", models)
    return out


@dataclass(frozen=True, eq=False)
class ModelTree(Tree):
    """A tree whose nodes have linear models, which pruning keeps beside them."""

    def pruned(self, is_leaf: np.ndarray) -> Tree:
        out = super().pruned(is_leaf)
        keep = self.kept(is_leaf)
        models = self.models  # type: ignore[attr-defined]
        object.__setattr__(out, "models", models.of_nodes(keep))
        return out


def paths_of(tree: Tree, leaf: np.ndarray) -> np.ndarray:
    """Nodes from the root to each leaf, one row a row, padded with -1."""
    out = np.full((len(leaf), tree.max_depth + 1), -1, dtype=np.int64)
    node = leaf.copy()
    while np.any(node >= 0):
        live = np.flatnonzero(node >= 0)
        out[live, tree.depth[node[live]]] = node[live]
        node[live] = tree.parent[node[live]]
    return out


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


def standard_units(filled: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of every column, infinite where it does not vary."""
    centre = weight @ filled / weight.sum()
    off = np.abs(filled - centre)
    largest = off.max(axis=0, initial=0.0)
    varies = largest > 1e-14 * np.abs(centre)
    size = np.where(varies, largest, 1.0)
    spread = size * np.sqrt(weight @ (off / size) ** 2 / weight.sum())
    return centre, np.where(varies, spread, np.inf)


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
