"""One value from all cells of a table: made cell by cell, merged pairwise in the order of the grid.

The tree of merges is fixed by the number of cells alone: cell 2i meets cell 2i + 1, their result its neighbour, and so
on. Neither the engine, the number of workers nor how many cells a worker takes at once changes a single bit.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

from tamis.engine.cluster.use import current
from tamis.engine.run import one_blas_thread

T = TypeVar("T")
Merge = Callable[[T, T], T]


class Partition(Protocol):
    """A description of consecutive cells of a grid: small, and readable wherever its files are.

    All partitions of a table but the last hold the same number of cells, a power of two.
    """

    def cells(self) -> Iterator[Any]:
        """The cells, read one after the other."""
        ...


class PairwiseMerge(Generic[T]):
    """Merges values as they come, holding at most one for each level of the tree.

    >>> tree = PairwiseMerge(lambda a, b: f"({a}{b})")
    >>> for letter in "abcde":
    ...     tree.add(letter)
    >>> tree.result()
    '(((ab)(cd))e)'
    """

    def __init__(self, merge: Merge[T]) -> None:
        self.merge = merge
        self._waiting: list[tuple[int, T]] = []  # (level, value), levels falling

    def add(self, value: T) -> None:
        """The next value."""
        level = 0
        while self._waiting and self._waiting[-1][0] == level:
            value = self.merge(self._waiting.pop()[1], value)
            level += 1
        self._waiting.append((level, value))

    def result(self) -> T | None:
        """The value of all; None without any."""
        if not self._waiting:
            return None
        value = self._waiting.pop()[1]
        while self._waiting:
            value = self.merge(self._waiting.pop()[1], value)
        return value


class PartitionTask(Generic[T]):
    """What a worker is sent: how to make the value of a cell and how to merge two; called with a partition."""

    def __init__(self, make: Callable[[Any], T], merge: Merge[T]) -> None:
        self.make, self.merge = make, merge

    def __call__(self, partition: Partition) -> T | None:
        with one_blas_thread():
            return merged(map(self.make, partition.cells()), self.merge)


def merged(values: Iterable[T], merge: Merge[T]) -> T | None:
    """All values merged pairwise, in their order; None without any.

    >>> merged("abc", lambda a, b: f"({a}{b})")
    '((ab)c)'
    """
    tree = PairwiseMerge(merge)
    for value in values:
        tree.add(value)
    return tree.result()


def reduce(partitions: Sequence[Partition], make: Callable[[Any], T], merge: Merge[T]) -> T | None:
    """The merged value of all cells of the partitions, worked out by the engine in use; None without a cell.

    Parameters
    ----------
    partitions : descriptions of consecutive cells, in the order of the grid; rows are read where they are worked on.
    make : the value of a cell; a function of a module, or an object of a class of one, so that it can be sent.
    merge : the value of the cells of both; called with neighbours, the earlier one first.

    >>> class Few:
    ...     def __init__(self, *numbers):
    ...         self.numbers = numbers
    ...     def cells(self):
    ...         return iter(self.numbers)
    >>> reduce([Few(1, 2), Few(3, 4), Few(5)], abs, max)
    5
    """
    tree: PairwiseMerge[T] = PairwiseMerge(merge)
    for value in current().each(PartitionTask(make, merge), partitions):
        if value is not None:
            tree.add(value)
    return tree.result()
