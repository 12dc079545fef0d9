"""Readable procedures at several sizes: models of at most 1, 2, 3, 5, 8, 12 columns, fitted together.

Read `base` (sizes, out-of-fold predictions), then one file per kind: `tree`, `formula`, `additive`, `panel` (wide
tables; columns by `ridge_forward`, strengths by `strength`).
"""

from tamis.study.procedures.models.sized.additive import SizedAdditive
from tamis.study.procedures.models.sized.base import SIZES, SizedModels, sizes_up_to
from tamis.study.procedures.models.sized.formula import SizedFormulas
from tamis.study.procedures.models.sized.panel import SizedPanels
from tamis.study.procedures.models.sized.tree import SizedTrees

__all__ = ["SIZES", "SizedAdditive", "SizedFormulas", "SizedModels", "SizedPanels", "SizedTrees", "sizes_up_to"]
