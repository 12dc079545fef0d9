"""What may be claimed: whether any procedure tells the target better than the baseline, beyond what chance explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tamis.metrics.intervals.paired import holm
from tamis.study.claims.association import Association
from tamis.study.claims.held_out import HeldOut

#: The nominal level of the tests. What is learned from noise loses to the baseline on rows it has not seen, so p-values
#: there are far from uniform: at 0.1 a signal was claimed in 3 of 204 fresh tables of noise (docs/reference/study.md).
#: At 0.05 it is claimed in one, but a gain of 10% in 171 rows is missed.
ALPHA = 0.1

#: The level where a class has few rows and all columns together show nothing (`Association.joint_p_value`). In 80
#: tables of noise with 3% positives (250 and 500 rows) 6 were claimed at 0.1, 4 at 0.05; with a signal 2 of 58 were
#: denied at both.
FEW_ROWS_ALPHA = 0.05

#: Above this p-value a signal is called possible, not shown: of what passes only the level above, much is chance.
SURE = 0.05

#: The share of the baseline's loss that the whole procedure must save at least, to have captured anything.
MIN_GAIN = 0.001

#: The area under the ROC curve of a ranking by chance.
CHANCE = 0.5


@dataclass(frozen=True)
class Claim:
    """What the out-of-fold losses show against the baseline.

    Attributes
    ----------
    signal : "captured" (the whole procedure, the choice between models included, beats the baseline),
        "uncaptured" (some procedure or the black box does, the choice does not reliably; or a column alone goes with
        the target; or all of this rests on p-values above 0.05) or "none" (nothing does).
    p_value : one-sided, of "the whole procedure is no better than the baseline".
    p_values : the same of each procedure alone, adjusted after Holm; the baseline's is 1.
    black_boxes : the same of the black boxes, adjusted with them.
    by_ranks : which of the procedures and black boxes, in this order, show it by their ranking of held-out rows: their
        losses alone do less, or nothing.
    by_black_box_alone : whether a black box shows a signal, and neither a procedure nor the choice does.
    by_columns_alone : whether columns do, tested without a model, one by one or together, and nothing else.
    by_bound_alone : whether only the interval of the quoted score excludes chance.
    is_tentative : whether every test that shows a signal has a p-value above 0.05: chance may well explain it.
    """

    signal: str
    p_value: float
    p_values: tuple[float, ...]
    black_boxes: tuple[float, ...] = ()
    by_ranks: tuple[bool, ...] = ()
    by_black_box_alone: bool = False
    by_columns_alone: bool = False
    by_bound_alone: bool = False
    is_tentative: bool = False

    @property
    def by_no_procedure(self) -> bool:
        """Whether what is seen is seen by none of the procedures alone, so that the baseline may be as good as any."""
        return self.by_black_box_alone or self.by_columns_alone or self.by_bound_alone

    def with_association(self, columns: Association) -> Claim:
        """The claim once columns were tested, too: what they show is not denied."""
        if self.signal != "none" or not columns.shows_signal:
            return self
        return replace(self, signal="uncaptured", by_columns_alone=True)

    def hedged(self, columns: Association) -> Claim:
        """The claim where no test has a p-value of 0.05 or less: then nothing is called captured."""
        if self.signal == "none" or self.by_columns_alone or self.by_bound_alone or columns.shows_signal:
            return self
        shown = [*self.p_values[1:], *self.black_boxes, *([self.p_value] if self.signal == "captured" else [])]
        return replace(self, signal="uncaptured", is_tentative=True) if min(shown) > SURE else self

    def bounded(self, metric: str, interval: Sequence[float] | None) -> Claim:
        """The claim beside the quoted score's interval: a ranking that excludes chance is not denied."""
        if self.signal != "none" or metric != "roc_auc" or interval is None or interval[0] <= CHANCE:
            return self
        return replace(self, signal="uncaptured", by_bound_alone=True)


def level_of(columns: Association) -> float:
    """The level at which procedures are tested, given what the columns show without a model."""
    return FEW_ROWS_ALPHA if columns.joint_p_value is not None and not columns.shows_signal else ALPHA


def claim(
    baseline: HeldOut,
    procedures: Sequence[HeldOut],
    picked: HeldOut,
    black_boxes: Sequence[HeldOut] = (),
    alpha: float = ALPHA,
) -> Claim:
    """Test the procedures, the black boxes and the choice between the procedures against the baseline.

    Each is tested by its proper loss and by its ranking of held-out rows; Holm's adjustment is over all these tests.
    The choice is tested by the loss that it is made by, and by its ranking unless decisions are judged by their cost.

    Parameters
    ----------
    baseline, procedures : the baseline, and every procedure but it.
    picked : in each fold, the procedure that its training part alone would have chosen.
    black_boxes : models of all columns that are never chosen.
    alpha : the level of the tests.
    """
    ranks = baseline.ranking is None or baseline.ranking.variance <= 0  # a baseline that ranks must be beaten by loss
    by_loss_alone = picked.proper is not picked.losses or not ranks
    p_picked = picked.gain_p_value(baseline) if by_loss_alone else picked.p_value(baseline)
    tested = [*procedures, *black_boxes]
    by_loss = [tested_fold_losses.gain_p_value(baseline, proper=True) for tested_fold_losses in tested]
    by_rank = [tested_fold_losses.ranking_p_value for tested_fold_losses in tested]
    if not ranks or any(tested_fold_losses.ranking is None for tested_fold_losses in tested):
        by_rank = []
    adjusted = holm([*by_loss, *by_rank])
    each = [min(adjusted[i :: len(tested)]) for i in range(len(tested))]
    by_ranks = (False, *(p < p_of_loss for p, p_of_loss in zip(each, adjusted)))
    is_significant = [p <= alpha for p in each]
    captured = p_picked <= alpha and picked.gain(baseline) >= MIN_GAIN
    signal = "captured" if captured else "uncaptured" if any(is_significant) else "none"
    alone = signal == "uncaptured" and not any(is_significant[: len(procedures)])
    p_values, p_values_of_boxes = (1.0, *each[: len(procedures)]), tuple(each[len(procedures) :])
    return Claim(signal, p_picked, p_values, p_values_of_boxes, by_ranks, alone)
