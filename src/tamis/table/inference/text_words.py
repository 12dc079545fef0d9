"""Messages, comments, diagnoses: a column per word that recurs, and one for the number of words."""

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.table.column import Column
from tamis.table.inference.distinct_texts import DistinctTexts

#: What the column that counts the words of a text is called, in brackets behind the text's name.
LENGTH = "words"

#: Words of a text on average from which a column of different texts is prose.
MIN_WORDS_EACH = 3

#: Texts that are looked at to tell names from prose.
PROBE = 1_000

#: Share of words with a capital letter, the first of every text aside, from which texts are names or addresses.
NAMES = 0.6

#: Cells of word columns at most: of more words the most frequent ones (400 MB of numbers), but always so many.
MAX_CELLS, MIN_WORDS = 50_000_000, 50

_WORD = re.compile(r"\b[^\W\d_]{2,}\b")


def min_rows_of_word(n_rows: int) -> int:
    """Rows that must hold a word for it to be a column: one in 200, and at least 3.

    >>> min_rows_of_word(200), min_rows_of_word(5_000)
    (3, 25)
    """
    return max(3, -(-n_rows // 200))


def words_each(texts: pa.Array) -> float:
    """Words of a text on average.

    >>> words_each(pa.array(["lunch at noon", "win", None]))
    2.0
    """
    return 1.0 + (pc.mean(pc.count_substring(texts, " ")).as_py() or 0.0)


def is_prose(texts: pa.Array) -> bool:
    """Whether texts that hardly repeat are messages rather than names: three words or more, most without a capital."""
    return words_each(texts) >= MIN_WORDS_EACH and not are_names(texts)


def are_names(texts: pa.Array) -> bool:
    """Whether texts are names or addresses: most words begin with a capital letter, but are not written in capitals.

    >>> said = ["Braund, Mr. Owen Harris", "Heikkinen, Miss Laina"], ["Call me at noon", "WIN A PRIZE"]
    >>> [are_names(pa.array(texts)) for texts in said]
    [True, False]
    """
    words = [word for text in texts.drop_null().to_pylist() for word in _WORD.findall(text)[1:]]
    capital = sum(word[0].isupper() and not word.isupper() for word in words)
    return bool(words) and capital >= NAMES * len(words)


def recurring_words(cells: DistinctTexts) -> tuple[str, ...]:
    """The words, in lower case and sorted, that enough rows hold and enough do not."""
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(binary=True, dtype=np.float64)
    texts = _listed(cells)
    try:
        contains = vectorizer.fit_transform(texts)
    except ValueError:  # no word of two letters in any text
        return ()
    n_rows = np.asarray(contains.T @ cells.counts).ravel()
    words = vectorizer.get_feature_names_out()
    min_rows = min_rows_of_word(cells.n_rows)
    chosen = np.flatnonzero((n_rows >= min_rows) & (n_rows <= cells.n_rows - min_rows))
    max_words = max(MIN_WORDS, MAX_CELLS // max(1, cells.n_rows))
    chosen = chosen[np.argsort(-n_rows[chosen], kind="stable")[:max_words]]
    return tuple(sorted(str(words[index]) for index in chosen))


def text_columns(name: str, cells: DistinctTexts, words: tuple[str, ...]) -> list[Column]:
    """Whether each row's text holds each of the words, and how many words it has; a missing text has none.

    >>> cells = DistinctTexts.of(pa.chunked_array([["win a phone", None, "lunch at noon"]]))
    >>> [(column.name, column.values.tolist()) for column in text_columns("mail", cells, ("lunch", "win"))]
    [('mail: lunch', [0.0, 0.0, 1.0]), ('mail: win', [1.0, 0.0, 0.0]), ('mail (words)', [3.0, 0.0, 3.0])]
    """
    from sklearn.feature_extraction.text import CountVectorizer

    texts = _listed(cells)
    columns = []
    if words:
        contains = CountVectorizer(vocabulary=words, binary=True, dtype=np.float64).transform(texts).tocsc()
        for index, word in enumerate(words):
            per_text = np.zeros(len(texts))
            per_text[contains.indices[contains.indptr[index] : contains.indptr[index + 1]]] = 1.0
            columns.append(Column(f"{name}: {word}", "boolean", _by_row(cells, per_text), source=name))
    length = np.array([len(text.split()) for text in texts], dtype=np.float64)
    return [*columns, Column(f"{name} ({LENGTH})", "numeric", _by_row(cells, length), source=name)]


def is_word(column: Any) -> bool:
    """True of a column that says whether a text holds a word.

    >>> is_word(Column("mail: win", "boolean", np.zeros(2), source="mail"))
    True
    """
    return bool(column.kind == "boolean" and column.source is not None)


def _listed(cells: DistinctTexts) -> list[str]:
    return [text or "" for text in cells.texts.to_pylist()]


def _by_row(cells: DistinctTexts, per_text: np.ndarray) -> np.ndarray:
    return np.nan_to_num(cells.by_row(per_text), copy=False)
