"""Texts as columns of terms: words or pieces of words, counted or weighted by how rare they are."""

from collections.abc import Sequence
from dataclasses import field
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.preprocessing import normalize

from tamis import check, saved
from tamis.errors import DamagedError, ParameterError, TableError
from tamis.table import Column, Table, eager, is_frame
from tamis.table.interface.takes_table import parameters
from tamis.table.like import TableLike
from tamis.transform.base import Transform

UNITS = {"words": "word", "characters": "char_wb"}
WEIGHTS = ("tf-idf", "counts", "presence")


@parameters
class Text(Transform):
    r"""Turn columns of texts into columns of terms.

    "tf-idf" multiplies the count of a term t by its rarity among the n rows of `fit`, df(t) of which hold it, and
    scales every row to length 1:

    .. math:: \mathrm{idf}(t) = 1 + \log \frac{1 + n}{1 + \mathrm{df}(t)}

    Terms and rarities are learned from the rows of `fit` alone; terms that are new in later rows are ignored. A missing
    text has no terms.

    Parameters
    ----------
    columns : names (or positions) of the columns of texts. None takes, of a frame, columns of strings with two or more
        words on average and at least half of their values distinct; of an array of strings, all columns.
    unit : "words" or "characters" (n-grams inside words, with their edges).
    ngrams : shortest and longest number of units in a term; by default single words, or 2 to 4 characters.
    weights : "tf-idf", "counts" or "presence" (0 or 1).
    max_terms : with more terms than this in a column, terms are hashed into so many columns; these have numbers instead
        of words as names.
    min_df : terms in fewer rows are left out.
    stop_words : words to leave out: a list, or "english".
    lowercase : whether upper and lower case are the same.

    A list or series of strings is one column. The output is a sparse matrix, terms before the columns that are no
    texts, unless other columns than numbers remain (then a frame) or `set_output` says otherwise.

    Attributes
    ----------
    terms_ : for each column of texts its terms, or None where they are hashed.
    idf_ : for each column of texts the rarity of its terms, or None without "tf-idf".

    References
    ----------
    K. Spärck Jones, "A statistical interpretation of term specificity and its application in retrieval", 1972.

    >>> text = Text(weights="counts").fit(["win a free phone", "free for lunch?"])
    >>> text.get_feature_names_out().tolist()
    ['for', 'free', 'lunch', 'phone', 'win']
    >>> text.transform(["free, free!"]).toarray()
    array([[0., 2., 0., 0., 0.]])
    """

    touches = "categories"
    one_to_one = False

    columns: Any = field(default=None, kw_only=False)
    unit: str = "words"
    ngrams: tuple[int, int] | None = None
    weights: str = "tf-idf"
    max_terms: int = 65_536
    min_df: int = 1
    stop_words: Any = None
    lowercase: bool = True

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn terms, and how rare they are, from the texts of X."""
        self._fitted(_as_table(X), y)
        self._forget_texts()
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn from the texts of X, and count their terms."""
        X = _as_table(X)
        output = self._first(self._fitted(X, y), y)
        self._forget_texts()
        return self._output(X, output)

    def transform(self, X: TableLike) -> Any:
        """The terms of each text, beside the columns that are no texts."""
        return super().transform(_as_table(X))

    def _check(self) -> None:
        check.one_of("unit", self.unit, UNITS)
        check.one_of("weights", self.weights, WEIGHTS)
        check.count("max_terms", self.max_terms)
        check.count("min_df", self.min_df)
        if isinstance(self.stop_words, str) and self.stop_words != "english":
            raise ParameterError(f"stop_words={self.stop_words!r} is not known; give 'english' or a list of words")
        low, high = self._ngrams()
        if high < low:
            raise ParameterError(f"ngrams={self.ngrams!r} ends before it begins; give (shortest, longest)")

    def _ngrams(self) -> tuple[int, int]:
        if self.ngrams is None:
            return (1, 1) if self.unit == "words" else (2, 4)
        if isinstance(self.ngrams, str) or not hasattr(self.ngrams, "__len__") or len(self.ngrams) != 2:
            raise ParameterError(f"ngrams={self.ngrams!r} is no pair; give (shortest, longest), for example (1, 2)")
        low, high = self.ngrams
        return check.count("ngrams", low), check.count("ngrams", high)

    def _touched(self, X: TableLike, table: Table) -> np.ndarray:
        if self.columns is not None:
            return _named_columns(self.columns, table)
        every = super()._touched(X, table)
        if not (isinstance(X, Table) or is_frame(X)):
            return every
        return np.array([j for j in every if _reads_as_text(table.column(int(j)))], dtype=np.int64)

    def _learn(self, table: Table, y: Any) -> None:
        self.terms_: list[tuple[str, ...] | None] = []
        self.idf_: list[np.ndarray] | None = [] if self.weights == "tf-idf" else None
        for column in table.columns:
            texts = _texts(column)
            terms = self._terms(column.name, texts)
            self.terms_.append(terms)
            if self.idf_ is not None:
                rows = np.bincount(self._counts(texts, terms).indices, minlength=self._width(terms))
                self.idf_.append(1.0 + np.log((1.0 + len(texts)) / (1.0 + rows)))

    def _terms(self, name: str, texts: list[str]) -> tuple[str, ...] | None:
        """The terms of a column, sorted; None where there are more than `max_terms`."""
        try:
            vectorizer = CountVectorizer(**self._options(), min_df=min(self.min_df, len(texts))).fit(texts)
        except ValueError as error:
            raise TableError(
                f"no term of column {name!r} is in {self.min_df} or more of {len(texts)} rows; give min_df=1, "
                "fewer stop_words, or unit='characters'"
            ) from error
        terms = tuple(str(term) for term in vectorizer.get_feature_names_out())
        return terms if len(terms) <= self.max_terms else None

    def _options(self) -> dict[str, Any]:
        stop = self.stop_words if isinstance(self.stop_words, str) or self.stop_words is None else list(self.stop_words)
        analyzer = UNITS[self.unit]
        return {
            "analyzer": analyzer,
            "ngram_range": self._ngrams(),
            "stop_words": stop if analyzer == "word" else None,
            "lowercase": bool(self.lowercase),
            "binary": self.weights == "presence",
            "dtype": np.float64,
        }

    def _counts(self, texts: list[str], terms: tuple[str, ...] | None) -> Any:
        if terms is not None:
            return CountVectorizer(**self._options(), vocabulary=terms).transform(texts).tocsr()
        hashing = HashingVectorizer(**self._options(), n_features=self.max_terms, alternate_sign=False, norm=None)
        return hashing.transform(texts).tocsr()

    def _width(self, terms: tuple[str, ...] | None) -> int:
        return self.max_terms if terms is None else len(terms)

    def _checked_input(self, X: TableLike) -> Any:
        self._read(X, reset=False)
        table = Table.of(X)  # as written: texts have no levels to be recoded to
        return table.select(self.touched_.tolist())

    def _apply(self, table: Table) -> Any:
        blocks = []
        for index, (column, terms) in enumerate(zip(table.columns, self.terms_)):
            counts = self._counts(_texts(column), terms)
            if self.idf_ is not None:
                counts = normalize(counts @ sparse.diags_array(self.idf_[index]), copy=False)
            blocks.append(counts)
        return sparse.hstack(blocks, format="csr") if blocks else sparse.csr_array((table.n_rows, 0))

    def _output(self, X: TableLike, new_columns: Any) -> Any:
        table = Table.of(X)
        untouched = [j for j in range(table.n_columns) if j not in set(self.touched_.tolist())]
        output_setting = getattr(self, "_sklearn_output_config", {}).get("transform")
        plain = not isinstance(X, Table) and output_setting in (None, "default") and len(self.touched_)
        if not plain or any(table.column(j).kind != "numeric" for j in untouched):
            return super()._output(X, new_columns)
        numbers = [sparse.csr_array(np.asarray(table.column(j).values, dtype=np.float64)[:, None]) for j in untouched]
        return sparse.hstack([new_columns, *numbers], format="csr")

    def _output_names(self, names: Sequence[str]) -> Sequence[str]:
        named = hasattr(self, "feature_names_in_") or len(names) > 1
        new_names = []
        for name, terms in zip(names, self.terms_):
            words = [f"hash {k}" for k in range(self.max_terms)] if terms is None else terms
            new_names += [f"{name}: {word}" if named else str(word) for word in words]
        return new_names

    def _forget_texts(self) -> None:
        """Keep no text of the training rows: of their levels only that there were some."""
        for name in self.names_:
            self.levels_in_[name] = ()

    def _state(self) -> dict[str, Any]:
        return {
            "terms": [None if terms is None else list(terms) for terms in self.terms_],
            "idf": None if self.idf_ is None else [idf.tolist() for idf in self.idf_],
        }

    def _restore(self, state: dict[str, Any]) -> None:
        listed = saved.read_entry(state, "terms")
        if not isinstance(listed, list) or len(listed) != len(self.touched_):
            raise DamagedError(f"it does not hold the terms of {len(self.touched_)} columns")
        self.terms_ = [None if terms is None else saved.texts("terms", terms) for terms in listed]
        idf = saved.read_entry(state, "idf")
        self.idf_ = None
        if idf is not None:
            if not isinstance(idf, list) or len(idf) != len(self.terms_):
                raise DamagedError(f"it does not hold the rarities of {len(self.terms_)} columns")
            self.idf_ = [
                saved.numbers("idf", values, shape=(self._width(terms),)) for values, terms in zip(idf, self.terms_)
            ]


