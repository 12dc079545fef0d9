"""Model trees of classes: a penalised logistic model in every leaf, shrunk towards that of its parent.

A node's model minimises the log loss of its rows plus λ/2 times the squared distance of its coefficients (of columns in
units of their standard deviation in the whole table) to those of its parent's model, so that a leaf of few rows, or of
rows that a plane parts, stays near the model of more rows. At the root the distance is that to 0, the intercept free.
λ is the one of least log loss plus degrees of freedom (Akaike), which is also the risk that pruning counts. Splits are
those of the criterion. Landwehr, Hall and Frank (2005), Logistic model trees.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax

from tamis.errors import DamagedError, ParameterError
from tamis.saved import numbers, refuse_outside, refuse_shape, texts
from tamis.tree.export.wording import number
from tamis.tree.grow.layout import TreeLimits
from tamis.tree.linear_leaves import BEYOND, path_errors, paths_of, standard_units, with_models
from tamis.tree.prune.held_out import HeldOutPaths
from tamis.tree.tree import Tree

#: Strengths that are compared in every node, in rows.
STRENGTHS = (1.0, 10.0, 100.0)

#: Of the root's intercepts, in rows: several sums have a common constant that no row decides.
FREE = 1e-6

#: Rows of a node, by weight, below which it keeps the model of its parent.
MIN_ROWS = 5

#: Rows, by weight, below which a node is not split, as in Landwehr's trees: its model would be its parent's.
MIN_SPLIT = 15

#: Coefficients of a node at most: their squared number is what a step of Newton's method solves.
MAX_COEFFICIENTS = 400

MAX_STEPS, TOLERANCE = 50, 1e-8


@dataclass(frozen=True, eq=False)
class LogisticModels:
    """A logistic model for every node: sums = intercept + coef · x over the numeric columns, in their own units.

    Of two classes one sum, the log odds of the second; of more one a class, before the softmax. `columns` are the
    numeric columns, `fill` stands in for their missing values. Sums are held between `low` and `high`, a tenth of
    their range beyond those of the node's rows.
    """

    columns: np.ndarray
    fill: np.ndarray
    coef: np.ndarray  # (nodes, sums, columns)
    intercept: np.ndarray  # (nodes, sums)
    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray

    def filled(self, X: np.ndarray) -> np.ndarray:
        """The numeric columns without holes."""
        values = X[:, self.columns]
        return np.where(np.isnan(values), self.fill, values)

    def sums(self, filled: np.ndarray, node: np.ndarray) -> np.ndarray:
        """Linear predictors (rows × sums), each row by the model of its node."""
        predictors = self.intercept[node] + np.einsum("iks,is->ik", self.coef[node], filled)
        return np.clip(predictors, self.low[node], self.high[node])

    def shares(self, X: np.ndarray, node: np.ndarray) -> np.ndarray:
        """Probability of each class, each row by the model of its node."""
        return _shares(self.sums(self.filled(X), node))

    def used(self, nodes: np.ndarray) -> np.ndarray:
        """Mask of the columns that models of some nodes use."""
        return np.asarray((self.coef[nodes] != 0).any(axis=(0, 1)))

    def words(self, node: int, classes: Any) -> str:
        """The model as sums, the largest terms of each first."""
        heads = [f"log-odds of {classes[1]}"] if len(classes) == 2 else [f"score of {label}" for label in classes]
        return "; ".join(f"{head} = {self._terms(node, k)}" for k, head in enumerate(heads))

    def _terms(self, node: int, k: int, max_terms: int = 4) -> str:
        coef = self.coef[node, k]
        terms = [number(self.intercept[node, k])]
        for j in np.argsort(-np.abs(coef), kind="stable")[:max_terms]:
            if coef[j] != 0:
                terms.append(f"{'-' if coef[j] < 0 else '+'} {number(abs(coef[j]))}·{self.names[j]}")
        return " ".join(terms) + (" …" if np.count_nonzero(coef) > max_terms else "")

    def of_nodes(self, keep: np.ndarray) -> LogisticModels:
        """The models of some nodes."""
        arrays = (getattr(self, name)[keep] for name in ("coef", "intercept"))
        ends = (getattr(self, name)[keep] for name in ("low", "high"))
        coef, intercept = arrays
        return LogisticModels(self.columns, self.fill, coef, intercept, self.names, *ends)

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        arrays = ("columns", "fill", "coef", "intercept", "low", "high")
        return {name: getattr(self, name).tolist() for name in arrays} | {"names": list(self.names)}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> LogisticModels:
        """What `to_dict` wrote, looked at."""
        columns, intercept = (
            numbers("columns", saved["columns"], np.int64),
            numbers("intercept", saved["intercept"], shape=(None, None)),
        )
        fill = numbers("fill", saved["fill"], shape=(len(columns),))
        coef = numbers("coef", saved["coef"], shape=(*intercept.shape, len(columns)))
        ends = (numbers(name, saved[name], shape=intercept.shape) for name in ("low", "high"))
        return cls(columns, fill, coef, intercept, texts("names", saved["names"]), *ends)

    def refuse_damaged(self, tree: Tree) -> None:
        """Raise unless there is a model for every node of a tree, of columns it has."""
        n_classes = tree.value.shape[1]
        refuse_shape("intercept", self.intercept, (tree.n_nodes, 1 if n_classes == 2 else n_classes))
        refuse_outside("columns", self.columns, 0, len(tree.names) - 1)
        if len(self.names) != len(self.columns):
            raise DamagedError("its logistic models do not name their columns")


@dataclass(frozen=True, eq=False)
class LogisticLeaves:
    """A problem of classes whose trees answer with logistic models."""

    base: Any
    X: np.ndarray

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)  # classes, weights and costs are the same

    def grow_on(self, rows: np.ndarray, limits: TreeLimits) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows, the risk of its nodes being that of their models; and each row's leaf."""
        tree, _ = self.base.grow_on(rows, limits)
        tree = tree.pruned(tree.weight < MIN_SPLIT)
        leaf = tree.apply(np.ascontiguousarray(self.X[rows]))
        models, risk = self._fit(tree, rows, leaf)
        return with_models(tree, models, risk), leaf

    def models(self, tree: Tree) -> LogisticModels:
        """The models of a tree that `grow_on` grew, pruned or not."""
        return tree.models  # type: ignore[attr-defined, no-any-return]

    def _fit(self, tree: Tree, rows: np.ndarray, leaf: np.ndarray) -> tuple[LogisticModels, np.ndarray]:
        numeric = np.flatnonzero(~self.base.data.bins.is_categorical)
        values = self.X[np.ix_(rows, numeric)]
        means = np.where(np.isnan(values), 0.0, values).sum(axis=0) / np.maximum((~np.isnan(values)).sum(axis=0), 1)
        filled, weight = np.where(np.isnan(values), means, values), self.base.weight[rows]
        centre, unit = standard_units(filled, weight)
        Z = np.column_stack([np.ones(len(rows)), (filled - centre) / unit])
        Y = _indicators(self.base.classes[rows], len(self.base.loss))
        if Y.shape[1] * Z.shape[1] > MAX_COEFFICIENTS:
            raise ParameterError(
                f"leaf='logistic' would fit {Y.shape[1] * Z.shape[1]:,} coefficients in every node; give at most "
                f"{MAX_COEFFICIENTS} (classes × numeric columns), or leaf='constant'"
            )
        theta, risk = np.zeros((tree.n_nodes, Y.shape[1], Z.shape[1])), np.zeros(tree.n_nodes)
        low, high = (np.full((tree.n_nodes, Y.shape[1]), end) for end in (-np.inf, np.inf))
        for node, members in _members(tree, leaf):
            parent = int(tree.parent[node])
            above = theta[parent] if parent >= 0 else np.zeros(theta.shape[1:])
            z, y, w = Z[members], Y[members], weight[members]
            theta[node], risk[node] = _chosen(z, y, w, above, is_root=parent < 0)
            sums = z @ theta[node].T
            more = BEYOND * np.ptp(sums, axis=0)
            low[node], high[node] = sums.min(axis=0) - more, sums.max(axis=0) + more
        coef = theta[:, :, 1:] / unit
        intercept = theta[:, :, 0] - coef @ centre
        names = tuple(tree.names[j] for j in numeric)
        return LogisticModels(numeric, means, coef, intercept, names, low, high), risk

    def errors(
        self, tree: Tree, test: np.ndarray, collapse: np.ndarray, betas: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, HeldOutPaths]:
        """Sums and sums of squares of the log loss on rows left out, for every pruning; and the probabilities."""
        models = self.models(tree)
        filled, y = models.filled(self.X[test]), self.base.classes[test]

        def answers(rows: np.ndarray, nodes: np.ndarray) -> np.ndarray:
            return _shares(models.sums(filled[rows], nodes))

        def losses(rows: np.ndarray, shares: np.ndarray) -> np.ndarray:
            return np.asarray(-np.log(np.maximum(shares[np.arange(len(shares)), y[rows]], 1e-300)))

        return path_errors(tree, self.X, test, self.base.weight[test], (collapse, betas), answers, losses)


