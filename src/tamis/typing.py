"""What arguments may be, under names that signatures use."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Folding", "RandomState", "Scoring", "Splitter"]


class Splitter(Protocol):
    """A splitter of scikit-learn's kind."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Pairs of training and test positions."""


#: A seed, or what draws random numbers.
RandomState: TypeAlias = int | np.integer | np.random.Generator | np.random.RandomState | None

#: Number of folds, fraction of rows held out, "loo", a splitter, or pairs (train, test).
Folding: TypeAlias = int | float | str | Iterable[tuple[ArrayLike, ArrayLike]] | Splitter | None

#: The name of a metric, a scorer, or a function.
Scoring: TypeAlias = str | Callable[..., Any] | None
