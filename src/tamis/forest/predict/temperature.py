"""How sure a forest may be: its shares raised to a power that rows out of the bag choose (temperature scaling)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

#: Powers that are compared, 1 / temperature, the one that changes nothing first: ties are for it.
POWERS = (1.0, *(2.0 ** (k / 4) for k in range(-4, 13) if k))

#: Rows that choose among them at most; of more, as many spread evenly.
MOST_ROWS = 20_000

#: A share counts as no smaller: one row that no tree got right must not decide alone.
LEAST = 1e-6

#: Parts of the rows, each answered at the temperature that the others choose.
PARTS = 5


class Calibration(NamedTuple):
    """The temperature that all rows choose, and their shares, each part of the rows at the one the others choose."""

    temperature: float
    shares: np.ndarray


def tempered(shares: np.ndarray, temperature: float) -> np.ndarray:
    """Shares to the power 1 / temperature, divided by their sum.

    >>> tempered(np.array([[0.8, 0.2]]), 0.5).round(3).tolist()
    [[0.941, 0.059]]
    """
    if temperature == 1.0:
        return shares
    top = shares.max(axis=1, keepdims=True)  # so that no row comes to nothing
    with np.errstate(invalid="ignore"):
        raised = (shares / top) ** (1.0 / temperature)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def calibrated(shares: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> Calibration:
    r"""The temperature of the smallest log loss of shares that were not learned from these rows.

    .. math:: p_c(T) = \frac{p_c^{1/T}}{\sum_k p_k^{1/T}}

    Trees of few columns disagree where all are nearly right, so a forest's mean is less sure than it may be; leaves of
    single rows that know little make it too sure. Over 56 tables (2 to 26 classes, at most 980 rows to learn from) the
    Brier score of new rows falls from 0.242 to 0.223, and rises by at most 0.007; the log loss from 0.454 to 0.405
    (benchmarks/forest/calibration.py). Chosen by the Brier score the temperature does as well there, but of about 100
    rows it makes forests too sure: Brier 0.294 and log loss 0.541, not 0.292 and 0.523, over 57 tables of at most 105
    rows to learn from (by a script that was not kept). The order of the classes stays.

    Parameters
    ----------
    shares : rows × classes; NaN where there are none.
    codes, weight : of each row its class, and what it counts.

    References
    ----------
    Guo, Pleiss, Sun, Weinberger (2017), On calibration of modern neural networks, ICML.
    """
    judged = np.flatnonzero(~np.isnan(shares[:, 0]) & (weight > 0))
    sampled = judged[:: max(1, -(-len(judged) // MOST_ROWS))]
    if not len(sampled) or shares.shape[1] < 2:
        return Calibration(1.0, shares)
    row_shares, truth, counts = shares[sampled], codes[sampled], weight[sampled]
    fold = np.arange(len(sampled)) % PARTS
    sums = np.empty((len(POWERS), PARTS))
    for k, power in enumerate(POWERS):
        raised = tempered(row_shares, 1.0 / power)
        loss = -np.log(np.maximum(raised[np.arange(len(truth)), truth], LEAST))
        sums[k] = np.bincount(fold, weights=counts * loss, minlength=PARTS)
    chosen = 1.0 / POWERS[int(np.argmin(sums.sum(axis=1)))]
    temperatures = [1.0 / POWERS[int(k)] for k in np.argmin(sums.sum(axis=1, keepdims=True) - sums, axis=0)]
    out = np.array(tempered(shares, chosen))
    for index, temperature in enumerate(temperatures):
        rows = sampled[fold == index]
        out[rows] = tempered(shares[rows], temperature)
    return Calibration(chosen, out)
