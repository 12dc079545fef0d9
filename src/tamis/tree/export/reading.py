"""What every tree offers to be read, kept and questioned."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from tamis.table.like import TableLike
from tamis.typing import RandomState


class Reading:
    """Printing, rules, drawing, importances, stability, saving; each in its own file."""

    tree_: Any

    @property
    def _readable(self) -> Any:
        """The tree to print: of several class targets, that of their indicators."""
        return getattr(self, "indicator_tree_", self)

    def to_text(self) -> str:
        """The tree as indented lines, one a node."""
        from tamis.tree.export.text import text_of

        check_is_fitted(self, "tree_")
        return text_of(self._readable)

    def rules(self) -> list[dict[str, Any]]:
        """One row a leaf: its conditions in words, merged to intervals, its rows, prediction and purity."""
        from tamis.tree.export.rules import rules_of

        check_is_fitted(self, "tree_")
        return rules_of(self._readable)

    def to_svg(self, *, max_depth: int | None = None, width: int | None = None) -> str:
        """The tree drawn as an SVG image: a card a node, with bars of class shares or a mark on the scale of values.

        Parameters
        ----------
        max_depth : every split above this depth is drawn. By default those that improve most, as many as fit; a subtree
            that is not drawn is a card that says how many leaves it has.
        width : the picture's width in pixels at most, 1,500 by default; with `max_depth` it is made smaller to fit.
        """
        from tamis.tree.export.picture import svg_of

        check_is_fitted(self, "tree_")
        return svg_of(self._readable, max_depth, width)

    def plot(self, **options: Any) -> Any:
        """The tree as a Bokeh figure, for a notebook; options go to the figure."""
        from tamis.tree.export.figure import figure_of

        check_is_fitted(self, "tree_")
        return figure_of(self._readable, **options)

    def to_sql(self, name: str = "prediction") -> str:
        """The tree as one SQL CASE expression; NULL is treated as a missing value was in fit."""
        from tamis.tree.export.sql import sql_of

        check_is_fitted(self, "tree_")
        return sql_of(self._readable, name)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of the improvement that each column's splits bring."""
        return self.importances()

    @property
    def selected_columns_(self) -> tuple[str, ...]:
        """Names of the columns that splits, and models in leaves, read; in the order of the table."""
        check_is_fitted(self, "tree_")
        tree = self.tree_
        used = tree.used()
        if hasattr(self, "leaf_models_"):
            lines = self.leaf_models_
            used |= {int(j) for j in lines.columns[lines.used(tree.left < 0)]}
        return tuple(tree.names[j] for j in sorted(used))

    def importances(self, *, surrogates: bool = False) -> np.ndarray:
        """Share of the improvement of each column; with surrogates, also for splits it could replace."""
        check_is_fitted(self, "tree_")
        raw = self.tree_.importance(surrogates)
        return raw / raw.sum() if raw.sum() > 0 else raw

    def stability(
        self, X: TableLike, y: ArrayLike, *, n_resamples: int = 50, random_state: RandomState = 0
    ) -> dict[str, Any]:
        """Bootstrap: how often each column is at the root and in the tree, and how alike the predictions are."""
        from tamis.tree.stability import stability_of

        return stability_of(self, X, y, n_resamples, random_state)

    def to_dict(self) -> dict[str, Any]:
        """The fitted tree as plain values that JSON holds; `from_dict` brings it back exactly."""
        from tamis.tree.export.save import dict_of
        from tamis.tree.settings import one_target

        check_is_fitted(self, "tree_")
        return dict_of(one_target(self))

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Any:
        """The fitted tree that `to_dict` wrote."""
        from tamis.tree.export.save import load

        return load(cls, saved)
