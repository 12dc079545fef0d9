"""Transforms of some columns each, one after another."""

from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import field
from fnmatch import fnmatchcase
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from tamis import check, saved
from tamis.errors import DamagedError, KindError, ParameterError
from tamis.table import Table
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike
from tamis.transform.base import Transform
from tamis.transform.steps.words import ALL, WORDS, read_steps

KINDS = tuple(WORDS.values())


@parameters
class Transforms(Transform):
    """Transforms of columns by name, as words or as objects.

    Parts are worked on in their order. In each, the columns whose names fit are taken out of the table as it then is,
    go through its transforms one after another, and come back: a column whose name is still there where it was, new
    ones at the end. Columns of no part, and columns that a transform does not touch, pass through.

    Parameters
    ----------
    parts : a line such as "log,standardize" or "spectrum_*: smooth,derivative; age: center" (see
        `tamis.transform.steps.words`), or a list of (columns, transforms): a name or names, which may hold * and ?, and
        a transform or several.

    Attributes
    ----------
    parts_ : for each part the names of its columns and its fitted transforms.

    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [20.0, 40.0], "x1": [1.0, 3.0], "x2": [0.0, 8.0]})
    >>> Transforms("x*: unit_range; age: center").set_output(transform="pandas").fit_transform(X)
        age   x1   x2
    0 -10.0  0.0  0.0
    1  10.0  1.0  1.0
    """

    touches = "all"
    one_to_one = False
    takes_groups = True

    parts: Any = field(default="standardize", kw_only=False)

    def _check(self) -> None:
        self._steps()

    def _steps(self) -> tuple[tuple[tuple[str, ...], tuple[Any, ...]], ...]:
        """Patterns and unfitted transforms of every part."""
        if isinstance(self.parts, str):
            return read_steps(self.parts)
        if not isinstance(self.parts, Iterable) or isinstance(self.parts, dict):
            raise KindError(f"parts={self.parts!r} are no parts; give a line of words, or (columns, transform) pairs")
        steps = []
        for pair in self.parts:
            if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
                raise KindError(f"parts holds {pair!r}; give pairs of columns and a transform")
            columns, transforms = pair
            names = (columns,) if isinstance(columns, str) else ALL if columns is None else tuple(columns)
            several = tuple(transforms) if isinstance(transforms, (list, tuple)) else (transforms,)
            for transform in several:
                if not isinstance(transform, Transform):
                    raise KindError(f"parts holds {transform!r}, which is no transform of tamis.transform")
            steps.append((tuple(str(name) for name in names), several))
        if not steps:
            raise ParameterError("parts is empty; give a line of words, or (columns, transform) pairs")
        return tuple(steps)

    def _target_needed(self) -> bool:
        return any(transform._target_needed() for _, several in self._steps() for transform in several)

    def _learn(self, table: Table, y: Any) -> None:
        self.parts_: list[tuple[tuple[str, ...], list[Any]]] = []
        work = _named(table)
        for patterns, transforms in self._steps():
            names = _matching(work, patterns)
            step_table, fitted = work.select(list(names)), []
            for transform in transforms:
                fitted.append(clone(transform).set_output(transform="default"))
                together = {"groups": self._groups} if transform.takes_groups else {}
                step_table = fitted[-1].fit_transform(step_table, y, **together)
            self.parts_.append((names, fitted))
            work = _put_back(work, names, step_table)
        index_of_column = {} if table.matrix is not None else {id(column): j for j, column in enumerate(table.columns)}
        is_matrix = work.matrix is not None
        self.kept_ = np.array(
            [-1 if is_matrix else index_of_column.get(id(work.column(k)), -1) for k in range(work.n_columns)]
        )
        self.made_ = work.names
        self._first_rows = work

    def _first(self, table: Table, y: Any) -> Any:
        work = self._first_rows
        del self._first_rows
        return self._new(work)

    def fit(self, X: TableLike, y: ArrayLike | None = None, *, groups: ArrayLike | None = None) -> Self:
        """Learn from the rows of X; `groups` (one value a row) matter where a step encodes by the target."""
        self._groups = groups
        try:
            super().fit(X, y)
        finally:
            del self._groups
        del self._first_rows
        return self

    def fit_transform(self, X: TableLike, y: ArrayLike | None = None, *, groups: ArrayLike | None = None) -> Any:
        """Learn from the rows of X, and transform them; rows of a group share a fold where the target is encoded."""
        self._groups = groups
        try:
            return super().fit_transform(X, y)
        finally:
            del self._groups

    def _apply(self, table: Table) -> Any:
        work = _named(table)
        for names, fitted in self.parts_:
            step_table = work.select(list(names))
            for transform in fitted:
                step_table = transform.transform(step_table)
            work = _put_back(work, names, step_table)
        return self._new(work)

    def _new(self, work: Table) -> Any:
        """The columns that were made: a matrix where there is one."""
        if work.matrix is not None:
            return np.asarray(work.matrix, dtype=np.float64)[:, self.kept_ < 0]
        return [work.column(k) for k in np.flatnonzero(self.kept_ < 0).tolist()]

    def _output_names(self, names: Sequence[str]) -> Sequence[str]:
        return [name for name, source in zip(self.made_, self.kept_) if source < 0]

    def _order(self, n_made: int) -> list[int]:
        new_index = np.cumsum(self.kept_ < 0) - 1
        return [int(new_index[k]) if source < 0 else ~int(source) for k, source in enumerate(self.kept_)]

    def _parameters(self) -> dict[str, Any]:
        if isinstance(self.parts, str):
            return {"parts": self.parts}
        steps = self._steps()
        return {"parts": [[list(names), [_unfitted(t) for t in several]] for names, several in steps]}

    @classmethod
    def _of_parameters(cls, parameters: dict[str, Any]) -> "Transforms":
        steps = saved.read_entry(parameters, "parts")
        if not isinstance(steps, str):
            steps = [(saved.texts("columns", names), tuple(map(_made_anew, several))) for names, several in steps]
        transform = cls(steps)
        transform._check()
        return transform

    def _state(self) -> dict[str, Any]:
        return {
            "parts": [[list(names), [t.to_dict() for t in fitted]] for names, fitted in self.parts_],
            "made": list(self.made_),
            "kept": self.kept_.tolist(),
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self.parts_ = []
        for names, fitted in saved.read_entry(state, "parts"):
            transforms = [_kind(saved.read_entry(saved.mapping("a step", t), "transform")).from_dict(t) for t in fitted]
            columns = saved.texts("the columns of a part", names)
            if not transforms or list(transforms[0].feature_names_in_) != list(columns):
                raise DamagedError("a step of it is one of other columns")
            self.parts_.append((columns, transforms))
        self.made_ = saved.texts("made", saved.read_entry(state, "made"))
        self.kept_ = saved.numbers("kept", saved.read_entry(state, "kept"), np.int64, (len(self.made_),))
        saved.refuse_outside("kept", self.kept_, -1, self.n_features_in_ - 1)


def _matching(table: Table, patterns: Sequence[str]) -> tuple[str, ...]:
    """Names of the columns that some pattern fits, in their order; a pattern that fits none is refused."""
    matches: set[str] = set()
    for pattern in patterns:
        some = {pattern} if pattern in table.names else {name for name in table.names if fnmatchcase(name, pattern)}
        if not some:
            listed = ", ".join(repr(name) for name in table.names[:8]) + (", …" if table.n_columns > 8 else "")
            raise ParameterError(
                f"no column fits {pattern!r}{check.nearest(pattern, table.names)}; columns to transform: {listed}"
            )
        matches |= some
    return tuple(name for name in table.names if name in matches)


def _put_back(work: Table, names: tuple[str, ...], step_table: Table) -> Table:
    """A table with some columns replaced by others: of a name that is still there in its place, new ones last."""
    if names == work.names:
        return step_table
    dropped = set(names)
    stay = [name for name in work.names if name not in dropped or name in set(step_table.names)]
    order = [*stay, *(name for name in step_table.names if name not in set(stay))]
    if len(set(order)) < len(step_table.names) + work.n_columns - len(names):
        twice = next(name for name in step_table.names if name in work.names and name not in dropped)
        raise ParameterError(f"a transform makes a second column {twice!r}; rename the column of that name first")
    if work.matrix is not None and step_table.matrix is not None:
        matrix = np.hstack([np.asarray(work.matrix, dtype=np.float64), step_table.matrix])
        index_of = {name: j for j, name in enumerate([*work.names, *step_table.names])}  # the later one counts
        return Table(matrix=matrix[:, [index_of[name] for name in order]], names=order)
    new_names = set(step_table.names)
    return Table([(step_table if name in new_names else work).column(name) for name in order], n_rows=work.n_rows)


def _named(table: Table) -> Table:
    """The same table, whose columns are known by their names, x0, x1, … included."""
    out = copy(table)
    out.named = True
    return out


def _kind(name: Any) -> Any:
    import tamis.transform

    return getattr(tamis.transform, check.one_of("transform", name, KINDS))


def _unfitted(transform: Transform) -> list[Any]:
    return [type(transform).__name__, transform._parameters()]


def _made_anew(stored_step: Any) -> Any:
    name, parameters = stored_step
    return _kind(name)._of_parameters(saved.mapping("parameters", parameters))
