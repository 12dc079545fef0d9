"""What every selector of columns shares: the chosen columns of a table, in the form the table came."""

import warnings
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tamis.table.interface.features import one_sentence, remember_names
from tamis.table.interface.takes_table import TakesTable
from tamis.table.like import TableLike
from tamis.table.sources.frame import eager, is_mixed, take
from tamis.table.table import Table


class TableSelector(SelectorMixin, TakesTable):
    """scikit-learn's mixin for selectors, for tables that hold more than numbers.

    A frame with categories, dates or other columns that are no numbers stays a frame, for an array would have to hold
    all of them as objects, and no model would know a date again. Numeric frames become arrays, as everywhere in
    scikit-learn, unless `set_output` says otherwise.
    """

    support_: np.ndarray

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self, "support_")
        return self.support_

    def _names_of_support(self, order: np.ndarray) -> list[Any]:
        """The chosen columns in some order: their names, or positions where the table had none."""
        names = getattr(self, "feature_names_in_", range(len(order)))
        return [names[j] for j in order if self.support_[j]]

    @property
    def selected_columns_(self) -> tuple[str, ...]:
        """Names of the chosen columns (x0, x1, … without names), in the order of the table."""
        check_is_fitted(self)
        support = np.asarray(self.get_support())
        names = getattr(self, "feature_names_in_", [f"x{j}" for j in range(len(support))])
        return tuple(str(names[j]) for j in np.flatnonzero(support))

    def transform(self, X: TableLike) -> Any:
        """The chosen columns of X."""
        check_is_fitted(self)
        if isinstance(X, Table):
            remember_names(self, X, reset=False)
        else:
            X = eager(X)
            if not is_mixed(X):
                with one_sentence():
                    return super().transform(X)
            validate_data(self, X, reset=False, skip_check_array=True)
        selected = np.flatnonzero(self.get_support())
        if not len(selected):
            warnings.warn("no column was chosen, so none is left; give a milder limit", UserWarning, stacklevel=2)
        return take(X, columns=selected)

    def inverse_transform(self, X: TableLike) -> Any:
        """X with columns of zeros where columns were left out."""
        with one_sentence():
            return super().inverse_transform(X)
