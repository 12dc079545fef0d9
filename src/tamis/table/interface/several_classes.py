"""A matrix of classes: several class targets, each with classes of its own."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.errors import TableError
from tamis.table.interface.target import Classes


def has_several_targets(y: ArrayLike) -> bool:
    """Whether y has two or more columns.

    >>> has_several_targets([[1, 2], [3, 4]]), has_several_targets([[1], [2]]), has_several_targets([1, 2])
    (True, False, False)
    """
    shape = getattr(y, "shape", None)
    if shape is None and isinstance(y, (list, tuple)) and y and isinstance(y[0], (list, tuple, np.ndarray)):
        shape = (len(y), len(y[0]))
    return shape is not None and len(shape) == 2 and shape[1] > 1


def target_columns(y: Any) -> list[Any]:
    """The columns of y, those of a frame with the order of their categories."""
    if hasattr(y, "iloc"):
        return [y.iloc[:, j] for j in range(y.shape[1])]
    if hasattr(y, "get_columns"):
        return list(y.get_columns())
    matrix = np.asarray(y)
    if matrix.ndim != 2:
        raise TableError(f"y has the shape {matrix.shape}; give a matrix with a column for each target")
    return list(matrix.T)


def target_names(y: ArrayLike) -> tuple[str, ...]:
    """The names of the columns of y: those of a frame, else y0, y1, …

    >>> target_names(np.zeros((3, 2)))
    ('y0', 'y1')
    """
    names = getattr(y, "columns", None)
    return tuple(f"y{j}" for j in range(np.shape(y)[1])) if names is None else tuple(str(name) for name in names)


@dataclass(frozen=True, eq=False)
class SeveralClasses:
    """Several class targets as a matrix of numbers: a column per class of each target, 1 where a row has it.

    The variance of such a column within a node is p (1 - p), so that splits by least squares on the matrix are those by
    the sum of the targets' Gini impurities, and the means of a leaf are its shares of classes.

    >>> targets = SeveralClasses.of([["a", "x"], ["b", "x"], ["a", "y"]])
    >>> targets.indicators().tolist()
    [[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]]
    >>> targets.predicted(targets.indicators()).tolist()
    [['a', 'x'], ['b', 'x'], ['a', 'y']]
    """

    targets: tuple[Classes, ...]

    @classmethod
    def of(cls, y: Any) -> "SeveralClasses":
        """The targets of the columns of y."""
        return cls(tuple(Classes.of(column) for column in target_columns(y)))

    def indicators(self) -> np.ndarray:
        """Rows × classes of all targets."""
        return np.hstack(
            [(target.codes[:, None] == np.arange(target.n_classes)).astype(np.float64) for target in self.targets]
        )

    def shares(self, means: np.ndarray) -> list[np.ndarray]:
        """Predicted indicators as shares of classes, one matrix per target."""
        ends = np.cumsum([target.n_classes for target in self.targets])
        blocks = np.split(np.clip(means, 0.0, 1.0), ends[:-1], axis=1)
        return [block / np.maximum(block.sum(axis=1, keepdims=True), 1e-300) for block in blocks]

    def predicted(self, means: np.ndarray) -> np.ndarray:
        """The class of largest share of each target."""
        columns = [target.labels[shares.argmax(axis=1)] for target, shares in zip(self.targets, self.shares(means))]
        kinds = {column.dtype.kind for column in columns}
        return np.column_stack(columns if len(kinds) == 1 else [column.astype(object) for column in columns])

    @property
    def labels(self) -> list[np.ndarray]:
        return [target.labels for target in self.targets]

    def accuracy(self, means: np.ndarray) -> float:
        """The share of right answers, over all targets; NaN without rows."""
        judged = ~np.isnan(means).any(axis=1)
        if not judged.any():
            return float("nan")
        shares = self.shares(means[judged])
        return float(np.mean([target.codes[judged] == s.argmax(axis=1) for target, s in zip(self.targets, shares)]))

    def without_rows(self) -> "SeveralClasses":
        """The classes alone, as a fitted model remembers them."""
        return SeveralClasses(tuple(Classes(target.codes[:0], target.labels) for target in self.targets))


@dataclass(frozen=True, eq=False)
class OrderedClasses:
    """A target of ordered classes as a matrix of numbers: a column per class but the last, 1 where a row is above it.

    The variances of these columns sum to the ranked probability score of a node's shares of classes: a class far away
    costs more than a neighbour. Means of the columns never rise from one class to the next, so that their differences
    are shares of classes.

    >>> target = OrderedClasses(Classes(np.array([0, 2, 1]), np.array(["low", "mid", "high"])))
    >>> target.indicators().tolist()
    [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0]]
    >>> target.shares(np.array([[0.75, 0.25]])).tolist()
    [[0.25, 0.5, 0.25]]
    """

    target: Classes

    def indicators(self) -> np.ndarray:
        """Rows × (classes − 1)."""
        return (self.target.codes[:, None] > np.arange(max(1, self.target.n_classes - 1))).astype(np.float64)

    def shares(self, means: np.ndarray) -> np.ndarray:
        """Predicted indicators as shares of the classes."""
        if self.target.n_classes == 1:
            return np.ones((len(means), 1))
        shares = -np.diff(np.hstack([np.ones((len(means), 1)), means, np.zeros((len(means), 1))]), axis=1)
        return np.asarray(np.maximum(shares, 0.0))

    def without_rows(self) -> "OrderedClasses":
        """The classes alone, as a fitted model remembers them."""
        return OrderedClasses(Classes(self.target.codes[:0], self.target.labels))
