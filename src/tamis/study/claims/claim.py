"""What may be claimed: whether any procedure tells the target better than the baseline, beyond what chance explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tamis.metrics.intervals.paired import difference, holm

#: The nominal level of the tests. What is learned from noise loses to the baseline on rows it has not seen, so p-values
#: there are far from uniform: at 0.1 a signal was claimed in 3 of 204 fresh tables of noise (docs/study.md). At 0.05 it
#: is claimed in one, but a gain of 10% in 171 rows is missed.
ALPHA = 0.1


@dataclass(frozen=True)
class Claim:
    """What the out-of-fold losses show against the baseline.

    Attributes
    ----------
    signal : "captured" (the whole way of working, the choice between procedures included, beats the baseline),
        "uncaptured" (some procedure does, the choice does not reliably) or "none" (no procedure tried does).
    p_value : one-sided, of "the whole way of working is no better than the baseline".
    p_values : the same of each procedure alone, adjusted after Holm; the baseline's is 1.
    """

    signal: str
    p_value: float
    p_values: tuple[float, ...]


def claim(
    losses: Sequence[np.ndarray],
    baseline: np.ndarray,
    picked: np.ndarray,
    rows: np.ndarray,
    alpha: float = ALPHA,
) -> Claim:
    """Test the procedures, and the choice between them, against the baseline.

    Parameters
    ----------
    losses : for each procedure, the baseline first, sums of a proper loss of held-out rows by unit.
    baseline, picked : losses that the choice is made by, of the baseline and of the procedure that each training part
        alone would have chosen: the same loss, or what decisions cost.
    rows : how many rows each sum is of.
    alpha : the nominal level of both tests.
    """
    whole = difference(baseline, picked, rows).p_value
    each = holm([difference(losses[0], sums, rows).p_value for sums in losses[1:]])
    some = bool(each) and min(each) <= alpha
    signal = "captured" if whole <= alpha else "uncaptured" if some else "none"
    return Claim(signal, whole, (1.0, *each))
