"""Products of columns."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis import check
from tamis.errors import DamagedError, KindError, ParameterError, TableError
from tamis.saved import numbers, read_entry, refuse_outside
from tamis.table import same_length
from tamis.table.interface.takes_table import parameters
from tamis.transform.base import NumericTransform
from tamis.transform.products.screen import best_pairs
from tamis.transform.scale import means

Term = tuple[int, ...]


@parameters
class Monomials(NumericTransform):
    r"""The columns themselves and products of them.

    .. math:: x_j, \quad x_j x_k, \quad x_j x_k x_l, \; \dots

    Where a degree has more products than `most`, those with the highest score are kept, by the rows of `fit` alone: the
    square of the correlation with the target (for classes the share of variance between them), of the product of
    centred columns, so that a large mean does not make every product a copy of a column. Products of the next degree
    are made of those kept. A product with a missing factor is missing.

    Parameters
    ----------
    degree : how many factors at most.
    interactions_only : no column more than once in a product.
    most : new columns of each degree at most; without y more is an error.
    by : "pearson", or a function of a matrix and y that gives a number a column, larger is better.

    Attributes
    ----------
    terms_ : the factors of each new column, as positions among the touched columns.

    >>> t = Monomials().fit([[1.0, 2.0], [3.0, 4.0]])
    >>> t.get_feature_names_out()
    array(['x0', 'x1', 'x0^2', 'x0·x1', 'x1^2'], dtype=object)
    >>> t.transform([[3.0, 4.0]])
    array([[ 3.,  4.,  9., 12., 16.]])
    """

    one_to_one = False

    degree: int = field(default=2, kw_only=False)
    interactions_only: bool = False
    most: int = 1000
    by: Any = "pearson"

    def _check(self) -> None:
        check.count("degree", self.degree)
        check.count("most", self.most)
        if not isinstance(self.interactions_only, (bool, np.bool_)):
            raise ParameterError(f"interactions_only={self.interactions_only!r} is neither True nor False")
        check_criterion(self.by)

    def _learn(self, X: np.ndarray, y: Any) -> None:
        self.terms_: list[Term] = []
        terms: list[Term] = [(j,) for j in range(X.shape[1])]
        centred = None
        for degree in range(2, self.degree + 1):
            n_new = _count(terms, X.shape[1], self.interactions_only, self.most)
            if n_new > self.most:
                if centred is None:
                    refuse_without_target(y, X.shape[1], n_new, f"products of degree {degree}", self.most)
                    same_length(X, y)
                    centred = X - means(X, np.ones(len(X)))
                terms = self._screened(centred, terms, y)
            else:
                terms = _longer(terms, X.shape[1], self.interactions_only)
            self.terms_ += terms

    def _screened(self, X: np.ndarray, terms: list[Term], y: ArrayLike) -> list[Term]:
        """The best products of a kept term and a column; every product once."""
        index_of = {term: k for k, term in enumerate(terms)}
        plus = int(self.interactions_only)

        def allowed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            if len(terms[0]) == 1:
                return b >= a + plus
            return np.array([[_is_first(terms[k], j, index_of, plus) for j in b[0].tolist()] for k in a[:, 0]])

        pairs = best_pairs(_products(X, terms), X, allowed, self.most, y, self.by)
        return sorted(tuple(sorted((*terms[k], j))) for k, j in pairs)

    def _apply(self, X: np.ndarray) -> np.ndarray:
        products = _products(X, self.terms_)
        beyond = np.flatnonzero(np.isinf(products).any(axis=0))
        if beyond.size:
            name = _name(self.terms_[beyond[0]], self.names_)
            raise TableError(f"the product {name} is beyond the largest number; divide its columns by a constant first")
        return np.hstack([X, products])

    def _output_names(self, names: Sequence[str]) -> Sequence[str]:
        return [*names, *(_name(term, names) for term in self.terms_)]

    def _state(self) -> dict[str, Any]:
        return {"terms": [list(term) for term in self.terms_]}

    def _restore(self, state: dict[str, Any]) -> None:
        self.terms_ = []
        for stored_term in read_entry(state, "terms"):
            term = numbers("a product", stored_term, np.int64)
            refuse_outside("a product", term, 0, len(self.touched_) - 1)
            if not 2 <= len(term) <= self.degree or np.any(np.diff(term) < 0):
                raise DamagedError("a product of it is none of its degree")
            self.terms_.append(tuple(term.tolist()))


def _is_first(term: Term, j: int, index_of: dict[Term, int], plus: int) -> bool:
    """Whether term · x_j is a product, and this the first of the kept terms that make it."""
    if plus and j in term:
        return False
    product_term = tuple(sorted((*term, j)))
    factors = (product_term[:k] + product_term[k + 1 :] for k in range(len(product_term)))
    return min(index_of[shorter] for shorter in factors if shorter in index_of) == index_of[term]


def _count(terms: list[Term], n_columns: int, interactions_only: bool, max_terms: int) -> int:
    """How many products of the next degree there are; of a degree above 2 counted until there are too many."""
    if terms and len(terms[0]) == 1:
        return n_columns * (n_columns + (-1 if interactions_only else 1)) // 2
    products: set[Term] = set()
    for term in terms:
        products.update(_with(term, n_columns, interactions_only))
        if len(products) > max_terms:
            break
    return len(products)


def _longer(terms: list[Term], n_columns: int, interactions_only: bool) -> list[Term]:
    """All products of the next degree."""
    return sorted({longer for term in terms for longer in _with(term, n_columns, interactions_only)})


def _with(term: Term, n_columns: int, interactions_only: bool) -> list[Term]:
    partners = (j for j in range(n_columns) if not (interactions_only and j in term))
    return [tuple(sorted((*term, j))) for j in partners]


def _products(X: np.ndarray, terms: Sequence[Term]) -> np.ndarray:
    out = np.empty((len(X), len(terms)), order="F")
    for k, term in enumerate(terms):
        out[:, k] = X[:, term[0]]
        with np.errstate(over="ignore"):
            for j in term[1:]:
                out[:, k] *= X[:, j]
    return out


def _name(term: Term, names: Sequence[str]) -> str:
    powers = Counter(term)
    return "·".join(names[j] if n == 1 else f"{names[j]}^{n}" for j, n in powers.items())


def check_criterion(by: Any) -> None:
    """Refuse what is neither "pearson" nor a function."""
    if isinstance(by, str):
        check.one_of("by", by, ["pearson"])
    elif not callable(by):
        raise KindError(f"by={by!r} is no function; give 'pearson', or a function of a matrix and y")


def refuse_without_target(y: ArrayLike, n_columns: int, n_new: int, what: str, max_terms: int) -> None:
    """Raise where columns must be chosen and there is no target to choose by."""
    if y is None:
        raise TableError(
            f"{n_columns:,} columns make {n_new:,} {what}, and most={max_terms:,} are kept; give y to choose them "
            "by, or a "
            "larger most"
        )
