"""Net benefit of acting on predicted probabilities, threshold by threshold: the decision curve."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.metrics.calibration import checked_events, checked_predictions
from tamis.metrics.distributions import normal_quantile

#: Thresholds of a decision curve.
THRESHOLDS = np.arange(1, 100) / 100


@dataclass(frozen=True, eq=False)
class DecisionCurve:
    """Net benefit per row of three policies, at each threshold.

    Attributes
    ----------
    thresholds : ndarray
        Probabilities from which one acts: an unneeded action weighs t / (1 − t) of a missed event.
    net_benefit, low, high : ndarray
        Of acting where the predicted probability is at least the threshold, with its pointwise 95% band.
    treat_all : ndarray
        Of acting on every row; acting on none has net benefit 0.
    gain, gain_low, gain_high : ndarray
        Difference to the better of acting on all and on none, with its pointwise 95% band.
    """

    thresholds: np.ndarray
    net_benefit: np.ndarray
    low: np.ndarray
    high: np.ndarray
    treat_all: np.ndarray
    gain: np.ndarray
    gain_low: np.ndarray
    gain_high: np.ndarray

    def useful_range(self) -> tuple[float, float] | None:
        """The longest range of thresholds over which the model is better than both simple policies beyond chance."""
        return _longest(self.thresholds, self.gain_low > 0)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {name: value.tolist() for name, value in vars(self).items()}


def net_benefit(
    y: Any, probability: Any, *, thresholds: Any = THRESHOLDS, sample_weight: Any = None, groups: Any = None
) -> DecisionCurve:
    r"""Net benefit of a model at thresholds of its predicted probability (Vickers & Elkin, 2006).

    .. math:: \mathrm{NB}(t) = \frac{TP}{n} - \frac{FP}{n} \cdot \frac{t}{1 - t}

    Parameters
    ----------
    y : array-like of 0 and 1
    probability : array-like
        Predicted probability of 1.
    thresholds : array-like, default=0.01, 0.02, …, 0.99
    sample_weight : array-like, default=None
    groups : array-like, default=None
        Rows that belong together: bands allow for it.

    Examples
    --------
    >>> curve = net_benefit([1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1], thresholds=[0.2, 0.5])
    >>> curve.net_benefit.round(4).tolist(), curve.treat_all.round(4).tolist()
    ([0.4375, 0.0], [0.375, 0.0])
    """
    truth, p, weight, unit = checked_predictions(y, probability, sample_weight, groups)
    checked_events(truth, p)
    at = np.asarray(thresholds, dtype=np.float64)
    lines = [_at(float(t), truth, p, weight, unit) for t in at]
    return DecisionCurve(at, *(np.array(column) for column in zip(*lines)))


def _at(t: float, y: np.ndarray, p: np.ndarray, weight: np.ndarray, unit: np.ndarray) -> tuple[float, ...]:
    """Net benefit with its ends, that of acting on all, and the gain over the better simple policy with its ends."""
    worth = y - (1 - y) * t / (1 - t)
    model = worth * (p >= t - 1e-12)
    everyone = float(np.average(worth, weights=weight))
    net = _mean(model, weight, unit)
    gain = _mean(model - worth if everyone > 0 else model, weight, unit)
    return (*net, everyone, *gain)


def _mean(values: np.ndarray, weight: np.ndarray, unit: np.ndarray) -> tuple[float, float, float]:
    """Weighted mean and its 95% interval over units."""
    total, mean = float(weight.sum()), float(np.average(values, weights=weight))
    sums = np.bincount(unit, weight * (values - mean))
    reach = normal_quantile(0.975) * float(sums @ sums * len(sums) / max(len(sums) - 1, 1)) ** 0.5 / total
    return mean, mean - reach, mean + reach


def _longest(points: np.ndarray, inside: np.ndarray) -> tuple[float, float] | None:
    """Ends of the longest run of points that are inside."""
    edges = np.flatnonzero(np.diff(np.r_[False, inside, False].astype(np.int8)))
    runs = edges.reshape(-1, 2)
    if not len(runs):
        return None
    first, last = runs[np.argmax(runs[:, 1] - runs[:, 0])]
    return float(points[first]), float(points[last - 1])
