"""What all transforms share: any table in, columns of the same kind of table out, names kept, plain JSON.

How a subclass is made
----------------------
A transform of numbers subclasses `NumericTransform`:

    class Center(NumericTransform):
        vectors = ("mean",)          # fitted attributes mean_, …, one number a touched column: `to_dict` keeps them
        def _learn(self, X, y):      # X: float64, rows × touched columns, NaN where missing; sets fitted attributes
            self.mean_ = ...
        def _apply(self, X):         # rows × made columns; never writes into X
            return X - self.mean_
        def _invert(self, Z):        # optional: makes `inverse_transform` available
            return Z + self.mean_

Optional parts:

- `_state(self)`: what else `to_dict` keeps, plain values; `_restore(self, state)`: the way back, every value through
  `tamis.saved`.
- `_check(self)` looks at the parameters, in `fit` and when a saved transform is read; `fit` never rewrites one.
- `_output_names(self, names)`: names of the new columns, from those of the touched ones. The default is `names`; with
  it (and `one_to_one = True`) every made column stands where its own was. With `one_to_one = False` the made columns
  come first, then the columns that were not touched.
- class attributes: `one_to_one`; `takes_sparse` (then `_learn` and `_apply` may get a SciPy CSC or CSR matrix);
  `needs_target` (y is then required and as long as X); `takes_groups` (`fit_transform` has `groups`); `min_rows`;
  `others`: "keep" (columns that are not touched are passed through, the default) or "refuse" (a categorical column is
  an error by name); `allows_missing`.
- `self.names_` are the names of the touched columns, for error sentences; `self.touched_` their positions.

Which columns are touched: numbers. In an array that is every column; in a frame or a Table a column that says itself
that it is a boolean, an ordinal, a date or a category is not (a class may set `touches = "values"` to take everything
but categories, or `"all"`). Missing values stay missing unless the transform says otherwise.

A transform of categories, or one that makes categories, subclasses `Transform` itself: there `_learn(table, y)` and
`_apply(table)` get a Table of the touched columns, and `_apply` gives a matrix or a list of `tamis.table.Column`.

Saving: `to_dict` holds the parameters, the names and `_state()`; `from_dict` checks each of them. Parameters must be
plain values (numbers, words, lists of them, arrays); list parameters come back as tuples.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from math import isfinite
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tamis import check, saved
from tamis.errors import DamagedError, KindError, TableError
from tamis.table import Table, assembled, eager, features, is_frame, overflow_refused, same_length
from tamis.table.interface.takes_table import TakesTable
from tamis.table.like import TableLike


class Transform(TransformerMixin, TakesTable, BaseEstimator):
    """Columns in, columns out.

    A Table gives a Table; a frame with more than numbers gives a frame of its library, in which the columns that are
    not touched stay as they are; other input gives an array, or what `set_output` says.

    Attributes
    ----------
    n_features_in_, feature_names_in_ : of the table given to `fit`.
    touched_ : positions of the columns that are transformed.
    names_ : their names.
    """

    touches: ClassVar[str] = "numbers"  # or "values" (all but categories), "categories", "all"
    others: ClassVar[str] = "keep"  # or "refuse"
    one_to_one: ClassVar[bool] = True
    takes_sparse: ClassVar[bool] = False
    needs_target: ClassVar[bool] = False
    takes_groups: ClassVar[bool] = False  # `fit_transform` keeps the rows of a group together
    allows_missing: ClassVar[bool] = True
    min_rows: ClassVar[int] = 1
    vectors: ClassVar[tuple[str, ...]] = ()  # fitted attributes, without their _, of one number a touched column

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from the rows of X."""
        self._fitted(eager(X), y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn from the rows of X, and transform them."""
        X = eager(X)
        table = self._fitted(X, y)
        with self._overflow_refused(table):
            output = self._first(table, y)
        return self._output(X, output)

    def transform(self, X: TableLike) -> Any:
        """The columns of X, transformed as `fit` learned."""
        check_is_fitted(self)
        X = eager(X)
        table_in = self._checked_input(X)
        with self._overflow_refused(table_in):
            output = self._apply(table_in)
        return self._output(X, output)

    @available_if(lambda self: hasattr(self, "_invert"))
    def inverse_transform(self, X: TableLike) -> Any:
        """The columns that `transform` would turn into X."""
        check_is_fitted(self)
        X = eager(X)
        names = list(self.get_feature_names_out())
        table = Table.of(X)
        if table.n_columns != len(names):
            raise TableError(f"X has {table.n_columns} columns, but the transform gives {len(names)}; give those")
        order = self._order(len(names) - self.n_features_in_ + len(self.touched_))
        own_columns = [k for k, source in enumerate(order) if source >= 0]
        columns_table = table.select(own_columns)
        with self._overflow_refused(columns_table):
            original = self._undo(columns_table)
        back = np.empty(self.n_features_in_, dtype=np.int64)
        back[self.touched_] = np.arange(len(self.touched_))
        for k, source in enumerate(order):
            if source < 0:
                back[~source] = ~k
        return assembled(X, original, back.tolist(), self._names_in(None))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns of the output."""
        check_is_fitted(self)
        names = self._names_in(input_features)
        output_names = list(self._output_names([names[j] for j in self.touched_]))
        return np.array(
            [output_names[p] if p >= 0 else names[~p] for p in self._order(len(output_names))], dtype=object
        )

    def to_dict(self) -> dict[str, Any]:
        """The fitted transform as plain values that `from_dict` takes back."""
        check_is_fitted(self)
        return {
            "transform": type(self).__name__,
            "parameters": self._parameters(),
            "named": hasattr(self, "feature_names_in_"),
            "names": self._names_in(None),
            "levels": [
                [name, [plain(name, v) for v in known_levels]] for name, known_levels in self.levels_in_.items()
            ],
            "touched": self.touched_.tolist(),
            "output": getattr(self, "_sklearn_output_config", {}).get("transform"),
            "state": self._state(),
        }

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Self:
        """The fitted transform that `to_dict` described; every value is checked, for a file may be damaged."""
        with saved.reading(f"the saved transform {cls.__name__}", "fit it again"):
            facts = saved.mapping("a transform", facts)
            if saved.read_entry(facts, "transform") != cls.__name__:
                raise DamagedError(f"it is of the kind {str(facts['transform'])[:40]!r}")
            transform = cls._of_parameters(saved.mapping("parameters", saved.read_entry(facts, "parameters")))
            transform._remember(facts)
            transform._restore(saved.mapping("state", saved.read_entry(facts, "state")))
            if saved.read_entry(facts, "output") is not None:
                transform.set_output(transform=check.one_of("output", facts["output"], ["default", "pandas", "polars"]))
            return transform

    # What subclasses say.

    def _check(self) -> None:
        """Refuse parameters that cannot be used."""

    def _learn(self, X: Any, y: Any) -> None:
        """Set the fitted attributes."""

    def _apply(self, X: Any) -> Any:
        """The made columns: a matrix, or a list of Columns."""
        raise NotImplementedError

    def _first(self, table: Table, y: Any) -> Any:
        """The made columns of the rows of `fit`, where they differ from those of other rows."""
        return self._apply(self._touched_columns(table))

    def _output_names(self, names: Sequence[str]) -> Sequence[str]:
        return names

    def _sparse_ok(self) -> bool:
        """Whether a sparse matrix is taken, which may depend on the parameters."""
        return self.takes_sparse

    def _target_needed(self) -> bool:
        """Whether y is required, which may depend on the parameters."""
        return self.needs_target

    def _state(self) -> dict[str, Any]:
        return {name: getattr(self, f"{name}_").tolist() for name in self.vectors}

    def _restore(self, state: dict[str, Any]) -> None:
        """Set the fitted attributes from what `_state` gave."""
        for name in self.vectors:
            vector = saved.numbers(name, saved.read_entry(state, name), shape=(len(self.touched_),))
            setattr(self, f"{name}_", vector)

    # How it works.

    def _fitted(self, X: TableLike, y: ArrayLike) -> Table:
        self._check()
        if self._target_needed() and y is None:
            raise TableError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; give one value per row"
            )
        table = _trimmed(self, self._read(X, reset=True))
        if self._target_needed():
            same_length(table, y)
        self.touched_ = self._touched(X, table)
        self.names_ = tuple(table.names[j] for j in self.touched_)
        with self._overflow_refused(table):
            self._learn(self._touched_columns(table), y)
        return table

    def _overflow_refused(self, X: TableLike) -> AbstractContextManager[None]:
        """Say in a sentence where a number beyond the largest comes out of the table, or of its touched columns."""
        return overflow_refused(X, self.names_, type(self).__name__)

    def _checked_input(self, X: TableLike) -> Any:
        return self._touched_columns(self._read(X, reset=False))

    def _read(self, X: TableLike, *, reset: bool) -> Table:
        return features(
            self,
            X,
            reset=reset,
            categorical=self.others == "keep" or self.touches in ("all", "categories"),
            missing=self.allows_missing,
            sparse_ok=self._sparse_ok(),
            min_rows=self.min_rows if reset else 1,
        )

    def _touched_columns(self, table: Table) -> Any:
        """The table of the touched columns."""
        touches_all = len(self.touched_) == table.n_columns
        return table if touches_all else table.select(self.touched_.tolist())

    def _touched(self, X: TableLike, table: Table) -> np.ndarray:
        """Positions of the columns to transform."""
        if self.touches == "all":
            return np.arange(table.n_columns)
        category = np.array([name in self.levels_in_ for name in table.names], dtype=bool)
        if self.touches == "categories":
            return np.flatnonzero(category)
        special = np.zeros(table.n_columns, dtype=bool)
        if self.touches == "numbers" and (isinstance(X, Table) or is_frame(X)):
            notations = self.notations_in_
            kinds = [notations[name].kind if name in notations else "" for name in table.names]
            special = np.array([kind in ("boolean", "ordinal", "date") for kind in kinds], dtype=bool)
        return np.flatnonzero(~category & ~special)

    def _order(self, n_made: int) -> list[int]:
        """For every column of the output, which of the made ones it is, or ~j for column j of the input."""
        if self.one_to_one:
            order = [~j for j in range(self.n_features_in_)]
            for k, j in enumerate(self.touched_):
                order[j] = k
            return order
        touched = set(self.touched_.tolist())
        return [*range(n_made), *(~j for j in range(self.n_features_in_) if j not in touched)]

    def _output(self, X: TableLike, new_columns: Any) -> Any:
        n_made = len(new_columns) if isinstance(new_columns, list) else new_columns.shape[1]
        order = self._order(n_made)
        own_setting = getattr(self, "_sklearn_output_config", {}).get("transform") or get_config()["transform_output"]
        container = own_setting if own_setting in ("pandas", "polars") else None
        return assembled(X, new_columns, order, [str(name) for name in self.get_feature_names_out()], container)

    def _undo(self, table: Table) -> Any:
        return self._invert(table)  # type: ignore[attr-defined]

    def _names_in(self, input_features: Any) -> list[str]:
        """Names of the input's columns, those given where they are not known."""
        fitted_names = getattr(self, "feature_names_in_", None)
        if input_features is None:
            names = [f"x{j}" for j in range(self.n_features_in_)] if fitted_names is None else fitted_names
            return [str(name) for name in names]
        if len(input_features) != self.n_features_in_:
            raise TableError(
                f"input_features should have length equal to number of features ({self.n_features_in_}), got "
                f"{len(input_features)}; give one name per column"
            )
        if fitted_names is not None and list(input_features) != list(fitted_names):
            raise TableError("input_features is not equal to feature_names_in_; give the names of fit, or none")
        return [str(name) for name in input_features]

    def _parameters(self) -> dict[str, Any]:
        """The parameters as plain values."""
        return {name: plain(name, value) for name, value in self.get_params(deep=False).items()}

    @classmethod
    def _of_parameters(cls, parameters: dict[str, Any]) -> Self:
        parameter_names = cls._get_param_names()
        if set(parameters) != set(parameter_names):
            raise DamagedError(f"its parameters are {', '.join(sorted(parameters)) or 'none'}")
        transform = cls(**{name: _tuples(value) for name, value in parameters.items()})
        transform._check()
        return transform

    def _remember(self, facts: dict[str, Any]) -> None:
        names = saved.texts("names", saved.read_entry(facts, "names"))
        self.n_features_in_ = len(names)
        if saved.read_entry(facts, "named"):
            self.feature_names_in_ = np.array(names, dtype=object)
        self.levels_in_ = {}
        for name, known_levels in saved.read_entry(facts, "levels"):
            self.levels_in_[saved.text("a column", name)] = saved.levels(f"the levels of {name!r}", known_levels)
        if not set(self.levels_in_) <= set(names):
            raise DamagedError("it holds levels of a column it does not have")
        self.notations_in_: dict[str, Any] = {}
        self.touched_ = saved.numbers("touched", saved.read_entry(facts, "touched"), np.int64)
        saved.refuse_outside("touched", self.touched_, 0, len(names) - 1)
        if np.any(np.diff(self.touched_) <= 0):
            raise DamagedError("touched does not name columns in their order")
        self.names_ = tuple(names[j] for j in self.touched_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "touched_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.allows_missing
        tags.input_tags.categorical = self.others == "keep"
        tags.input_tags.sparse = self._sparse_ok()
        tags.target_tags.required = self._target_needed()
        return tags


class NumericTransform(Transform):
    """A transform of numbers: `_learn`, `_apply` and `_invert` get a matrix of float64, rows × touched columns."""

    def _touched_columns(self, table: Table) -> Any:
        columns = super()._touched_columns(table)
        return columns.matrix.astype(np.float64, copy=False) if columns.is_sparse else columns.numbers()

    def _undo(self, table: Table) -> Any:
        return self._invert(table.numbers())  # type: ignore[attr-defined]


def _trimmed(transform: Any, table: Table) -> Table:
    """The table without levels that none of its rows has: they were seen elsewhere, so nothing may depend on them."""
    if not transform.levels_in_:
        return table
    columns = [column.trimmed() if column.is_categorical else column for column in table.columns]
    out = Table(columns, n_rows=table.n_rows)
    out.named = table.named
    transform.levels_in_ = {column.name: column.levels for column in columns if column.is_categorical}
    return out


def plain(name: str, value: object) -> Any:
    """A parameter or level as a value that JSON holds."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and isfinite(value)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(name, item) for item in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: plain(name, item) for key, item in value.items()}
    text = value.__name__ if callable(value) and hasattr(value, "__name__") else repr(value)[:60]
    raise KindError(f"{name}={text} cannot be written as plain values; give numbers or words, or do not save it")


def _tuples(value: object) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