def _members(tree: Tree, leaf: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """Every node with its rows, parents first."""
    members = []
    for nodes in paths_of(tree, leaf).T:
        order = np.argsort(nodes, kind="stable")
        ends = np.flatnonzero(np.diff(nodes[order])) + 1
        members += [(int(nodes[rows[0]]), rows) for rows in np.split(order, ends) if nodes[rows[0]] >= 0]
    return members


def _indicators(codes: np.ndarray, n_classes: int) -> np.ndarray:
    """1 for the second of two classes, or a column for each class."""
    return (codes[:, None] == (np.array([1]) if n_classes == 2 else np.arange(n_classes))).astype(np.float64)


def _shares(sums: np.ndarray) -> np.ndarray:
    if sums.shape[1] == 1:
        return np.hstack([expit(-sums), expit(sums)])
    return np.asarray(softmax(sums, axis=1))


def _log_loss(sums: np.ndarray, Y: np.ndarray, weight: np.ndarray) -> float:
    if Y.shape[1] == 1:
        return float(-weight @ (log_expit(np.where(Y > 0, sums, -sums))[:, 0]))
    return float(-weight @ (log_softmax(sums, axis=1) * Y).sum(axis=1))


def _chosen(
    Z: np.ndarray, Y: np.ndarray, weight: np.ndarray, above: np.ndarray, is_root: bool
) -> tuple[np.ndarray, float]:
    """Coefficients at the strength of least log loss plus degrees of freedom, and this; of few rows the parent's."""
    if weight.sum() < MIN_ROWS and not is_root:
        return above, _log_loss(Z @ above.T, Y, weight)
    best, least, theta = above, np.inf, above
    is_pure = bool((Y[0] == Y).all())
    for strength in STRENGTHS[:1] if is_pure else reversed(STRENGTHS):  # each starts from that of a stronger one
        penalty = np.full(Z.shape[1], strength)
        if is_root:
            penalty[0] = FREE
        theta, loss, freedom = _penalised(Z, Y, weight, above, theta, penalty)
        if loss + freedom < least:
            best, least = theta, loss + freedom
    return best, least


def _penalised(
    Z: np.ndarray, Y: np.ndarray, weight: np.ndarray, above: np.ndarray, start: np.ndarray, penalty: np.ndarray
) -> tuple[np.ndarray, float, float]:
    """Newton's method with halved steps: coefficients, their log loss and their degrees of freedom."""
    theta = start.copy()

    def objective(at: np.ndarray) -> float:
        return _log_loss(Z @ at.T, Y, weight) + 0.5 * float((penalty * (at - above) ** 2).sum())

    value = objective(theta)
    ridge = np.diag(np.tile(penalty, len(theta)))
    for _ in range(MAX_STEPS):
        gradient, hessian = _derivatives(Z, Y, weight, theta)
        gradient = gradient + (penalty * (theta - above)).ravel()
        step = np.linalg.solve(hessian + ridge, gradient).reshape(theta.shape)
        size = 1.0
        while (changed := objective(theta - size * step)) > value and size > 1e-6:
            size /= 2
        if changed > value:
            break
        theta, before, value = theta - size * step, value, changed
        if before - value <= TOLERANCE * max(1.0, abs(value)):
            break
    _, hessian = _derivatives(Z, Y, weight, theta)
    freedom = float(np.trace(np.linalg.solve(hessian + ridge, hessian)))
    return theta, _log_loss(Z @ theta.T, Y, weight), freedom


def _derivatives(Z: np.ndarray, Y: np.ndarray, weight: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and curvature of the log loss, coefficients of one sum after the other."""
    shares = expit(Z @ theta.T) if Y.shape[1] == 1 else softmax(Z @ theta.T, axis=1)
    gradient = ((shares - Y) * weight[:, None]).T @ Z
    n_sums, width = theta.shape
    hessian = np.empty((n_sums, width, n_sums, width))
    for k in range(n_sums):
        for m in range(k, n_sums):
            curvature = weight * shares[:, k] * ((k == m) - shares[:, m])
            hessian[k, :, m] = (Z * curvature[:, None]).T @ Z
            hessian[m, :, k] = hessian[k, :, m].T
    return gradient.ravel(), hessian.reshape(n_sums * width, n_sums * width)
