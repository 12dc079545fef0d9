"""Which procedure to take: the simplest whose score is within one standard error of the best."""

from __future__ import annotations

from collections.abc import Sequence


def simplest_within_one_error(means: Sequence[float], errors: Sequence[float]) -> int:
    """The first of several procedures, simplest first, whose mean is within the best one's standard error of the best.

    Means are larger for better; `errors` are their standard errors. A tie for the best goes to the simpler.

    >>> simplest_within_one_error([0.60, 0.89, 0.92], [0.0, 0.01, 0.02])
    2
    >>> simplest_within_one_error([0.60, 0.91, 0.92], [0.0, 0.01, 0.02])
    1
    """
    best = max(range(len(means)), key=lambda place: (means[place], -place))
    within = means[best] - errors[best]
    return next(place for place, mean in enumerate(means) if mean >= within)
