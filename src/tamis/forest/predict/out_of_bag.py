"""Out-of-bag answers: each row judged by the trees that did not see it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from tamis.forest.data.binned import ForestData
from tamis.forest.data.bootstrap import Bootstrap
from tamis.forest.grow.build import TreeBatch
from tamis.forest.layout import ForestTarget, TargetCosts
from tamis.forest.predict.trees import Trees

LEAST = 50  # trees before a curve can be called flat
EVERY = 10  # trees between two looks at it


@dataclass(eq=False)
class OutOfBag:
    """Sums of the answers for rows left out, and the error after each tree."""

    target: ForestTarget
    weight: np.ndarray  # of each row in the error
    loss: np.ndarray
    majority: bool  # no loss matrix, or trees that vote: the class of most votes
    votes: np.ndarray = field(init=False)
    n_trees: np.ndarray = field(init=False)
    curve: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        n = len(self.weight)
        self.votes = np.zeros((n, self.target.n_classes or self.target.values.shape[1]))
        self.n_trees = np.zeros(n, dtype=np.int64)
        self._error, self._totals = np.zeros(n), np.zeros(2)

    def add(self, batch: TreeBatch) -> None:
        """Add the trees' answers for the rows they left out, and their points of the curve."""
        from tamis.forest.predict.route import LeftOut, OutOfBagSums, add_left_out

        trees, target, curve = batch.trees, self.target, np.empty(len(batch))
        left_out = LeftOut(batch.rows, batch.leaf, batch.ends)
        costs = TargetCosts(target.n_classes, target.classes, target.values, self.weight, self.loss, self.majority)
        sums = OutOfBagSums(self.votes, self.n_trees, self._error, self._totals)
        add_left_out(left_out, trees.nodes, trees.table, trees.ends, costs, sums, curve)
        self.curve.extend(curve.tolist())

    def answers(self) -> np.ndarray:
        """Average answers of each row; NaN where no tree left the row out."""
        with np.errstate(invalid="ignore"):
            return self.votes / self.n_trees[:, None]

    @property
    def judge(self) -> OutOfBag:
        """Itself: where every row counts once there are no copies to tell apart."""
        return self

    def is_stable(self) -> bool:
        """Whether the curve is flat within its own noise."""
        return len(self.curve) >= LEAST and len(self.curve) % EVERY == 0 and is_flat(np.array(self.curve))


class CopyByCopy:
    """Out-of-bag answers in which a row that counts twice is two rows, each drawn or left out by itself.

    Otherwise rows of whole weights are left out as a whole, so that nothing is judged by a tree that saw it. When to
    stop must not depend on whether a row is given twice or with the weight 2, though, and to a forest a table of few
    different rows is as good as one of many.
    """

    def __init__(self, data: ForestData, bootstrap: Bootstrap, judge: OutOfBag) -> None:
        target, self._rows = judge.target, bootstrap.population
        self._bootstrap = replace(bootstrap, population=np.arange(len(bootstrap.population), dtype=np.uint32))
        self._values = data.values.copy()
        self._values[:, data.binned.category] = data.binned.codes[data.binned.category].T
        self.judge = OutOfBag(
            target._replace(
                classes=target.classes[self._rows] if target.n_classes else target.classes,
                values=target.values[self._rows] if len(target.values) else target.values,
            ),
            np.ones(len(self._rows)),
            judge.loss,
            judge.majority,
        )

    def add(self, batch: TreeBatch) -> None:
        """Add the trees' answers for the copies they left out."""
        from tamis.forest.predict.route import out_of_bag_rows

        judge, n_columns = self.judge, self._values.shape[1]
        for t in range(len(batch)):
            out = out_of_bag_rows(self._bootstrap.counts(len(judge.curve), len(self._rows)))
            grown = batch.trees.one(t)
            tree = Trees.join([grown], np.arange(n_columns), judge.target.n_classes, judge.votes.shape[1])
            leaf = tree.leaves(self._values[self._rows[out]])[:, 0].astype(np.int32)
            ends = np.array([0, len(out)])
            judge.add(replace(batch, trees=grown, rows=out, leaf=leaf, ends=ends, n_rows=len(self._rows)))

    def is_stable(self) -> bool:
        """Whether the curve is flat within its own noise."""
        return self.judge.is_stable()


def is_flat(curve: np.ndarray) -> bool:
    r"""Whether further trees would change the error by less than its curve already scatters.

    The error of an average of t trees falls like a + b / t. Fitted to the second half of the curve, b / t is what is
    still to be won, and the scatter around the fit is the noise.

    >>> t = np.arange(1, 201)
    >>> is_flat(0.1 + 0.5 / t), is_flat(0.1 + 0.5 / t + 0.01 * np.sin(t))
    (False, True)
    """
    half = curve[len(curve) // 2 :]
    if np.isnan(half).any():
        return False
    t = np.arange(len(curve) - len(half) + 1, len(curve) + 1)
    design = np.column_stack([np.ones(len(half)), 1.0 / t])
    fit, *_ = np.linalg.lstsq(design, half, rcond=None)
    noise = float(np.std(half - design @ fit))
    return bool(abs(fit[1]) / len(curve) <= noise or np.ptp(half) <= 1e-12 * abs(half).max())
