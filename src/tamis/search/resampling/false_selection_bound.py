"""How many columns a stability selection chooses falsely, at most, on average."""

import numpy as np


def expected_false(threshold: float, q: float, n_columns: int, n_resamples: int, *, pairs: bool) -> float:
    r"""Upper bound on the expected number of falsely selected columns.

    Meinshausen and Bühlmann, for any subsamples of half the rows:

    .. math:: E(V) \le \frac{q^2}{(2\tau - 1)\, d}

    Shah and Samworth, for B complementary pairs, when the distribution of the selection frequency of a column that is
    chosen less than average is unimodal:

    .. math:: E(V) \le \frac{q^2}{d} \cdot \begin{cases} \frac{1}{2(2\tau - 1 - 1/(2B))} & \tau \le 3/4 \\
              \frac{4(1 - \tau + 1/(2B))}{1 + 1/B} & \tau > 3/4 \end{cases}

    Here "falsely" means, for pairs, chosen although its chance to be chosen on half the rows is at most q / d, the
    average. The smaller of the bounds that hold is given; infinite where none does.

    Parameters
    ----------
    threshold : the frequency τ from which a column is kept.
    q : mean number of columns chosen on a resample.
    n_columns, n_resamples : d, and the number of resamples (a pair counts as two).

    References
    ----------
    Meinshausen, Bühlmann (2010), Stability selection, JRSS B 72.
    Shah, Samworth (2013), Variable selection with error control, JRSS B 75.

    >>> expected_false(0.9, 10, 1000, 100, pairs=False)
    0.125
    """
    base = q**2 / n_columns
    bounds = [base / (2 * threshold - 1)] if threshold > 0.5 else []
    if pairs:
        bounds += _unimodal(threshold, q / n_columns, n_resamples // 2, base)
    return float(min(bounds, default=np.inf))


def _unimodal(tau: float, theta: float, n_pairs: int, base: float) -> list[float]:
    if theta > 1 / np.sqrt(3) or n_pairs < 1:
        return []
    if tau > 0.75:
        return [base * 4 * (1 - tau + 0.5 / n_pairs) / (1 + 1 / n_pairs)]
    low = min(0.5 + theta**2, 0.5 + 0.5 / n_pairs + 0.75 * theta**2)
    return [base / (2 * (2 * tau - 1 - 0.5 / n_pairs))] if tau > max(low, 0.5 + 0.25 / n_pairs) else []


def threshold_for(max_false: float, q: float, n_columns: int, n_resamples: int, *, pairs: bool) -> float | None:
    """The smallest frequency whose bound is at most the number wanted, or None when no frequency reaches it.

    >>> threshold_for(0.125, 10, 1000, 100, pairs=False)
    0.9
    """
    for hits in range(n_resamples // 2 + 1, n_resamples + 1):
        tau = hits / n_resamples
        if expected_false(tau, q, n_columns, n_resamples, pairs=pairs) <= max_false * (1 + 1e-12):
            return tau
    return None
