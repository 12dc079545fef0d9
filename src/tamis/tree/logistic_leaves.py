"""Model trees of classes: a penalised logistic model in every leaf, shrunk towards that of its parent.

A node's model minimises the log loss of its rows plus λ/2 times the squared distance of its coefficients (of columns in
units of their standard deviation in the whole table) to those of its parent's model, so that a leaf of few rows, or of
rows that a plane parts, stays near the model of more rows. At the root the distance is that to 0, the intercept free.
λ is the one of least log loss plus degrees of freedom (Akaike), which is also the risk that pruning counts. Splits are
those of the criterion. Landwehr, Hall and Frank (2005), Logistic model trees.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax

from tamis.errors import ParameterError
from tamis.tree.grow.layout import TreeLimits
from tamis.tree.leaf_models import BEYOND, ModelLeaves, NodeModels, path_errors, paths_of, standard_units
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


class LogisticModels(NodeModels):
    """A logistic model for every node: of two classes one sum, the log odds of the second; of more one a class.

    `intercept` is nodes × sums, `coef` nodes × sums × columns; of several sums the softmax is taken.
    """

    kind = "logistic"
    n_axes = 2

    def shares(self, X: np.ndarray, node: np.ndarray) -> np.ndarray:
        """Probability of each class, each row by the model of its node."""
        return _shares(self.sums(self.filled(X), node))

    def words(self, node: int, classes: Any) -> str:
        """The model as sums."""
        heads = [f"log-odds of {classes[1]}"] if len(classes) == 2 else [f"score of {label}" for label in classes]
        sums = zip(heads, self.coef[node], self.intercept[node], strict=True)
        return "; ".join(f"{head} = {self.terms(coef, intercept, max_terms=4)}" for head, coef, intercept in sums)

    @staticmethod
    def shape_of(tree: Tree) -> tuple[int, ...]:
        n_classes = tree.value.shape[1]
        return (1 if n_classes == 2 else n_classes,)


class LogisticLeaves(ModelLeaves):
    """A problem of classes whose trees answer with logistic models."""

    def _grown(self, rows: np.ndarray, limits: TreeLimits) -> tuple[Tree, np.ndarray]:
        tree, _ = self.base.grow_on(rows, limits)
        tree = tree.pruned(tree.weight < MIN_SPLIT)
        return tree, tree.apply(np.ascontiguousarray(self.X[rows]))

    def _fit(self, tree: Tree, rows: np.ndarray, leaf: np.ndarray) -> tuple[LogisticModels, np.ndarray]:
        (numeric, filled, means), weight = self._numeric(rows), self.base.weight[rows]
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
