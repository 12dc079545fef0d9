"""How many components: a count, a share of the variance, the gap in the spectrum, a floor."""

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from tamis import check
from tamis.errors import ParameterError
from tamis.project.pca.decompose import Decomposition

WORDS = ("gap", "cv")


def check_size(n_components: Any, floor: Any) -> None:
    """Refuse what is neither a count, a share, a word nor None."""
    if floor is not None:
        check.number("floor", floor, low=0)
    if n_components is None:
        return
    if isinstance(n_components, str):
        check.one_of("n_components", n_components, WORDS)
    elif isinstance(n_components, Integral) and not isinstance(n_components, bool):
        check.count("n_components", n_components)
    else:
        check.number("n_components", n_components, low=0, high=1, open_low=True)


def size_of(n_components: Any, floor: float | None, decomposition: Decomposition, names: Sequence[str] = ()) -> int:
    """The number of components to keep of those found; "cv" is decided elsewhere and comes here as a count."""
    if decomposition.rank == 0:
        for name, mean in zip(names, decomposition.mean):
            if abs(mean) >= 2**53:
                raise ParameterError(
                    f"column {name!r} holds numbers about {mean:.3g}, beyond 2**53: float64 rounds them, and what else "
                    "varies is lost beside them; subtract a constant from the column, or leave it out"
                )
        raise ParameterError("all columns are constant, so there is no component; give columns that vary")
    size = decomposition.rank
    spectrum = decomposition.spectrum[: decomposition.rank]
    if isinstance(n_components, str):
        size = gap(decomposition.spectrum[: decomposition.rank], decomposition.n_rows)
    elif isinstance(n_components, Integral):
        if int(n_components) > decomposition.rank:
            raise ParameterError(
                f"n_components={n_components}, but the {decomposition.n_rows:,.6g} rows have rank "
                f"{decomposition.rank} after centring; "
                f"give n_components between 1 and {decomposition.rank}"
            )
        size = int(n_components)
    elif n_components is not None:
        size = share(spectrum, float(n_components), decomposition.total)
    if floor is None:
        return size
    above = int((spectrum > floor).sum())
    if not above:
        raise ParameterError(
            f"floor={floor:g}, but the largest variance of a component is {spectrum[0]:.6g}; give a floor below it"
        )
    return min(size, above)


def share(spectrum: np.ndarray, fraction: float, total: float) -> int:
    """The fewest leading components that hold a share of the variance.

    >>> share(np.array([6.0, 3.0, 1.0]), 0.9, 10.0)
    2
    """
    cumulative = np.cumsum(spectrum) / total
    return min(len(spectrum), int(np.searchsorted(cumulative, fraction * (1 - 1e-12))) + 1)


def gap(spectrum: np.ndarray, n_rows: float) -> int:
    r"""Where the spectrum falls most: the k of the largest ratio of neighbouring variances.

    .. math:: \max_k \frac{\lambda_k + \delta}{\lambda_{k+1} + \delta}, \qquad
              \delta = \min(1, \sqrt{m / n}) \cdot \mathrm{median}(\lambda)

    δ is what the smallest of m variances may be off by chance: without it, the end of the spectrum of a square table
    would have the largest ratio. More than half of the components are kept only for a fall to less than half.

    References
    ----------
    S. C. Ahn and A. R. Horenstein, "Eigenvalue ratio test for the number of factors", Econometrica 81, 2013.

    >>> gap(np.array([100.0, 10.0, 9.0, 0.1, 0.1, 0.09, 0.08]), 200)
    3
    """
    if len(spectrum) < 2:
        return len(spectrum)
    noise = min(1.0, float(np.sqrt(len(spectrum) / max(n_rows, 1.0)))) * float(np.median(spectrum))
    ratio = (spectrum[:-1] + noise) / (spectrum[1:] + noise)
    late = np.arange(1, len(spectrum)) > (len(spectrum) + 1) // 2
    return int(np.where(late & (ratio < 2), 0.0, ratio).argmax()) + 1
