"""Panels: formulas of few columns out of thousands, for tables with few rows per column."""

from __future__ import annotations

from typing import Any

from tamis.study.procedures.models.sized.base import Sample
from tamis.study.procedures.models.sized.formula import SizedFormulas
from tamis.study.procedures.models.sized.strength import ridge_strength
from tamis.table import Table


class SizedPanels(SizedFormulas):
    """Formulas whose columns are chosen under larger penalties.

    On eight wide tables 10 gave the best panels of 20 columns (pcmac: 80, 83 and 87% right by 0.1, 2 and 10) and the
    most stable ones (Nogueira's index 0.25, 0.45 and 0.58). Of few columns, or with many rows, less is better:
    correlated columns then come later.
    """

    penalties = (10.0, 1.0, 0.1)
    tuned_sizes = (1, 3, 8, 20)

    #: Within one standard error panels were less stable and no more accurate (lung_small: 0.33 and 0.41, 78 and 80%).
    errors_given = 2.0

    def _strength(
        self, table: Table, y: Sample, pairs: list[Any], names: list[str], in_folds: list[list[str]]
    ) -> float:
        """The strength that does best where each fold has the columns that its own rows choose.

        Tuned on columns that all rows chose, the ridge would be too weak.
        """
        return ridge_strength(self._linear, table, y, pairs, in_folds)
