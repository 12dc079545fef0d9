"""Readable procedures at several sizes: models of at most 1, 2, 3, 5, 8, 12 columns, fitted together.

Read `base` (sizes, out-of-fold predictions), then one file per kind: `tree`, `formula`, `additive`, `panel` (wide
tables; columns by `ridge_forward`, strengths by `strength`).
"""

from tamis.study.procedure.sized.additive import SizedAdditive
from tamis.study.procedure.sized.base import SIZES, SizedModels, sizes_up_to
from tamis.study.procedure.sized.formula import SizedFormulas
from tamis.study.procedure.sized.panel import SizedPanels
from tamis.study.procedure.sized.tree import SizedTrees

__all__ = ["SIZES", "SizedAdditive", "SizedFormulas", "SizedModels", "SizedPanels", "SizedTrees", "sizes_up_to"]
