"""Permutation importance of a forest's columns: what it asks for, and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from tamis import check
from tamis.engine import drawn_seed
from tamis.errors import ParameterError
from tamis.forest.data.binned import ForestData
from tamis.forest.importance.importance_pvalues import pvalues
from tamis.forest.importance.per_tree import ImportanceRows, MeasuredImportance, measure_importance
from tamis.forest.training import given_to_fit, refuse_other_rows
from tamis.score.bars import with_bars
from tamis.score.interchangeable import Interchangeable, clusters_of
from tamis.table import Classes, Table, column_groups_of, features, numbers, same_length
from tamis.table.like import TableLike
from tamis.wording import html_table

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator


__all__ = ["PermutationImportance", "Shared", "permutation_importance"]


@dataclass(frozen=True)
class Shared(Interchangeable):
    """Columns that could stand for each other, the most important first.

    Attributes
    ----------
    importance : what the forest loses when all of them are permuted together.
    """

    importance: float


@dataclass(frozen=True, eq=False)
class PermutationImportance:
    r"""What a forest loses on rows its trees did not see when a column (or a group) is permuted among these rows.

    .. math:: I_j = \frac{1}{T} \sum_t \frac{1}{|O_t|} \sum_{i \in O_t}
        \left[ L(y_i, f_t(x_i^{\pi(j)})) - L(y_i, f_t(x_i)) \right]

    where O_t are the rows tree t left out, and L is 0 or 1 (wrong class), the cost in the loss matrix, or the squared
    error (its mean over targets). A column that a tree does not ask for costs it nothing.

    Attributes
    ----------
    names : the columns (or groups), in the order of the table.
    importance : :math:`I_j`. error : its standard error over trees. scaled : importance / error (0 when that is 0).
    classes, by_class : the same loss among rows of each class, columns × classes; without columns for numbers.
    p_value : share of permuted copies at least as important, (1 + hits) / (1 + copies); None when not asked for.
    shared : clusters of interchangeable columns, each with what all of them bring together.

    References
    ----------
    Breiman (2001), Random Forests. Altmann, Tolosi, Sander and Lengauer (2010), Permutation importance: a corrected
    feature importance measure. Kursa and Rudnicki (2010), Feature selection with the Boruta package.

    >>> from tamis import ForestClassifier
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> forest = ForestClassifier(30).fit(X, y := X[:, 1] > 0)
    >>> forest.permutation_importance().ranking[0]
    1
    """

    names: tuple[Any, ...]
    importance: np.ndarray
    error: np.ndarray
    scaled: np.ndarray
    classes: tuple[Any, ...]
    by_class: np.ndarray
    p_value: np.ndarray | None
    shared: tuple[Shared, ...]
    order: np.ndarray

    @property
    def ranking(self) -> list[Any]:
        """The names, most important first; the first of equals is the one whose name comes first."""
        return [self.names[u] for u in self.order]

    def table(self) -> list[dict[str, Any]]:
        """One dict a column, most important first."""
        lines = []
        for position, u in enumerate(self.order.tolist()):
            line = {"rank": position + 1, "column": self.names[u], "importance": float(self.importance[u])}
            line |= {"error": float(self.error[u]), "scaled": float(self.scaled[u])}
            line |= {f"in {label}": float(value) for label, value in zip(self.classes, self.by_class[u])}
            if self.p_value is not None:
                line["p_value"] = float(self.p_value[u])
            lines.append(line)
        return lines

    def to_text(self, *, width: int = 24, top: int | None = None) -> str:
        """A table for the screen, and the columns that could stand for each other."""
        text = with_bars(self.table()[:top], "importance", width)
        for cluster in self.shared:
            text += f"\ninterchangeable: {cluster} (together {cluster.importance:.4g})"
        return text

    def figure(self, *, top: int = 30, **options: Any) -> Any:
        """A Bokeh figure: a bar for each of the `top` most important columns, with its standard error."""
        from bokeh.models import Whisker
        from bokeh.plotting import ColumnDataSource, figure

        units = self.order[:top]
        labels = [" ".join(str(self.names[u]).split()) for u in units]
        value, error = self.importance[units], self.error[units]
        data = ColumnDataSource({"name": labels, "value": value, "low": value - error, "high": value + error})
        size = {"width": 600, "height": 60 + 22 * max(len(labels), 3), "toolbar_location": None}
        title = "what the forest loses when a column is permuted"
        plot = figure(title=title, y_range=list(dict.fromkeys(reversed(labels))), **{**size, **options})
        plot.hbar(y="name", right="value", height=0.7, source=data, color="#30638e")
        plot.add_layout(Whisker(base="name", lower="low", upper="high", dimension="width", source=data))
        plot.xaxis.axis_label = "rise of the error on rows left out"
        return plot

    def __repr__(self) -> str:
        return f"PermutationImportance of {len(self.names):,} columns, first {self.ranking[:3]}"

    def _repr_html_(self) -> str:
        """The table for a notebook, most important columns first."""
        return html_table(f"Permutation importance of {len(self.names):,} columns", self.table())


def permutation_importance(
    forest: Any, X: Any, y: Any, sample_weight: Any, groups: Any, n_repeats: int, n_permutations: int,
    interchangeable: float | None, random_state: Any, n_jobs: int | None,
) -> PermutationImportance:  # fmt: skip
    """See `ForestClassifier.permutation_importance`."""
    repeats = check.count("n_repeats", n_repeats)
    n_copies = check.count("n_permutations", n_permutations, low=0)
    seed = drawn_seed(random_state)
    table, data, rows = _rows(forest, X, y, sample_weight)
    units = column_groups_of(table, data.columns, groups)
    unit_of = np.empty(table.n_columns, dtype=np.int64)
    for u, positions in enumerate(units.values()):
        unit_of[positions] = u
    bootstrap = forest._bootstrap(data, rows.target)
    ask = partial(measure_importance, forest.trees_, rows, bootstrap, n_repeats=repeats, seed=seed, n_jobs=n_jobs)
    measured = ask(unit_of)
    _refuse_other_draws(forest, measured)
    p_value = pvalues(forest, data, rows, unit_of, n_copies, seed, n_jobs) if n_copies else None
    names = _names(forest, units, data.columns, groups)
    shared: tuple[Shared, ...] = ()
    if interchangeable is not None and groups is None:
        min_correlation = check.number("interchangeable", interchangeable, low=0, high=1, open_low=True)
        shared = _shared(table, measured, data.columns, min_correlation, names, ask)
    return _answer(forest, data, measured, units, names, p_value, shared)


def _rows(
    forest: BaseEstimator, X: TableLike, y: ArrayLike, sample_weight: ArrayLike
) -> tuple[Table, ForestData, ImportanceRows]:
    """The training rows as `fit` saw them, values in the order of the binned table's rows."""
    if (X is None) != (y is None):
        raise ParameterError("X and y belong together; give both, as they were given to fit, or neither")
    if X is None:
        X, y, sample_weight = given_to_fit(forest)
    table = features(forest, X, reset=False, sparse_ok=True)
    truth: Any = Classes.of(y) if hasattr(forest, "classes_") else numbers(y, several=True)
    same_length(table, truth.codes if isinstance(truth, Classes) else truth)
    if isinstance(truth, Classes) and not np.array_equal(truth.labels, forest.classes_):
        raise ParameterError(
            f"y has the classes {list(truth.labels)}, the forest {list(forest.classes_)}; give y of fit"
        )
    weight = check.weights(sample_weight, table.n_rows)
    _, data, target, counted = forest._problem(table, truth, weight)
    refuse_other_rows(forest, data, target)
    matrix = np.empty((0, table.n_columns))
    if len(forest.trees_.sum_column) or forest.splits == "oblique":
        matrix = np.ascontiguousarray(forest._matrix(X)[data.rows][:, data.columns])
    costs = forest._costs(target, counted, getattr(forest, "loss_", np.zeros((0, 0))))
    return table, data, ImportanceRows(data.binned, data.columns, matrix, target, costs)


