"""Projection pursuit: views of the rows that separate a target, or that look least normal."""

from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from tamis import check
from tamis.errors import DamagedError, ParameterError, TableError
from tamis.project.base import Loaded, refuse_overflow, saved_matrix
from tamis.project.pursuit import gram_schmidt, least_normal, separating
from tamis.project.signs import fixed_signs
from tamis.saved import numbers, read_entry, refuse_outside
from tamis.table import Classes, is_class_target
from tamis.table import numbers as target_numbers
from tamis.table.interface.takes_table import parameters
from tamis.typing import RandomState

KINDS = ("auto", "targeted", "untargeted")


@parameters
class ProjectionPursuit(Loaded):
    r"""Views of few dimensions that show what is interesting, of standardised columns.

    Targeted: orthogonal directions v, each of the largest separation of the groups of the target,

    .. math:: \max_v \frac{v^\top B v}{v^\top W v},

    with the scatter B between groups and W within them, shrunken as Ledoit and Wolf say. Groups are the classes, or ten
    slices of a numeric target. Untargeted: directions along which the rows are least normal, by their negentropy
    :math:`(\mathrm{E} \log\cosh u - \mathrm{E} \log\cosh \nu)^2`.

    The targeted one is a selector, too: columns in the order in which the target, orthogonal to the columns before,
    has its largest projection on them.

    Parameters
    ----------
    n_components : number of views.
    kind : "targeted", "untargeted", or "auto": targeted where a target is given.
    select : give this many columns, those of the largest projections, instead of the views.
    random_state : seed of the directions from which the search of the untargeted views starts.

    Attributes
    ----------
    components_ : directions in standardised columns, one a row, of length one.
    separation_ : of each targeted view, the share of its variance that is between groups; of an untargeted one None.
    negentropy_ : of each untargeted view; of a targeted one None.
    order_, ranking_ : positions of the columns, best first, and the rank of each, 1 for the best.
    mean_, scale_ : of the columns.

    References
    ----------
    J. H. Friedman and J. W. Tukey, "A projection pursuit algorithm for exploratory data analysis", IEEE Trans.
    Computers C-23, 1974. D. H. Foley and J. W. Sammon, "An optimal set of discriminant vectors", same C-24, 1975.
    H. Stoppiglia et al., "Ranking a random feature for variable and feature selection", JMLR 3, 2003.

    >>> X = np.array([[0.0, 1.0], [0.1, 5.0], [1.0, 1.1], [1.1, 4.9]])
    >>> pursuit = ProjectionPursuit(1).fit(X, ["a", "a", "b", "b"])
    >>> pursuit.carriers(), pursuit.order_
    ([['x0']], array([0, 1]))
    """

    allows_missing = False
    min_rows = 3

    n_components: int = field(default=2, kw_only=False)
    kind: str = "auto"
    select: int | None = None
    random_state: RandomState = 0

    def _check(self) -> None:
        check.count("n_components", self.n_components)
        check.one_of("kind", self.kind, KINDS)
        if self.select is not None:
            check.count("select", self.select)
            if self.kind == "untargeted":
                raise ParameterError(f"select={self.select} needs a target, but kind='untargeted'; leave select out")

    def _target_needed(self) -> bool:
        return self.kind == "targeted" or self.select is not None

    def _fit(self, X: np.ndarray, y: Any) -> None:
        n, p = X.shape
        max_views = min(p, n - 1)
        if int(self.n_components) > max_views:
            raise ParameterError(
                f"n_components={self.n_components}, but {n:,} rows of {p:,} columns (n_features={p}) have at most "
                f"{max_views} views; give n_components between 1 and {max_views}"
            )
        if self.select is not None:
            check.count("select", self.select, high=p, of="columns")
        self.mean_ = X.mean(axis=0)
        spread = X.std(axis=0)
        refuse_overflow(X, self.encoding_.columns, spread)
        self.scale_ = np.where(spread > 16 * np.finfo(float).eps * np.abs(self.mean_), spread, 0.0)
        if not self.scale_.any():
            raise TableError("all columns are constant, so there is no view; give columns that vary")
        standard = self._standardised(X)
        self.separation_ = self.negentropy_ = None
        if self.kind == "untargeted" or y is None:
            components, self.negentropy_ = least_normal(standard, int(self.n_components), self._seed())
            self._rank((components**2 * self.negentropy_[:, None]).sum(axis=0))
        else:
            codes, values = _groups(y)
            components, self.separation_ = separating(standard, codes, int(self.n_components))
            self.order_ = gram_schmidt(standard, values, self._order_of_names())
            self.ranking_ = np.argsort(self.order_) + 1
        self.components_ = components * fixed_signs(components, self._order_of_names())[:, None]

    def _rank(self, sizes: np.ndarray) -> None:
        """Columns by what they carry of the views; ties by name."""
        names = np.argsort(self._order_of_names())
        self.order_ = np.lexsort((names, -np.round(sizes, 12)))
        self.ranking_ = np.argsort(self.order_) + 1

    def _standardised(self, X: np.ndarray) -> np.ndarray:
        inverse = np.divide(1.0, self.scale_, out=np.zeros_like(self.scale_), where=self.scale_ > 0)
        return np.asarray((X - self.mean_) * inverse)

    @property
    def _n_made(self) -> int:
        return len(self.components_) if self.select is None else int(self.select)

    def _chosen(self) -> np.ndarray:
        return np.sort(self.order_[: int(self.select)])  # type: ignore[arg-type]

    def _output_names(self, names: Any) -> list[str]:
        if self.select is None:
            return [str(name) for name in super()._output_names(names)]
        return [str(names[j]) for j in self._chosen()]

    def _project(self, X: np.ndarray) -> np.ndarray:
        if self.select is not None:
            return X[:, self._chosen()]
        return np.asarray(self._standardised(X) @ self.components_.T)

    @available_if(lambda self: self.select is not None)
    def get_support(self, indices: bool = False) -> np.ndarray:
        """The columns that `select` chooses: a mask, or their positions."""
        check_is_fitted(self)
        chosen = self.touched_[self._chosen()]
        return chosen if indices else np.isin(np.arange(self.n_features_in_), chosen)

    def _learned(self) -> dict[str, Any]:
        arrays = ("components_", "mean_", "scale_", "order_", "separation_", "negentropy_")
        arrays_learned = {name[:-1]: getattr(self, name) for name in arrays}
        return {name: None if values is None else values.tolist() for name, values in arrays_learned.items()}

    def _relearn(self, state: dict[str, Any], n_columns: int) -> None:
        self.components_ = saved_matrix(state, "components", (None, n_columns))
        if not len(self.components_):
            raise DamagedError("it has no view")
        self.mean_, self.scale_ = (saved_matrix(state, name, (n_columns,)) for name in ("mean", "scale"))
        self.order_ = numbers("order", read_entry(state, "order"), np.int64, (n_columns,))
        refuse_outside("order", self.order_, 0, n_columns - 1)
        if len(set(self.order_.tolist())) < n_columns:
            raise DamagedError("its order names a column twice")
        if self.select is not None and int(self.select) > n_columns:
            raise DamagedError(f"it selects {self.select} of {n_columns} columns")
        self.ranking_ = np.argsort(self.order_) + 1
        for name in ("separation", "negentropy"):
            stored = read_entry(state, name)
            matrix = None if stored is None else saved_matrix(state, name, (len(self.components_),))
            setattr(self, f"{name}_", matrix)


def _groups(y: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the groups of a target, and its values as columns: an indicator a class, or the numbers themselves."""
    if is_class_target(y):
        classes = Classes.of(y)
        if classes.n_classes < 2:
            raise TableError("the target has only one class, so nothing can be separated; give rows of two classes")
        return classes.codes.astype(np.int64), np.eye(classes.n_classes)[classes.codes]
    values = target_numbers(y)
    if values.min() == values.max():
        raise TableError("the target is constant, so nothing can be separated; give one that varies")
    n_slices = max(2, min(10, len(values) // 5))
    edges = np.unique(np.quantile(values, np.linspace(0, 1, n_slices + 1)[1:-1]))
    return np.searchsorted(edges, values, side="left"), values[:, None]
