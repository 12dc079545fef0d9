"""Categories as numbers."""

from collections.abc import Sequence
from dataclasses import field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tamis import check
from tamis.errors import DamagedError, ParameterError
from tamis.saved import levels, numbers, read_entry, read_integer, refuse_outside
from tamis.split import folds
from tamis.table import MISSING, UNSEEN, Classes, Column, Table, eager, is_class_target, positions
from tamis.table import numbers as numeric_target
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike
from tamis.transform.base import Transform, plain
from tamis.transform.encode.levels import coded, codes_of, group_words, merge_rare, merge_similar
from tamis.transform.encode.target_mean import Cells, encoding
from tamis.typing import Folding

HOW = ("one-hot", "ordinal", "counts", "target", "levels")
_ALSO = {"onehot": "one-hot", "one_hot": "one-hot", "count": "counts", "target_mean": "target", "mean": "target"}


@parameters
class Encode(Transform):
    r"""Turn categories into numbers.

    - "one-hot": an indicator a level, named column=level; those of a column are a group (`groups_`).
    - "ordinal": 0, 1, 2, … in the order of the levels.
    - "counts": how many rows of `fit` have the level.
    - "target": mean of y by level, shrunk towards the mean of all; for three classes or more a column a class.
    - "levels": categories still, with rare and similar ones merged.

    "target" is fitted out of fold: `fit_transform`, which a pipeline calls on training rows, encodes each row by the
    rows of the other folds alone, prior and shrinkage included, so no row's own y is in its encoding. Folds are drawn
    without a look at y, and keep groups of rows together. `transform` encodes new rows by all rows of `fit`.

    Touched are the columns of categories (and all columns of an array of whole numbers), or those given. A missing
    value stays missing; `Impute(categories="own")` before makes it a level. A level that `fit` never saw is encoded as
    unknown: 0 in all indicators, -1 as ordinal, a count of 0, the mean of all, or, where rare levels were merged, as
    one of those; `unknown_` counts them.

    Parameters
    ----------
    how : one of the above.
    columns : names or positions of the columns to encode, whatever they hold; None for those of categories.
    rare : levels with fewer rows (or, below 1, a smaller share of the rows) are merged into "other".
    similar : levels of similar y are merged until so many are left; needs y.
    smooth : rows by which the mean of all counts in "target"; "auto" has it worked out from the variance within and
        between levels.
    cv : folds of "target": a number, a splitter or pairs of (train, test).
    target : how y is read: "classes", "numbers" or "auto".
    random_state : seed of the folds.

    Attributes
    ----------
    levels_ : of each touched column.
    words_ : names of the groups that its levels make.
    groups_ : name of each touched column -> names of the columns made of it.
    classes_ : labels of y, where it was read as classes.
    unknown_ : name of each touched column -> rows of the last `transform` whose level `fit` never saw.

    References
    ----------
    Micci-Barreca (2001), A preprocessing scheme for high-cardinality categorical attributes, SIGKDD Explorations 3.

    >>> X = np.array([["red"], ["blue"], ["red"]], dtype=object)
    >>> Encode().fit(X).get_feature_names_out()
    array(['x0=blue', 'x0=red'], dtype=object)
    >>> Encode("counts").fit_transform(X).ravel()
    array([2., 1., 2.])
    """

    touches = "categories"
    takes_groups = True

    how: str = field(default="one-hot", kw_only=False)
    columns: Any = None
    rare: float | None = None
    similar: int | None = None
    smooth: Any = "auto"
    cv: Folding = 5
    target: str = "auto"
    random_state: int = 0

    def fit(self, X: TableLike, y: ArrayLike | None = None, *, groups: ArrayLike | None = None) -> Self:
        """Learn from the rows of X; `groups` (one value a row) matter in `fit_transform` alone."""
        super().fit(X, y)
        del self._rows
        return self

    def fit_transform(self, X: Any, y: Any = None, *, groups: Any = None) -> Any:
        """Learn from the rows of X and encode them, the target out of fold; rows of a group share a fold."""
        X = eager(X)
        table = self._fitted(X, y)
        codes, targets, labels = self._rows
        del self._rows
        if self._how() != "target" or not len(self.touched_) or targets is None:
            return self._output(X, self._encoded(codes, table.n_rows))
        return self._output(X, self._out_of_fold(codes, targets, labels, *self._folds(table.n_rows, groups)))

    def _how(self) -> str:
        return _ALSO.get(self.how, self.how) if isinstance(self.how, str) else self.how

    def _check(self) -> None:
        check.one_of("how", self._how(), HOW)
        check.one_of("target", self.target, ["auto", "classes", "numbers"])
        if self.rare is not None:
            check.number("rare", self.rare, low=0)
        if self.similar is not None:
            check.count("similar", self.similar)
        if self.smooth != "auto":
            check.number("smooth", self.smooth, low=0)

    def _target_needed(self) -> bool:
        return self._how() == "target" or self.similar is not None

    def _touched(self, X: TableLike, table: Table) -> np.ndarray:
        if self.columns is not None:
            return np.array(sorted(set(positions(table, "columns", self.columns))), dtype=np.int64)
        if isinstance(X, np.ndarray) and X.dtype.kind in "iu":
            return np.arange(table.n_columns)
        return super()._touched(X, table)

    def _learn(self, table: Table, y: Any) -> None:
        self.unknown_ = dict.fromkeys(self.names_, 0)
        coded_columns = [coded(column) for column in table.columns]
        self.levels_ = [column_levels for column_levels, _ in coded_columns]
        targets = self._targets(y) if self._target_needed() else None
        labels = _labels(targets) if targets is not None and hasattr(self, "classes_") else None
        fold = np.zeros(table.n_rows, dtype=np.int64)
        self.group_of_, self.other_, self.counts_ = [], [], []
        self.means_: list[Any] = []
        self._rows = [codes for _, codes in coded_columns], targets, labels
        for column_levels, codes in coded_columns:
            n = np.bincount(codes[codes >= 0], minlength=len(column_levels))
            cells = None if targets is None else Cells.of(codes, len(column_levels), fold, 1, targets, labels)
            group_of, other_group = self._merged(n, table.n_rows, cells)
            n_groups = int(group_of.max(initial=-1)) + 1
            self.group_of_.append(group_of)
            self.other_.append(other_group)
            self.counts_.append(np.bincount(group_of, weights=n, minlength=n_groups))
            self.means_.append(None if cells is None else encoding(cells, group_of, n_groups, self._smooth()))

    def _smooth(self) -> float | None:
        return None if self.smooth == "auto" else float(self.smooth)

    def _targets(self, y: ArrayLike) -> np.ndarray:
        """The target as rows × targets: numbers, the second of two classes, or an indicator a class."""
        self.__dict__.pop("classes_", None)
        if self.target == "numbers" or (self.target == "auto" and not is_class_target(y)):
            return numeric_target(y)[:, None]
        classes = Classes.of(y)
        self.classes_ = classes.labels
        if classes.n_classes <= 2:
            return (classes.codes == classes.n_classes - 1).astype(np.float64)[:, None]
        return (classes.codes[:, None] == np.arange(classes.n_classes)).astype(np.float64)

    def _merged(self, n: np.ndarray, n_rows: int, cells: Cells | None) -> tuple[np.ndarray, int | None]:
        """Which group each level belongs to, and which group the rare ones make."""
        group_of, other_group = np.arange(len(n)), None
        if self.rare is not None:
            group_of, other_group = merge_rare(n, self.rare * n_rows if self.rare < 1 else self.rare)
        n_groups = int(group_of.max(initial=-1)) + 1
        if self.similar is None or cells is None or n_groups <= self.similar:
            return group_of, other_group
        means = encoding(cells, group_of, n_groups, self._smooth())[:-1]
        again = merge_similar(np.bincount(group_of, weights=n, minlength=n_groups), means, self.similar)
        return again[group_of], None if other_group is None else int(again[other_group])

    def _out_of_fold(
        self,
        all_codes: list[np.ndarray],
        targets: np.ndarray,
        labels: np.ndarray | None,
        fold: np.ndarray,
        n_folds: int,
    ) -> np.ndarray:
        """Every row by the rows of the other folds."""
        out = np.empty((len(fold), len(all_codes), targets.shape[1]))
        for j, (column_levels, codes) in enumerate(zip(self.levels_, all_codes)):
            cells = Cells.of(codes, len(column_levels), fold, n_folds, targets, labels)
            means = np.full(
                (n_folds, len(column_levels) + 1, targets.shape[1]), np.nan
            )  # the last one for missing values
            for f in range(n_folds):
                train_cells = cells.merged([g for g in range(n_folds) if g != f])
                group_of, _ = self._merged(train_cells.n[0], int(train_cells.n_rows[0]), train_cells)
                n_groups = int(group_of.max(initial=-1)) + 1
                means[f, :-1] = encoding(train_cells, group_of, n_groups, self._smooth())[group_of]
            at = fold * (len(column_levels) + 1) + np.where(codes < 0, len(column_levels), codes)
            out[:, j] = np.take(means.reshape(-1, targets.shape[1]), at, axis=0)
        return out.reshape(len(fold), -1)

    def _folds(self, n_rows: int, groups: Any) -> tuple[np.ndarray, int]:
        """The fold of each row, drawn without a look at y."""
        seed = check.count("random_state", self.random_state, low=0)
        pairs = folds(self.cv, None, groups=groups, X=np.empty((n_rows, 0)), seed=seed)
        fold = np.full(n_rows, -1, dtype=np.int64)
        for f, (_, test) in enumerate(pairs):
            fold[test] = f
        if np.any(fold < 0) or sum(len(test) for _, test in pairs) != n_rows:
            raise ParameterError(f"cv={self.cv!r} does not hold out every row once; give a number of folds")
        return fold, len(pairs)

    def _apply(self, table: Table) -> Any:
        all_codes = [codes_of(column, column_levels) for column, column_levels in zip(table.columns, self.levels_)]
        for name, codes in zip(self.names_, all_codes):
            self.unknown_[name] = int((codes == UNSEEN).sum())
        return self._encoded(all_codes, table.n_rows)

    def _encoded(self, all_codes: list[np.ndarray], n_rows: int) -> Any:
        how = self._how()
        if how == "levels":
            return [
                Column(name, "categorical", self._grouped(j, all_codes[j]).astype(np.int32), words)
                for j, (name, words) in enumerate(zip(self.names_, self.words_))
            ]
        blocks = [self._columns(how, j, codes) for j, codes in enumerate(all_codes)]
        return np.hstack(blocks) if blocks else np.empty((n_rows, 0))

    def _grouped(self, j: int, codes: np.ndarray) -> np.ndarray:
        """The group of each row; a level never seen is with the rare ones where they are a group."""
        other_group = self.other_[j]
        table = np.append(self.group_of_[j], [UNSEEN if other_group is None else other_group, MISSING])
        return np.asarray(table[codes])

    def _columns(self, how: str, j: int, codes: np.ndarray) -> np.ndarray:
        """The columns made of one column."""
        groups = self._grouped(j, codes)
        if how == "one-hot":
            block = (groups[:, None] == np.arange(len(self.counts_[j]))).astype(np.float64)
        elif how == "target":
            block = _looked_up(groups, np.arange(len(self.counts_[j])), self.means_[j])
        else:
            values_of_group = np.arange(len(self.counts_[j])) if how == "ordinal" else self.counts_[j]
            block = np.append(values_of_group, [-1.0 if how == "ordinal" else 0.0, np.nan])[groups][:, None]
        block[codes == MISSING] = np.nan
        return block

    @property
    def words_(self) -> list[tuple[str, ...]]:
        """Names of the groups that the levels of each touched column make."""
        sizes = map(len, self.counts_)
        return [group_words(*column_facts) for column_facts in zip(self.levels_, self.group_of_, sizes, self.other_)]

    @property
    def groups_(self) -> dict[str, list[str]]:
        """Name of each touched column -> names of the columns made of it."""
        return dict(zip(self.names_, self._names_of(self.names_)))

    def _names_of(self, names: Sequence[str]) -> list[list[str]]:
        """The names of what is made of each column."""
        how = self._how()
        if how == "one-hot":
            return [[f"{name}={word}" for word in words] for name, words in zip(names, self.words_)]
        if how == "target" and self._n_targets() > 1:
            return [[f"{name}: {label}" for label in self.classes_] for name in names]
        return [[name] for name in names]

    def _n_targets(self) -> int:
        return len(self.classes_) if len(getattr(self, "classes_", ())) > 2 else 1

    def _output_names(self, names: Sequence[str]) -> Sequence[str]:
        return [name for several in self._names_of(names) for name in several]

    def _order(self, n_made: int) -> list[int]:
        """What is made of a column stands where the column was."""
        order: list[int] = []
        position_of, at = {int(j): k for k, j in enumerate(self.touched_)}, 0
        for j in range(self.n_features_in_):
            n = self._width(position_of[j]) if j in position_of else 0
            order += range(at, at + n) if j in position_of else [~j]
            at += n
        return order

    def _width(self, j: int) -> int:
        """How many columns are made of a touched one."""
        how = self._how()
        return len(self.counts_[j]) if how == "one-hot" else self._n_targets() if how == "target" else 1

    def _state(self) -> dict[str, Any]:
        labels = getattr(self, "classes_", None)
        return {
            "levels": [[plain("a level", level) for level in column_levels] for column_levels in self.levels_],
            "group_of": [group_of.tolist() for group_of in self.group_of_],
            "other": list(self.other_),
            "counts": [counts.tolist() for counts in self.counts_],
            "means": [None if means is None else means.tolist() for means in self.means_],
            "classes": None if labels is None else [plain("a class", label) for label in labels],
        }

    def _restore(self, state: dict[str, Any]) -> None:
        names = ("levels", "group_of", "other", "counts", "means")
        entries = [read_entry(state, name) for name in names]
        if any(not isinstance(entry, list) or len(entry) != len(self.touched_) for entry in entries):
            raise DamagedError("it does not hold the levels of every column")
        all_levels, group_of, other_groups, counts, means = entries
        self.levels_ = [levels("levels", entry) for entry in all_levels]
        classes = read_entry(state, "classes")
        if classes is not None:
            self.classes_ = np.array(levels("classes", classes), dtype=object)
        self.counts_ = [numbers("counts", entry) for entry in counts]
        sizes = [len(column_groups) for column_groups in self.counts_]
        self.group_of_ = [numbers("group_of", g, np.int64, (len(k),)) for g, k in zip(group_of, self.levels_)]
        for column_groups, n in zip(self.group_of_, sizes):
            refuse_outside("group_of", column_groups, 0, n - 1)
        self.other_ = [None if g is None else read_integer("other", g, high=n - 1) for g, n in zip(other_groups, sizes)]
        if any((entry is None) == self._target_needed() for entry in means):
            raise DamagedError("it does not hold the means of every column")
        shape = self._n_targets()
        self.means_ = [None if m is None else numbers("means", m, shape=(n + 1, shape)) for m, n in zip(means, sizes)]
        self.unknown_ = dict.fromkeys(self.names_, 0)


def _looked_up(codes: np.ndarray, group_of: np.ndarray, means: np.ndarray) -> np.ndarray:
    """The means of each row's group: rows × targets; those of a level never seen, and missing ones, come last."""
    table = np.vstack([means[group_of], means[-1:], np.full((1, means.shape[1]), np.nan)])
    return np.asarray(table[codes])


def _labels(indicators: np.ndarray) -> np.ndarray:
    """Which of several indicators is 1 in each row, or a single one itself."""
    return indicators[:, 0] if indicators.shape[1] == 1 else indicators.argmax(axis=1)