def _refuse_other_draws(forest: BaseEstimator, measured: MeasuredImportance) -> None:
    if measured.share == 0:
        raise ParameterError(
            "every tree saw every row, so none is left to permute; fit with bootstrap=True, or with max_samples below 1"
        )
    if not np.isclose(measured.share, forest.oob_fraction_, rtol=1e-9):
        raise ParameterError(
            "the forest's parameters were changed after fit, so it is not known which tree saw which row; fit again"
        )


def _names(forest: BaseEstimator, units: dict[Any, np.ndarray], columns: np.ndarray, groups: ArrayLike) -> list[Any]:
    """What each unit is called: its column's name (or position), its label, or its members."""
    names = list(getattr(forest, "feature_names_in_", range(forest.n_features_in_)))
    nested = isinstance(groups, (list, tuple)) and any(isinstance(g, (list, tuple, set, np.ndarray)) for g in groups)
    out = []
    for key, positions in units.items():
        if not isinstance(key, tuple):
            out.append(names[key])
        elif nested:
            out.append(" + ".join(str(names[j]) for j in sorted(columns[positions])))
        else:
            out.append(key[1])
    return out


def _shared(
    table: Table, measured: MeasuredImportance, columns: np.ndarray, min_correlation: float, names: list[Any], ask: Any
) -> tuple[Shared, ...]:
    """Clusters among the columns whose importance exceeds its standard error, permuted together."""
    felt = np.sort(columns[measured.rise > measured.error])
    clusters = [members for members in clusters_of(table, felt, min_correlation) if len(members) > 1]
    if not clusters:
        return ()
    unit_of, position = np.full(table.n_columns, -1, dtype=np.int64), np.argsort(columns)
    for u, members in enumerate(clusters):
        unit_of[position[members]] = u
    together = ask(unit_of).rise
    out = []
    for members, worth in zip(clusters, together):
        ranked = sorted((int(position[j]) for j in members), key=lambda u: (-measured.rise[u], u))
        out.append(Shared(tuple(names[u] for u in ranked), float(worth)))
    return tuple(sorted(out, key=lambda cluster: (-cluster.importance, str(cluster))))


def _answer(
    forest: BaseEstimator,
    data: ForestData,
    measured: MeasuredImportance,
    units: dict[Any, np.ndarray],
    names: list[Any],
    p_value: np.ndarray | None,
    shared: tuple[Shared, ...],
) -> PermutationImportance:
    """Units in the order of the user's table instead of the names'."""
    first = [int(data.columns[positions].min()) for positions in units.values()]
    back = np.argsort(first)
    rise, error = measured.rise[back], measured.error[back]
    scaled = np.divide(rise, error, out=np.zeros(len(rise)), where=error > 0)
    return PermutationImportance(
        names=tuple(names[u] for u in back),
        importance=rise,
        error=error,
        scaled=scaled,
        classes=tuple(getattr(forest, "classes_", ())),
        by_class=measured.by_class[back],
        p_value=None if p_value is None else p_value[back],
        shared=shared,
        order=np.lexsort((back, -rise)),
    )
