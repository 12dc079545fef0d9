"""How many rows a prediction model needs before it is developed: the criteria of Riley and others."""

from dataclasses import dataclass
from math import ceil, exp, log, log1p, sqrt

import numpy as np
from scipy.stats import chi2, norm, t

from tamis.check import count, number
from tamis.errors import ParameterError

#: Largest difference of apparent and adjusted R² (of Nagelkerke's, for classes), and of an overall risk.
MAX_OPTIMISM, RISK_MARGIN = 0.05, 0.05

#: Largest multiplicative error of the residual standard deviation and of the mean.
SD_MARGIN, MEAN_MARGIN = 1.1, 1.1

#: Rows beyond which a criterion is not searched.
MAX_ROWS = 10**9


@dataclass(frozen=True)
class SampleSize:
    """Rows that a model needs.

    Attributes
    ----------
    rows : int
        The largest of the criteria.
    criteria : dict of str to int
        Rows that each criterion asks for.
    events : int or None
        Expected events among these rows, for two classes.
    r2 : float
        Cox and Snell's R² (two classes), or R² (numbers), that was assumed.
    """

    rows: int
    criteria: dict[str, int]
    events: int | None
    r2: float

    def __str__(self) -> str:
        lines = [f"{self.rows:,} rows are needed" + (f", with {self.events:,} events." if self.events else ".")]
        lines += [f"{n:>12,}  {name}" for name, n in self.criteria.items()]
        return "\n".join(lines)


def sample_size(
    predictors: int,
    *,
    r2: float | None = None,
    prevalence: float | None = None,
    c_statistic: float | None = None,
    mean: float | None = None,
    sd: float | None = None,
    shrinkage: float = 0.9,
) -> SampleSize:
    r"""Rows needed to develop a prediction model for two classes or a number.

    Two classes (Riley et al., BMJ 2020; 368: m441): the smallest n that has an expected shrinkage of at least S,
    :math:`n = p / ((S - 1) \ln(1 - R^2_{CS} / S))`; apparent and adjusted Nagelkerke's R² within 0.05; and the overall
    risk within 0.05. Numbers (Riley et al., Statistics in Medicine 2019; 38: 1262): shrinkage, R² within 0.05, the
    residual standard deviation and the mean within 10%.

    Parameters
    ----------
    predictors : int
        Candidate parameters: coefficients that a model of all candidate columns would have.
    r2 : float, default=None
        Expected R² of the model: Cox and Snell's with `prevalence`, else of least squares.
    prevalence : float, default=None
        Expected share of rows with the event; None is a target of numbers.
    c_statistic : float, default=None
        Expected area under the ROC curve, instead of `r2`, for two classes.
    mean, sd : float, default=None
        Expected mean and standard deviation of a number; without them the criterion on the mean is left out.
    shrinkage : float, default=0.9

    Examples
    --------
    >>> sample_size(24, r2=0.288, prevalence=0.174).criteria
    {'shrinkage of at least 0.9': 623, 'optimism of R² of at most 0.05': 662, 'overall risk within 0.05': 221}
    >>> sample_size(25, r2=0.2).rows
    918
    """
    p = count("predictors", predictors)
    number("shrinkage", shrinkage, low=0, high=1, open_low=True, open_high=True)
    if prevalence is None:
        if c_statistic is not None:
            raise ParameterError("c_statistic is given without prevalence; give prevalence=, or r2= for a number")
        return _of_numbers(p, _r2(r2), mean, sd, shrinkage)
    number("prevalence", prevalence, low=0, high=1, open_low=True, open_high=True)
    if (r2 is None) == (c_statistic is None):
        raise ParameterError("give either r2 or c_statistic, the expected quality of the model")
    expected = _r2(r2) if c_statistic is None else r2_of_c_statistic(c_statistic, prevalence)
    return _of_classes(p, expected, prevalence, shrinkage)


