"""Draws of rows for stability selection: complementary halves, halves, or bootstrap samples; how alike the sets of
columns are that are chosen on them, and how many of those kept are false at most.
"""

from collections.abc import Iterable

import numpy as np

from tamis.engine import generator
from tamis.errors import ParameterError
from tamis.metrics.distributions import normal_quantile

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


def agreement(chosen: np.ndarray, *, level: float = 0.95) -> tuple[float, tuple[float, float]]:
    r"""Nogueira's stability of the sets in the rows of a mask (sets × columns), and its confidence interval.

    .. math:: \hat\Phi = 1 - \frac{\frac1d \sum_f s_f^2}{\frac{\bar k}{d}\left(1 - \frac{\bar k}{d}\right)}, \qquad
              s_f^2 = \frac{M}{M - 1} \hat p_f (1 - \hat p_f)

    1 when all sets are equal, about 0 when columns are drawn blindly; NaN with one set, or when every set has all
    columns or none.

    References
    ----------
    Nogueira, Sechidis, Brown (2018), On the stability of feature selection algorithms, JMLR 18.

    >>> agreement(np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 0, 0]]))[0]
    1.0
    """
    Z = np.asarray(chosen, dtype=np.float64)
    n_sets, d = Z.shape
    sizes, often = Z.sum(axis=1), Z.mean(axis=0)
    share = sizes.mean() / d
    spread = share * (1 - share)
    if n_sets < 2 or spread == 0:
        return float("nan"), (float("nan"), float("nan"))
    value = 1 - n_sets / (n_sets - 1) * float((often * (1 - often)).mean()) / spread
    fraction = sizes / d
    each = (Z @ often / d - fraction * share + value / 2 * (2 * fraction * share - fraction - share + 1)) / spread
    error = np.sqrt(4 / n_sets**2 * ((each - each.mean()) ** 2).sum())
    reach = float(normal_quantile(0.5 + level / 2) * error)
    return float(value), (float(value) - reach, float(value) + reach)


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
