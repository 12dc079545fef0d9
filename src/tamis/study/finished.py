"""What a run leaves behind when its tasks are done: everything that results and model are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tamis.evaluate.cross_validate import Fold
from tamis.results.comparison import ColumnPath, Comparison, FrontierPoint, Rung
from tamis.results.fold import FoldRecord, Judgements
from tamis.study.procedures.models.fitted import FittedProcedure


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """A run whose tasks are done.

    Attributes
    ----------
    folds, n_folds : the outer folds that are finished, and how many there are.
    waiting : whether black boxes are still to be judged.
    comparison, ladder, frontier, paths : as results.json has them.
    judged : procedure -> its records in the folds.
    fitted : the chosen procedure, fitted on all training rows.
    contributions, joint : its columns, largest contribution first, and groups of columns that contribute together.
    dominant : the column that alone reaches what the quoted procedure does.
    leaks, findings : what is known of columns and model.
    tried, black_boxes : names of what was compared.
    monotone : directions of columns.
    null : scores on shuffled targets.
    """

    folds: list[Fold]
    n_folds: int
    waiting: bool
    comparison: Comparison
    ladder: list[Rung]
    frontier: list[FrontierPoint]
    paths: list[ColumnPath]
    judged: Judgements
    fitted: FittedProcedure
    contributions: dict[str, float]
    joint: list[list[str]]
    dominant: dict[str, Any] | None
    leaks: list[dict[str, Any]]
    findings: dict[str, Any]
    tried: list[str]
    black_boxes: list[str]
    monotone: dict[str, Any] | None = None
    null: dict[str, Any] | None = None

    @property
    def chosen_records(self) -> list[FoldRecord]:
        """The records of the chosen procedure."""
        return self.judged[self.comparison.chosen]