def _as_table(X: TableLike) -> Any:
    """X itself, or its strings as one column where it is a list, an array or a series of them."""
    if isinstance(X, (list, tuple)) and X and all(text is None or isinstance(text, str) for text in X):
        return np.array([*X, None], dtype=object)[:-1].reshape(-1, 1)
    if not isinstance(X, Table) and getattr(X, "ndim", 2) == 1 and getattr(X, "dtype", None) is not None:
        values = np.asarray(X, dtype=object)
        if all(text is None or isinstance(text, str) or text != text for text in values):
            return values.reshape(-1, 1)
    return eager(X)


def _named_columns(columns: Any, table: Table) -> np.ndarray:
    listed = [columns] if isinstance(columns, (str, int)) else list(columns)
    indices = []
    for column in listed:
        if isinstance(column, str) and column not in table.names:
            raise ParameterError(f"columns names {column!r}, which the table does not have; give names of its columns")
        index = table.names.index(column) if isinstance(column, str) else check.count(
            "columns", column, low=0, high=table.n_columns - 1
        )  # fmt: skip
        if not table.column(index).is_categorical:
            raise ParameterError(f"column {table.names[index]!r} holds no texts; give columns of strings")
        indices.append(index)
    return np.unique(np.array(indices, dtype=np.int64))


def _reads_as_text(column: Column) -> bool:
    """Two or more words on average, and at least half of the values distinct."""
    levels = [str(level) for level in column.levels or ()]
    n_values = int((~column.missing).sum())
    words = sum(len(level.split()) for level in levels)
    return bool(levels) and words >= 2 * len(levels) and 2 * len(levels) >= n_values


def _texts(column: Column) -> list[str]:
    """The text of each row, empty where it is missing."""
    if not column.is_categorical:
        raise TableError(f"column {column.name!r} held texts in fit and holds numbers now; give it as it was")
    words = np.array([*(str(level) for level in column.levels or ()), "", ""], dtype=object)  # -2 unseen, -1 missing
    return [str(text) for text in words[column.values]]
