"""Calibration of predictions: intercept and slope, a smooth curve with its band, and the calibration error."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from tamis.check import weights
from tamis.errors import ParameterError
from tamis.metrics.distributions import normal_quantile

#: Probabilities are moved into (PROBABILITY_FLOOR, 1 - PROBABILITY_FLOOR) before their logarithm is taken.
PROBABILITY_FLOOR = 1e-6

#: Coefficients of a recalibration beyond which the classes are separated and no slope exists.
SEPARATED = 1e3

#: Points of the curve, and quantiles of the logits at its knots (Harrell, Regression Modeling Strategies, table 2.3).
N_POINTS, KNOTS = 41, (0.05, 0.35, 0.65, 0.95)

#: Rows of the rarer class below which the curve is a straight line on the scale of logits.
SMOOTH_ROWS = 25

#: Bins of the calibration error; tenths of the predictions.
N_BINS = 10

Interval = tuple[float, float]


@dataclass(frozen=True, eq=False)
class Calibration:
    """How well predictions agree with what was observed.

    Attributes
    ----------
    intercept : float
        Calibration in the large. Probabilities: the intercept of a logistic regression with the logit as offset; 0 is
        perfect, below 0 predictions are too high. Numbers: mean of truth minus prediction.
    slope : float or None
        Coefficient of the logit (of the prediction, for numbers); 1 is perfect, below 1 predictions are too extreme.
        None where predictions separate the classes, or do not vary.
    slope_intercept : float or None
        The intercept that belongs to the slope: that of the recalibrated model.
    intercept_interval, slope_interval : (low, high) or None
        95% intervals, from the sandwich covariance over units (rows, or groups).
    points, observed, low, high : ndarray
        The curve: predictions, the estimated frequency (or mean) at each, and its pointwise 95% band.
    error : float or None
        Root mean squared difference between observed and predicted in tenths of the predictions, its bias removed.
    tenths : ndarray of shape (n_bins, 4)
        Mean prediction, mean truth, and 95% interval of the mean truth, in tenths of the predictions.
    """

    intercept: float
    intercept_interval: Interval | None
    slope: float | None
    slope_interval: Interval | None
    slope_intercept: float | None
    points: np.ndarray
    observed: np.ndarray
    low: np.ndarray
    high: np.ndarray
    error: float | None
    tenths: np.ndarray

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        curve = {name: getattr(self, name).tolist() for name in ("points", "observed", "low", "high")}
        return {
            "intercept": self.intercept,
            "intercept_interval": _listed(self.intercept_interval),
            "slope": self.slope,
            "slope_interval": _listed(self.slope_interval),
            "error": self.error,
            "curve": None if np.isnan(self.observed).any() else curve,
            "tenths": self.tenths.tolist(),
        }


def calibration(y: Any, probability: Any, *, sample_weight: Any = None, groups: Any = None) -> Calibration:
    r"""Calibration of predicted probabilities of an event.

    .. math:: \operatorname{logit} P(y = 1) = a + \operatorname{logit} p, \qquad
              \operatorname{logit} P(y = 1) = a' + b \operatorname{logit} p

    `a` is the calibration in the large and `b` the calibration slope (Cox, 1958; Van Calster et al., 2019). The curve
    is a logistic regression on a restricted cubic spline of the logit.

    Parameters
    ----------
    y : array-like of 0 and 1
    probability : array-like
        Predicted probability of 1.
    sample_weight : array-like, default=None
        Weights, such as one over the number of predictions of a row.
    groups : array-like, default=None
        Predictions that belong together: several of one row, or rows of one patient.

    Examples
    --------
    >>> y, p = [0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    >>> result = calibration(y, p)
    >>> round(result.intercept, 3), round(result.slope, 3)
    (0.0, 1.87)
    """
    truth, p, weight, unit = checked_predictions(y, probability, sample_weight, groups)
    checked_events(truth, p)
    linear = logit(np.clip(p, PROBABILITY_FLOOR, 1 - PROBABILITY_FLOOR))
    constant = np.ones((len(p), 1))
    large = _logistic(constant, truth, weight, unit, offset=linear)
    sloped = _logistic(np.column_stack([constant, linear]), truth, weight, unit) if np.ptp(linear) > 0 else None
    intercept, intercept_interval = (0.0, None) if large is None else large.value_of(0)
    slope, slope_interval = (None, None) if sloped is None else sloped.value_of(1)
    slope_intercept = None if sloped is None else float(sloped.coef[0])
    points, curve = _probability_curve(truth, linear, weight, unit, sloped)
    error, tenths = _by_tenths(truth, p, weight, unit)
    return Calibration(
        intercept, intercept_interval, slope, slope_interval, slope_intercept, points, *curve, error, tenths
    )


def number_calibration(y: Any, prediction: Any, *, sample_weight: Any = None, groups: Any = None) -> Calibration:
    r"""Calibration of predicted numbers: mean of y − prediction, and the slope of y on the prediction.

    Parameters as in `calibration`.

    Examples
    --------
    >>> result = number_calibration([1, 3, 5, 7], [2, 3, 4, 5])
    >>> round(result.intercept, 3), round(result.slope, 3)
    (0.5, 2.0)
    """
    truth, p, weight, unit = checked_predictions(y, prediction, sample_weight, groups)
    centre = float(np.average(p, weights=weight))
    constant = np.ones((len(p), 1))
    large = _least_squares(constant, truth - p, weight, unit)
    spread = float(np.ptp(p))
    sloped = (
        _least_squares(np.column_stack([constant, (p - centre) / spread]), truth, weight, unit) if spread > 0 else None
    )
    slope = slope_interval = slope_intercept = None
    if sloped is not None:
        slope, ends = sloped.value_of(1)
        slope, slope_interval = slope / spread, ends and (ends[0] / spread, ends[1] / spread)
        slope_intercept = float(sloped.coef[0]) - slope * centre
    points = np.quantile(p, np.linspace(0.01, 0.99, N_POINTS))
    low = high = observed = points
    if sloped is not None:
        observed, low, high = _line(sloped, (points - centre) / spread)
    error, tenths = _by_tenths(truth, p, weight, unit)
    bias, bias_interval = large.value_of(0)
    return Calibration(
        bias, bias_interval, slope, slope_interval, slope_intercept, points, observed, low, high, error, tenths
    )


@dataclass(frozen=True, eq=False)
class _Fit:
    """Coefficients of a regression and their sandwich covariance."""

    coef: np.ndarray
    covariance: np.ndarray

    def value_of(self, index: int) -> tuple[float, Interval | None]:
        value, error = float(self.coef[index]), float(np.sqrt(max(self.covariance[index, index], 0.0)))
        reach = normal_quantile(0.975) * error
        return value, (value - reach, value + reach) if np.isfinite(reach) else None

    def band(self, design: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The linear predictor with its pointwise 95% band."""
        center = design @ self.coef
        variance = np.einsum("ij,jk,ik->i", design, self.covariance, design)
        reach = normal_quantile(0.975) * np.sqrt(np.maximum(variance, 0.0))
        return center, center - reach, center + reach


def _logistic(
    design: np.ndarray, y: np.ndarray, weight: np.ndarray, unit: np.ndarray, offset: np.ndarray | float = 0.0
) -> _Fit | None:
    """Maximum likelihood by Newton's method; None where there is no finite maximum."""
    coef = np.zeros(design.shape[1])
    for _ in range(100):
        mean = expit(design @ coef + offset)
        hessian = (design * (weight * mean * (1 - mean))[:, None]).T @ design
        step = _solved(hessian, design.T @ (weight * (y - mean)))
        if step is None:
            return None
        coef = coef + step / max(1.0, float(np.abs(step).max()) / 5)
        if np.abs(coef).max() > SEPARATED:
            return None
        if np.abs(step).max() < 1e-10 * (1 + np.abs(coef).max()):
            return _Fit(coef, _sandwich(hessian, design * (weight * (y - mean))[:, None], unit))
    return None


def _least_squares(design: np.ndarray, y: np.ndarray, weight: np.ndarray, unit: np.ndarray) -> _Fit:
    hessian = (design * weight[:, None]).T @ design
    coef = np.linalg.solve(hessian, design.T @ (weight * y))
    return _Fit(coef, _sandwich(hessian, design * (weight * (y - design @ coef))[:, None], unit))


def _solved(matrix: np.ndarray, right: np.ndarray) -> np.ndarray | None:
    try:
        solution = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        return None
    return solution if np.isfinite(solution).all() else None


def _sandwich(hessian: np.ndarray, scores: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """H⁻¹ (Σ s_u s_uᵀ) H⁻¹ · G / (G − 1) over G units; infinite for a single unit."""
    n_units = int(unit.max()) + 1
    if n_units < 2:
        return np.full(hessian.shape, np.inf)
    sums = _by_unit(scores, unit)
    bread = np.linalg.pinv(hessian, hermitian=True)
    return np.asarray(bread @ (sums.T @ sums) @ bread * (n_units / (n_units - 1)))


def _by_unit(values: np.ndarray, unit: np.ndarray) -> np.ndarray:
    return np.column_stack([np.bincount(unit, column) for column in np.atleast_2d(values.T)])


def _probability_curve(
    y: np.ndarray, linear: np.ndarray, weight: np.ndarray, unit: np.ndarray, straight: _Fit | None
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Points (probabilities), and the estimated frequency with its band."""
    ends = np.quantile(linear, (0.01, 0.99))
    at = np.linspace(ends[0], ends[1], N_POINTS) if ends[1] > ends[0] else ends[:1]
    knots = np.quantile(linear, KNOTS)
    share = float(np.average(y, weights=weight))
    rarer = min(share, 1 - share) * (int(unit.max()) + 1)
    smooth = None
    if rarer >= SMOOTH_ROWS and len(np.unique(knots)) == len(KNOTS):
        smooth = _logistic(_spline(linear, knots), y, weight, unit)
    if smooth is not None:
        lines = smooth.band(_spline(at, knots))
    elif straight is not None:
        lines = straight.band(np.column_stack([np.ones(len(at)), at]))
    else:
        lines = tuple(np.full(len(at), np.nan) for _ in range(3))  # type: ignore[assignment]
    return expit(at), tuple(expit(line) for line in lines)  # type: ignore[return-value]


def _spline(x: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """Restricted cubic spline: constant, x, and a term per inner knot; linear beyond the outer knots."""
    scale = (knots[-1] - knots[0]) ** 2
    last, before = knots[-1], knots[-2]

    def cube(knot: float) -> np.ndarray:
        return np.maximum(x - knot, 0.0) ** 3

    terms = [
        (cube(knot) - cube(before) * (last - knot) / (last - before) + cube(last) * (before - knot) / (last - before))
        / scale
        for knot in knots[:-2]
    ]
    return np.column_stack([np.ones(len(x)), x, *terms])


def _line(fit: _Fit, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return fit.band(np.column_stack([np.ones(len(x)), x]))


def _by_tenths(
    y: np.ndarray, prediction: np.ndarray, weight: np.ndarray, unit: np.ndarray
) -> tuple[float | None, np.ndarray]:
    """Calibration error, and per bin of about equal weight: mean prediction, mean truth and its 95% interval.

    The error is sqrt(Σ_b w_b (r_b² − v_b)) with r_b the mean residual of a bin and v_b its estimated variance, so that
    perfect predictions have an expected square of 0 (after Kumar, Liang & Ma, 2019).
    """
    edges = np.unique(np.quantile(prediction, np.linspace(0, 1, N_BINS + 1)[1:-1]))
    index = np.searchsorted(edges, prediction, side="left")
    rows, squares, total = [], 0.0, float(weight.sum())
    for b in np.unique(index):
        inside = index == b
        w, residual = weight[inside], y[inside] - prediction[inside]
        bin_weight = float(w.sum())
        mean = float(w @ residual) / bin_weight
        sums = np.bincount(unit[inside], w * (residual - mean))
        n_units = len(np.unique(unit[inside]))
        if n_units < 2:
            return None, np.empty((0, 4))
        variance = float(sums @ sums) / bin_weight**2 * n_units / (n_units - 1)
        squares += bin_weight / total * (mean**2 - variance)
        predicted, reach = float(w @ prediction[inside]) / bin_weight, normal_quantile(0.975) * variance**0.5
        rows.append([predicted, predicted + mean, predicted + mean - reach, predicted + mean + reach])
    return max(squares, 0.0) ** 0.5, np.array(rows)


def checked_predictions(y: ArrayLike, prediction: Any, weight: Any, groups: ArrayLike) -> tuple[np.ndarray, ...]:
    """Truth, prediction, weights of mean 1 and codes of units, of equal length."""
    truth, predicted = _numbers("y", y), _numbers("the predictions", prediction)
    n = len(truth)
    if len(predicted) != n:
        raise ParameterError(f"y has {n:,} values and the predictions {len(predicted):,}; give as many of both")
    if n < 2:
        raise ParameterError(f"y has {n} values; give at least 2")
    units = np.arange(n) if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
    if len(units) != n:
        raise ParameterError(f"groups has {len(units):,} values, but y has {n:,}; give one per row")
    return truth, predicted, weights(sample_weight=weight, n_rows=n), units


def checked_events(truth: np.ndarray, probability: np.ndarray) -> None:
    """Raise unless the truth is 0 or 1 and every probability from 0 to 1."""
    if not np.isin(truth, (0, 1)).all():
        raise ParameterError(
            f"y holds {truth[~np.isin(truth, (0, 1))][0]:g}; give 1 for rows with the event and 0 for the others"
        )
    outside = (probability < 0) | (probability > 1)
    if outside.any():
        raise ParameterError(f"the predictions hold {probability[outside][0]:g}; give probabilities from 0 to 1")


def _numbers(name: str, values: Any) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ParameterError(f"{name} of shape {array.shape}; give a list of numbers")
    if not np.isfinite(array).all():
        raise ParameterError(
            f"{name}: row {int(np.argmin(np.isfinite(array))) + 1:,} is missing or infinite; leave it out"
        )
    return array


def _listed(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)
