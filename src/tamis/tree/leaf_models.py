"""What trees with a model in every leaf share: models of nodes by their coefficients, and pruning that judges them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from tamis.errors import DamagedError
from tamis.saved import numbers, refuse_outside, refuse_shape, texts
from tamis.tree.export.wording import number
from tamis.tree.grow.layout import TreeLimits
from tamis.tree.grow.variant import Variant
from tamis.tree.prune.held_out import HeldOutPaths
from tamis.tree.tree import Tree

#: Of the range of a node's targets or sums, how far beyond it predictions may lie.
BEYOND = 0.1


@dataclass(frozen=True, eq=False)
class NodeModels:
    """Sums intercept + coef · x over the numeric columns, in their own units, for every node.

    `columns` are the numeric columns, `fill` stands in for their missing values. Sums are held between `low` and
    `high`, a tenth of their range beyond those of the node: a line does not know where it ends. `intercept` has a
    number or a row of sums for each node, `coef` one axis more.
    """

    kind: ClassVar[str] = ""
    n_axes: ClassVar[int] = 1

    columns: np.ndarray
    fill: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray

    def filled(self, X: np.ndarray) -> np.ndarray:
        """The numeric columns without holes."""
        values = X[:, self.columns]
        return np.where(np.isnan(values), self.fill, values)

    def sums(self, filled: np.ndarray, node: np.ndarray) -> np.ndarray:
        """Linear predictors, each row by the model of its node."""
        predictors = self.intercept[node] + np.einsum("i...j,ij->i...", self.coef[node], filled)
        return np.clip(predictors, self.low[node], self.high[node])

    def used(self, nodes: np.ndarray) -> np.ndarray:
        """Mask of the columns that models of some nodes use."""
        return np.asarray((self.coef[nodes] != 0).any(axis=tuple(range(self.coef.ndim - 1))))

    def terms(self, coef: np.ndarray, intercept: float, max_terms: int) -> str:
        """A sum in words, its largest terms first; small trees are read by people."""
        words = [number(intercept)]
        for j in np.argsort(-np.abs(coef), kind="stable")[:max_terms]:
            if coef[j] != 0:
                words.append(f"{'-' if coef[j] < 0 else '+'} {number(abs(coef[j]))}·{self.names[j]}")
        return " ".join(words) + (" …" if np.count_nonzero(coef) > max_terms else "")

    def of_nodes(self, keep: np.ndarray) -> Self:
        """The models of some nodes."""
        return replace(self, **{name: getattr(self, name)[keep] for name in ("coef", "intercept", "low", "high")})

    def to_dict(self) -> dict[str, Any]:
        """Plain values that `from_dict` takes back."""
        arrays = ("columns", "fill", "coef", "intercept", "low", "high")
        return {name: getattr(self, name).tolist() for name in arrays} | {"names": list(self.names)}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Self:
        """What `to_dict` wrote, looked at."""
        columns = numbers("columns", saved["columns"], np.int64)
        intercept = numbers("intercept", saved["intercept"], shape=(None,) * cls.n_axes)
        fill = numbers("fill", saved["fill"], shape=(len(columns),))
        shape = (*intercept.shape, len(columns))
        coef = numbers("coef", saved["coef"], shape=shape).reshape(shape)
        ends = (numbers(name, saved[name], shape=intercept.shape) for name in ("low", "high"))
        return cls(columns, fill, coef, intercept, texts("names", saved["names"]), *ends)

    def refuse_damaged(self, tree: Tree) -> None:
        """Raise unless there is a model for every node of a tree, of columns it has."""
        refuse_shape("intercept", self.intercept, (tree.n_nodes, *self.shape_of(tree)))
        refuse_outside("columns", self.columns, 0, len(tree.names) - 1)
        if len(self.names) != len(self.columns):
            raise DamagedError(f"its {self.kind} models do not name their columns")

    @staticmethod
    def shape_of(tree: Tree) -> tuple[int, ...]:
        """Shape of the sums of one node."""
        return ()


@dataclass(frozen=True, eq=False)
class ModelLeaves(Variant):
    """A problem whose trees answer with models."""

    X: np.ndarray

    def grow_on(self, rows: np.ndarray, limits: TreeLimits) -> tuple[Tree, np.ndarray]:
        """A tree grown on the rows, the risk of its nodes being that of their models; and each row's leaf."""
        tree, leaf = self._grown(rows, limits)
        models, risk = self._fit(tree, rows, leaf)
        return with_models(tree, models, risk), leaf

    def models(self, tree: Tree) -> Any:
        """The models of a tree that `grow_on` grew, pruned or not."""
        return tree.models  # type: ignore[attr-defined]

    def _grown(self, rows: np.ndarray, limits: TreeLimits) -> tuple[Tree, np.ndarray]:
        raise NotImplementedError

    def _fit(self, tree: Tree, rows: np.ndarray, leaf: np.ndarray) -> tuple[NodeModels, np.ndarray]:
        raise NotImplementedError

    def _numeric(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The numeric columns, their values in some rows with means in place of missing ones, and the means."""
        numeric = np.flatnonzero(~self.base.data.bins.is_categorical)
        values = self.X[np.ix_(rows, numeric)]
        means = np.where(np.isnan(values), 0.0, values).sum(axis=0) / np.maximum((~np.isnan(values)).sum(axis=0), 1)
        return numeric, np.where(np.isnan(values), means, values), means


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


def standard_units(filled: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of every column, infinite where it does not vary."""
    centre = weight @ filled / weight.sum()
    off = np.abs(filled - centre)
    largest = off.max(axis=0, initial=0.0)
    varies = largest > 1e-14 * np.abs(centre)
    size = np.where(varies, largest, 1.0)
    spread = size * np.sqrt(weight @ (off / size) ** 2 / weight.sum())
    return centre, np.where(varies, spread, np.inf)
