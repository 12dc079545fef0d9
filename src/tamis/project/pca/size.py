"""How many components: a count, a share of the variance, the gap in the spectrum, a floor, held-out likelihood."""

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from tamis import check
from tamis.errors import ParameterError, TamisWarning
from tamis.project.pca.decompose import Decomposition, decompose
from tamis.split import Folds

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


_ROWS = 2_000  # looked at, spread over the table
_SHARE, _HEAVY = 0.01, 0.5  # so few rows may not hold so much of the variance


def warn_of_counts(X: Any, trim: float = 0.0) -> None:
    """Warn where columns hold whole numbers from 0 and a hundredth of the rows holds half of their variance."""
    if trim or X.shape[0] < 20 or X.shape[1] < 2:
        return
    rows = np.unique(np.linspace(0, X.shape[0] - 1, min(X.shape[0], _ROWS)).astype(np.int64))
    first_rows = X[rows[:50]]
    first_rows = first_rows.toarray() if sparse.issparse(first_rows) else first_rows
    if not is_counts(first_rows):  # most tables are no counts, and a few rows say so
        return
    sample = X[rows].toarray() if sparse.issparse(X) else X[rows]
    if not is_counts(sample) or sample.max() <= 10:
        return
    squares = ((sample - sample.mean(axis=0)) ** 2).sum(axis=1)
    top = max(1, int(np.ceil(_SHARE * len(rows))))
    top_fraction = np.sort(squares)[-top:].sum() / max(squares.sum(), 1e-300)
    if top_fraction > max(_HEAVY, 3 * top / len(rows)):
        warnings.warn(
            f"the columns hold raw counts, and {top / len(rows):.0%} of the rows hold {top_fraction:.0%} of their "
            "variance: "
            "the components follow those rows; take shares or logarithms of the counts first "
            "(tamis.transform.Shares, Log), or give trim=0.05",
            TamisWarning,
            stacklevel=5,
        )


def is_counts(X: np.ndarray) -> bool:
    """Whether all values are whole numbers from 0.

    >>> is_counts(np.array([[0.0, 3.0], [2.0, 1.0]])), is_counts(np.array([[0.5]]))
    (True, False)
    """
    return bool(X.min() >= 0 and np.array_equal(X, np.floor(X)))


def likelihoods(X: np.ndarray, weights: np.ndarray | None, splits: Folds) -> np.ndarray:
    r"""Mean log-likelihood of held-out rows under k components and equal noise elsewhere, for k = 0, 1, 2, …

    .. math:: -\tfrac12 \Big[ p \ln 2\pi + \sum_{j \le k} \ln\lambda_j + (p - k) \ln\sigma_k^2
              + \sum_{j \le k} \frac{t_j^2}{\lambda_j} + \frac{\|x - \bar x\|^2 - \sum_{j \le k} t_j^2}{\sigma_k^2}\Big]

    with the scores t and the mean variance σₖ² of the p − k directions left. Directions are learned on the training
    rows. Beyond the true size the variances of noise fit the training rows alone, and the likelihood falls.

    References
    ----------
    M. E. Tipping and C. M. Bishop, "Probabilistic principal component analysis", JRSS B 61, 1999.
    """
    fold_values = []
    for train, test in splits:
        train_weights = None if weights is None else weights[train]
        learned, _ = decompose(X[train], train_weights, None)
        of_test = np.ones(len(test)) if weights is None else weights[test]
        fold_values.append(_of_rows(learned, X[test], of_test))
    size = min(len(values) for values in fold_values)
    return np.mean([values[:size] for values in fold_values], axis=0)


def _of_rows(learned: Decomposition, X: Any, weights: np.ndarray) -> np.ndarray:
    p, rank = X.shape[1], learned.rank
    max_components = min(rank, p - 1)  # with all p there is no noise left to judge by
    centred = X - learned.mean
    scores = centred @ learned.components[:max_components].T
    share = weights / max(weights.sum(), 1e-300)
    inside = share @ scores**2
    total_variance = float(share @ np.einsum("ij,ij->i", centred, centred))
    spectrum = learned.spectrum[:max_components]
    k = np.arange(max_components + 1)
    left = np.maximum(learned.total - np.concatenate([[0.0], np.cumsum(spectrum)]), 1e-12 * learned.total) / (p - k)
    logs = np.concatenate([[0.0], np.cumsum(np.log(spectrum))]) + (p - k) * np.log(left)
    fit = np.concatenate([[0.0], np.cumsum(inside / spectrum)])
    residual_variance = np.maximum(total_variance - np.concatenate([[0.0], np.cumsum(inside)]), 0.0) / left
    return -0.5 * (p * np.log(2 * np.pi) + logs + fit + residual_variance)
