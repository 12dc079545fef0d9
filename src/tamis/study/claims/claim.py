"""What may be claimed: whether any procedure tells the target better than the baseline, beyond what chance explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tamis.metrics.intervals.paired import difference, holm
from tamis.study.claims.association import Association

#: The nominal level of the tests. What is learned from noise loses to the baseline on rows it has not seen, so p-values
#: there are far from uniform: at 0.1 a signal was claimed in 3 of 204 fresh tables of noise (docs/reference/study.md).
#: At 0.05 it is claimed in one, but a gain of 10% in 171 rows is missed.
ALPHA = 0.1


@dataclass(frozen=True)
class Claim:
    """What the out-of-fold losses show against the baseline.

    Attributes
    ----------
    signal : "captured" (the whole way of working, the choice between procedures included, beats the baseline),
        "uncaptured" (some procedure or the black box does, the choice does not reliably; or a column alone goes with
        the target) or "none" (nothing does).
    p_value : one-sided, of "the whole way of working is no better than the baseline".
    p_values : the same of each procedure alone, adjusted after Holm; the baseline's is 1.
    black_box : the same of the black box, adjusted with them; None without one.
    by_black_box_alone : whether the black box shows a signal, and neither a procedure nor the choice does.
    by_columns_alone : whether columns do, tested one by one, and nothing else.
    """

    signal: str
    p_value: float
    p_values: tuple[float, ...]
    black_box: float | None = None
    by_black_box_alone: bool = False
    by_columns_alone: bool = False

    def beside(self, columns: Association) -> Claim:
        """The claim once columns were tested, too: what they show is not denied."""
        if self.signal != "none" or not columns.columns:
            return self
        return replace(self, signal="uncaptured", by_columns_alone=True)


def claim(
    losses: Sequence[np.ndarray],
    baseline: np.ndarray,
    picked: np.ndarray,
    rows: np.ndarray,
    black_box: tuple[np.ndarray, np.ndarray] | None = None,
    alpha: float = ALPHA,
) -> Claim:
    """Test the procedures, the black box and the choice between the procedures against the baseline.

    Parameters
    ----------
    losses : for each procedure, the baseline first, sums of a proper loss of held-out rows by unit.
    baseline, picked : losses that the choice is made by, of the baseline and of the procedure that each training part
        alone would have chosen: the same loss, or what decisions cost.
    rows : how many rows each sum is of.
    black_box : losses of the baseline and of the black box in the folds that it was judged in.
    alpha : the nominal level of both tests.
    """
    whole = difference(baseline, picked, rows).p_value
    pairs = [(losses[0], sums) for sums in losses[1:]] + ([] if black_box is None else [black_box])
    each = holm([difference(first, second, rows).p_value for first, second in pairs])
    n_own = len(losses) - 1
    shown = [p <= alpha for p in each]
    signal = "captured" if whole <= alpha else "uncaptured" if any(shown) else "none"
    alone = signal == "uncaptured" and not any(shown[:n_own])
    return Claim(signal, whole, (1.0, *each[:n_own]), None if black_box is None else each[-1], alone)
