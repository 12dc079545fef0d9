"""The ladder and the chosen model as pictures of plain values that a template draws.

`ladder` (models by number of columns), and a file per kind of model: `tree` (nodes and edges), `formula` (terms and
their coefficients), `card` (statements and points), `curves` (curves and pair maps of an additive model).
"""

from tamis.report.facts.picture.card import card
from tamis.report.facts.picture.curves import curves
from tamis.report.facts.picture.formula import formula
from tamis.report.facts.picture.ladder import ladder
from tamis.report.facts.picture.tree import tree

__all__ = ["card", "curves", "formula", "ladder", "tree"]
