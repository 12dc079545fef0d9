"""What more rows would gain: an inverse power law through a learning curve, with a band from its folds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm, t

from tamis.engine import generator

#: Exponents of the law: 1 is that of a model of fixed size, 1/2 that of slow rates; a curve of few sizes tells no more.
EXPONENTS = np.linspace(1 / 3, 3 / 2, 113)

#: Sizes and folds below which nothing is forecast; bootstrap samples of folds; level of the band.
FEWEST_SIZES, FEWEST_FOLDS, RESAMPLES, LEVEL = 3, 4, 1_000, 0.95


@dataclass(frozen=True)
class Forecast:
    """How much better a model of more rows would be.

    Attributes
    ----------
    rows : numbers of rows that are looked at.
    gain, low, high : of each, how much better than at the first of them, and its band; never below 0.
    exponent : of the law.
    """

    rows: tuple[int, ...]
    gain: np.ndarray
    low: np.ndarray
    high: np.ndarray
    exponent: float


def forecast(sizes: Sequence[int], scores: np.ndarray, rows: Sequence[int], *, test_share: float) -> Forecast | None:
    r"""Fit :math:`a - b n^{-c}` to the mean scores of a learning curve, and continue it.

    Scores are weighted by their training rows; c is searched on a grid. Folds are drawn with replacement, and the
    quantiles of the gains are widened for the few folds by Student's t, and for training rows that folds share by
    :math:`\sqrt{1 + K s / (1 - s)}` with K folds and the share s of test rows (Nadeau and Bengio).

    Parameters
    ----------
    sizes : training rows of the curve, ascending.
    scores : sizes × folds, larger is better; of nested parts of each fold's training rows.
    rows : numbers of rows, the first of which is what the others are compared with.
    test_share : test rows of a fold over all rows.

    Returns
    -------
    The forecast; None with fewer than three sizes or four folds.

    References
    ----------
    C. Cortes and others (1993), Learning curves: asymptotic values and rate of convergence, NIPS 6.
    C. Nadeau, Y. Bengio (2003), Inference for the generalization error, Machine Learning 52, 239–281.

    >>> sizes = [50, 100, 200, 400]
    >>> curve = np.array([[0.9 + shift - 5 / n for shift in (0.01, 0, -0.01, 0.02, -0.02)] for n in sizes])
    >>> found = forecast(sizes, curve, [500, 1000], test_share=0.2)
    >>> float(found.gain[1].round(4)), float(found.high[1].round(4)), round(found.exponent, 6)
    (0.005, 0.005, 1.0)
    """
    n_sizes, n_folds = scores.shape
    if n_sizes < FEWEST_SIZES or n_folds < FEWEST_FOLDS:
        return None
    draws = generator(0, "forecast").integers(0, n_folds, size=(RESAMPLES, n_folds))
    curves = np.column_stack([scores.mean(axis=1), scores[:, draws].mean(axis=2)])
    gains, exponents = _continued(np.asarray(sizes, float), curves, np.asarray(rows, float))
    gain, resampled = gains[:, 0], gains[:, 1:]
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1)
    few = t.ppf((1 + LEVEL) / 2, n_folds - 1) / norm.ppf((1 + LEVEL) / 2)
    wider = few * np.sqrt(1 + n_folds * test_share / (1 - test_share))
    below, above = wider * np.maximum(gain - low, 0.0), wider * np.maximum(high - gain, 0.0)
    least, most = np.maximum(gain - below, 0.0), np.maximum(gain + above, 0.0)
    return Forecast(tuple(int(n) for n in rows), np.maximum(gain, 0.0), least, most, float(exponents[0]))


def _continued(sizes: np.ndarray, curves: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gains at rows over the first of them (rows × curves), and the exponent of each curve, by least squares."""
    weights = sizes / sizes.sum()
    centred = curves - weights @ curves
    errors, slopes = np.empty((len(EXPONENTS), curves.shape[1])), np.empty((len(EXPONENTS), curves.shape[1]))
    for i, exponent in enumerate(EXPONENTS):
        steps = (sizes / rows[0]) ** -exponent
        steps = steps - weights @ steps
        slopes[i] = (weights * steps) @ centred / ((weights * steps) @ steps)
        errors[i] = weights @ (centred - np.outer(steps, slopes[i])) ** 2
    best = errors.argmin(axis=0)
    slope = slopes[best, np.arange(curves.shape[1])]
    exponents = EXPONENTS[best]
    return slope * ((rows[:, None] / rows[0]) ** -exponents - 1), exponents