def r2_of_c_statistic(c_statistic: float, prevalence: float) -> float:
    """Cox and Snell's R² of a logistic model whose linear predictor is normal in both classes.

    >>> round(r2_of_c_statistic(0.89, 0.174), 2)
    0.29
    """
    number("c_statistic", c_statistic, low=0.5, high=1, open_low=True, open_high=True)
    distance = sqrt(2) * float(norm.ppf(c_statistic))
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    offset = log(prevalence) - log1p(-prevalence) - distance**2 / 2
    with_event = -np.logaddexp(0.0, -(offset + distance * (nodes + distance)))
    without = -np.logaddexp(0.0, offset + distance * nodes)
    likelihood = prevalence * float(weights @ with_event) + (1 - prevalence) * float(weights @ without)
    return 1 - exp(2 * (_null_likelihood(prevalence) - likelihood))


def _r2(r2: float | None) -> float:
    if r2 is None:
        raise ParameterError("r2 is not given; give the expected R² of the model, such as r2=0.15")
    return number("r2", r2, low=0, high=1, open_low=True, open_high=True)


def _null_likelihood(prevalence: float) -> float:
    """Log likelihood per row of predicting the prevalence."""
    return prevalence * log(prevalence) + (1 - prevalence) * log1p(-prevalence)


def _of_classes(p: int, r2: float, prevalence: float, shrinkage: float) -> SampleSize:
    largest = 1 - exp(2 * _null_likelihood(prevalence))
    if r2 >= min(shrinkage, largest):
        raise ParameterError(
            f"r2={r2:g} is too large: with prevalence={prevalence:g} Cox and Snell's R² is below {largest:.3g}, and it "
            f"must be below shrinkage={shrinkage:g}"
        )
    second = r2 / (r2 + MAX_OPTIMISM * largest)
    criteria = {
        f"shrinkage of at least {shrinkage:g}": _rows_for_shrinkage(p, r2, shrinkage),
        f"optimism of R² of at most {MAX_OPTIMISM:g}": _rows_for_shrinkage(p, r2, second),
        f"overall risk within {RISK_MARGIN:g}": ceil((1.96 / RISK_MARGIN) ** 2 * prevalence * (1 - prevalence) - 1e-9),
    }
    rows = max(criteria.values())
    return SampleSize(rows, criteria, ceil(rows * prevalence - 1e-9), r2)


def _rows_for_shrinkage(p: int, r2: float, shrinkage: float) -> int:
    return ceil(p / ((shrinkage - 1) * log1p(-r2 / shrinkage)) - 1e-9)


def _of_numbers(p: int, r2: float, mean: float | None, sd: float | None, shrinkage: float) -> SampleSize:
    criteria = {
        f"shrinkage of at least {shrinkage:g}": _first(lambda n: _expected_shrinkage(n, p, r2) >= shrinkage, p + 2),
        f"optimism of R² of at most {MAX_OPTIMISM:g}": ceil(1 + p * (1 - r2) / MAX_OPTIMISM - 1e-9),
        "residual standard deviation within 10%": p + 1 + _first(lambda df: _sd_error(df) <= SD_MARGIN, 1),
    }
    if mean is not None and sd is not None:
        number("sd", sd, low=0, open_low=True)
        if not mean:
            raise ParameterError("mean=0 has no relative error; leave mean and sd out, or shift the target")
        criteria["mean within 10%"] = _first(
            lambda n: 1 + t.ppf(0.975, n - p - 1) * sd * sqrt((1 - r2) / n) / abs(mean) <= MEAN_MARGIN, p + 2
        )
    return SampleSize(max(criteria.values()), criteria, None, r2)


def _expected_shrinkage(n: int, p: int, r2: float) -> float:
    """1 + (p − 2) / (n ln(1 − R²_app)), where the apparent R² belongs to an adjusted one of r2."""
    apparent = (r2 * (n - p - 1) + p) / (n - 1)
    return 1 + (p - 2) / (n * log1p(-apparent)) if 0 < apparent < 1 else -np.inf


def _sd_error(df: int) -> float:
    """Multiplicative half width of the 95% interval of a standard deviation."""
    low, high = chi2.ppf((0.025, 0.975), df)
    return float(max(sqrt(high / df), sqrt(df / low)))


def _first(holds, low: int) -> int:  # type: ignore[no-untyped-def]
    """The smallest whole number from low on for which a monotone statement holds."""
    high = low
    while not holds(high):
        low, high = high + 1, 2 * high
        if high > MAX_ROWS:
            raise ParameterError(f"more than {MAX_ROWS:,} rows are needed; expect a better model or fewer predictors")
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
