"""New columns from pairs of columns: `monomials`, `ratios`, and the `screen` that keeps the promising ones."""

from tamis.transform.products.monomials import Monomials
from tamis.transform.products.ratios import Ratios

__all__ = ["Monomials", "Ratios"]
