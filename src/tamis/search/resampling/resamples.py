"""Draws of rows for stability selection: complementary halves, halves, or bootstrap samples."""

from collections.abc import Iterable

import numpy as np

from tamis.engine import generator
from tamis.errors import ParameterError

WAYS = ("complementary", "subsample", "bootstrap")


def resamples(
    way: str, n_rows: int, n_resamples: int, seed: int, classes: np.ndarray | None = None
) -> list[np.ndarray]:
    """Row positions of each resample; complementary halves come in pairs, one after the other.

    With classes, halves keep their shares, and a bootstrap sample is drawn within each class.

    >>> [rows.tolist() for rows in resamples("complementary", 6, 2, seed=0)]
    [[0, 1, 3], [2, 4, 5]]
    """
    if n_rows < 4 and way != "bootstrap":
        raise ParameterError(
            f"halves of {n_rows} rows (n_samples={n_rows}) hold too few to choose from; give at least 4"
        )
    strata = [np.arange(n_rows)] if classes is None else [np.flatnonzero(classes == c) for c in np.unique(classes)]
    drawn: list[np.ndarray] = []
    for i in range((n_resamples + 1) // 2 if way == "complementary" else n_resamples):
        random = generator(seed, way, i)
        if way == "bootstrap":
            drawn.append(np.sort(np.concatenate([random.choice(rows, len(rows)) for rows in strata])))
            continue
        first, second = _halves(random, strata)
        drawn += [first, second] if way == "complementary" else [first]
    return drawn


def _halves(random: np.random.Generator, strata: Iterable[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Two disjoint halves; the odd row of a stratum goes to either half in turn, the last odd one to neither."""
    halves: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    turn = 0
    odd: list[int] = []
    for rows in strata:
        mixed = random.permutation(rows)
        half = len(mixed) // 2
        halves[0].append(mixed[:half])
        halves[1].append(mixed[half : 2 * half])
        odd += [int(r) for r in mixed[2 * half :]]
    for row in odd[: len(odd) // 2 * 2]:
        halves[turn].append(np.array([row]))
        turn = 1 - turn
    first, second = (np.sort(np.concatenate(half)) for half in halves)
    return first, second
