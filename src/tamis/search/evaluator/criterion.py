"""Criteria from relevance (information about the target) and redundancy (among columns); no model is fitted."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import xlogy

from tamis import _core
from tamis.check import one_of
from tamis.errors import ParameterError
from tamis.search.evaluator.evaluator import Evaluator, Values
from tamis.search.evaluator.task import SearchTask

RANK = 50
NAMES = ("cfs", "cmim", "consistency", "jmi", "mrmr")
_MOST_ROWS = 1 << 28  # bytes of shared information kept


def of(task: SearchTask) -> Evaluator | None:
    """Criteria given by name."""
    if not isinstance(task.estimator, str):
        return None
    name = one_of("estimator", task.estimator, NAMES)
    if task.params or task.scoring is not None:
        parameter = "scoring" if task.scoring is not None else next(iter(task.params))
        raise ParameterError(f"{parameter} is given with the criterion {name!r}, which does not use it; leave it out")
    return Cmim(task, name) if name == "cmim" else CriterionEvaluator(task, name)


class CriterionEvaluator(Evaluator):
    r"""Relevance less redundancy, as a number for a set whose forward search takes the published steps.

    .. math::
        \text{mrmr}: \sum_i I(x_i; y) - \tfrac{1}{|S| - 1} \sum_{i<j} I(x_i; x_j), \qquad
        \text{jmi}: \sum_i I(x_i; y) - \tfrac{1}{|S| - 1} \sum_{i<j} \left( I(x_i; x_j) - I(x_i; x_j \mid y) \right)

    Between sets that differ in one column these differ by Peng's and by Yang and Moody's criterion. "cfs" is the merit
    of `tamis.score.cfs`. Columns are cut into few groups of equal size; a row of pairs is computed when a column is
    first asked for and kept.

    References
    ----------
    Peng, Long, Ding (2005), Feature selection based on mutual information, IEEE PAMI 27.
    Brown, Pocock, Zhao, Luján (2012), Conditional likelihood maximisation, JMLR 13.
    """

    cheap = True
    resolution = 1e-12
    batch_size = 1024

    def __init__(self, task: SearchTask, name: str) -> None:
        from tamis.score.counts import Counts
        from tamis.score.criteria.mutual_information import column_entropy, information
        from tamis.score.criteria.symmetric_uncertainty import uncertainty
        from tamis.score.groups import Groups

        reader = Counts()
        reader.name = name
        target = reader.target(task.y, task.n_rows)
        assert target.codes is not None
        if name == "cfs":
            groups = reader.view(task.table, target, None, task.n_jobs)
        else:  # five rows a cell, so that chance is not taken for information
            classes = 1 if name == "mrmr" else target.n_classes
            max_groups = int(np.clip(np.sqrt(task.n_rows / (5 * classes)), 2, 10))
            groups = Groups.of(task.table, max_groups=max_groups, levels=32, n_jobs=task.n_jobs)
        self.kind, self.groups, self.target = name, groups, target
        tables = groups.tables(target.codes, target.n_classes, task.n_jobs)
        self.entropy = column_entropy(tables)
        self.relevance = uncertainty(tables) if name == "cfs" else information(tables)
        counts = np.arange(task.n_rows + 1, dtype=np.float64)
        self.xlogx = xlogy(counts, counts)
        self._rows: dict[int, np.ndarray] = {}
        self._base: tuple[int, ...] = ()
        self._sum = np.zeros(len(self.relevance))

    @property
    def name(self) -> str:
        return f"the criterion {self.kind!r}"

    def row(self, j: int) -> np.ndarray:
        """How much column j and every other column repeat of each other."""
        if j not in self._rows:
            if (len(self._rows) + 1) * self.relevance.nbytes > _MOST_ROWS:
                self._rows.clear()
            self._rows[j] = self._pairs(j)
        return self._rows[j]

    def _pairs(self, j: int) -> np.ndarray:
        out = np.empty(len(self.relevance))
        _core.shared_information(self.groups.codes, self.groups.sizes, j, self.xlogx, self.entropy, out)
        if self.kind == "cfs":
            entropies = self.entropy + self.entropy[j]
            return np.minimum(np.divide(2 * out, entropies, out=np.zeros_like(out), where=entropies > 1e-12), 1.0)
        return out - self._repetition_of(j) if self.kind == "jmi" else out

    def _repetition_of(self, j: int) -> np.ndarray:
        codes, target = self.groups.codes, self.target
        assert target.codes is not None  # criteria are of classes
        out = np.empty(len(self.relevance))
        _core.shared_information_within(codes, self.groups.sizes, j, target.codes, target.n_classes, self.xlogx, out)
        return out

    def additions(self, base: np.ndarray, columns: np.ndarray) -> Values:
        self._move(base)
        relevance = self.relevance[base].sum() + self.relevance[columns]
        inside = self._inside(base)
        repeated = inside + self._sum[columns]
        return self._worth(relevance, repeated, np.full(len(columns), len(base) + 1)), np.full(len(columns), np.nan)

    def sets(self, sets: Sequence[np.ndarray]) -> Values:
        relevance = np.array([self.relevance[columns].sum() for columns in sets])
        repeated = np.array([self._inside(columns) for columns in sets])
        sizes = np.array([len(columns) for columns in sets])
        return self._worth(relevance, repeated, sizes), np.full(len(sets), np.nan)

    def _move(self, base: np.ndarray) -> None:
        """The sum over the base of its columns' rows; one row more when the base has grown by one."""
        new = set(base.tolist()) - set(self._base)
        if len(new) != len(base) - len(self._base):
            self._sum, new = np.zeros(len(self.relevance)), set(base.tolist())
        for j in sorted(new):
            self._sum = self._sum + self.row(j)
        self._base = tuple(base.tolist())

    def _inside(self, columns: np.ndarray) -> float:
        """What the columns of a set repeat of each other: the sum over its pairs."""
        total = 0.0
        for index, j in enumerate(columns[:-1]):
            total += float(self.row(int(j))[columns[index + 1 :]].sum())
        return total

    def _worth(self, relevance: np.ndarray, repeated: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        if self.kind == "cfs":
            return relevance / np.sqrt(sizes + 2 * repeated)
        return relevance - repeated / np.maximum(sizes - 1, 1)


class Cmim(CriterionEvaluator):
    r"""Conditional mutual information maximisation: a column counts with what it tells beyond each of the others.

    .. math:: \sum_t \min_{s < t} I(x_t; y \mid x_s)

    over the set's columns in the order in which the greedy search would take them, so the worth does not depend on how
    the set was reached.

    References
    ----------
    Fleuret (2004), Fast binary feature selection with conditional mutual information, JMLR 5.
    """

    def _pairs(self, j: int) -> np.ndarray:
        out = np.empty(len(self.relevance))
        _core.shared_information(self.groups.codes, self.groups.sizes, j, self.xlogx, self.entropy, out)
        return np.maximum(self.relevance - out + self._repetition_of(j), 0.0)

    def additions(self, base: np.ndarray, columns: np.ndarray) -> Values:
        if not len(base):
            return self.relevance[columns], np.full(len(columns), np.nan)
        new = set(base.tolist()) - set(self._base)
        if not self._base or len(new) != len(base) - len(self._base):
            self._sum, new = self.relevance.copy(), set(base.tolist())
        for j in sorted(new):
            self._sum = np.minimum(self._sum, self.row(j))
        self._base = tuple(base.tolist())
        return self._greedy(base) + self._sum[columns], np.full(len(columns), np.nan)

    def sets(self, sets: Sequence[np.ndarray]) -> Values:
        return np.array([self._greedy(columns) for columns in sets]), np.full(len(sets), np.nan)

    def _greedy(self, columns: np.ndarray) -> float:
        conditional: Any = self.relevance[columns].copy()
        total = 0.0
        for _ in range(len(columns)):
            i = int(np.argmax(conditional))
            total += float(conditional[i])
            conditional = np.minimum(conditional, self.row(int(columns[i]))[columns])
            conditional[i] = -np.inf
            conditional = np.where(np.isneginf(conditional), -np.inf, conditional)
        return total
