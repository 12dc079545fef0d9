"""How many folds a study draws, and how often: decided by the rows alone, before any score is seen."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from tamis.study.settings import Settings

#: Below so many rows the outer folds are drawn three times, and twice: one arrangement of few rows is a lottery.
FEW, SOME = 300, 1_000

#: From so many rows on fewer folds judge as well, and cost less: inside the training parts, and outside.
MANY_INSIDE, MANY = 2_000, 20_000

#: Groups per fold from which on folds are drawn several times; fewer groups give nearly the same folds again.
GROUPS_PER_FOLD = 2


@dataclass(frozen=True)
class Plan:
    """The folds of a study.

    Attributes
    ----------
    folds, repeats : outer folds, and how often they are drawn.
    inner : folds inside every training part.
    """

    folds: int
    repeats: int
    inner: int

    def of_groups(self, n_groups: int | None) -> Plan:
        """The plan for so many groups: no more folds than groups, and one draw where groups are few.

        >>> Plan(5, 3, 5).of_groups(6), Plan(5, 3, 5).of_groups(None)
        (Plan(folds=5, repeats=1, inner=5), Plan(folds=5, repeats=3, inner=5))
        """
        if n_groups is None:
            return self
        folds = max(2, min(self.folds, n_groups))
        return replace(self, folds=folds, repeats=self.repeats if n_groups >= GROUPS_PER_FOLD * folds else 1)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def planned(settings: Settings, n_rows: int) -> Plan:
    """The folds for so many rows; what the settings say comes first.

    >>> planned(Settings("y"), 150), planned(Settings("y", folds=10), 50_000)
    (Plan(folds=5, repeats=3, inner=5), Plan(folds=10, repeats=1, inner=3))
    """
    repeats = 3 if n_rows < FEW else 2 if n_rows < SOME else 1
    return Plan(
        settings.folds or (5 if n_rows < MANY else 3),
        settings.repeats or (1 if settings.time is not None else repeats),
        settings.inner or (5 if n_rows < MANY_INSIDE else 3),
    )
