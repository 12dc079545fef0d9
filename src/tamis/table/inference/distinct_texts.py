"""A column as it was written: each different text once, and which of them every row holds."""

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.table.inference.missing import token_set

_PROBE = 10_000  # rows looked at to guess whether texts repeat
_SMALL = 20_000  # below this number of rows texts are always collected


class DistinctTexts:
    """Texts and codes into them; a code of -1 is a row without a text.

    A long column whose texts hardly repeat keeps them row by row instead (`codes` is None, and a text of null is a row
    without one): collecting a million different texts costs more than everything else (measured: 0.4 s of 0.5 s).
    """

    def __init__(self, texts: pa.Array, codes: np.ndarray | None) -> None:
        self.texts = texts
        self.codes = codes
        self.n_rows = len(texts) if codes is None else len(codes)

    @classmethod
    def of(cls, array: pa.ChunkedArray) -> "DistinctTexts":
        """The cells of a text column or a dictionary of texts."""
        if len(array) > _SMALL and _hardly_repeats(array):
            plain = array.cast(array.type.value_type) if pa.types.is_dictionary(array.type) else array
            return cls(plain.combine_chunks(), None)
        if pa.types.is_dictionary(array.type):
            return cls(*_by_appearance(*_coded(array)))
        return cls(*_coded(array.dictionary_encode()))

    def collected(self) -> "DistinctTexts":
        """The same cells with every different text once."""
        if self.codes is not None:
            return self
        return DistinctTexts(*_coded(pa.chunked_array([self.texts]).dictionary_encode()))

    def trimmed(self) -> "DistinctTexts":
        """The same cells without spaces around the texts."""
        trimmed = pc.utf8_trim_whitespace(self.texts)
        if trimmed.equals(self.texts):
            return self
        if self.codes is None:
            return DistinctTexts(trimmed, None)
        texts, codes = _coded(pa.chunked_array([trimmed]).dictionary_encode())
        return DistinctTexts(texts, np.append(codes, np.int32(-1))[self.codes])

    def without(self, tokens: Iterable[str]) -> "DistinctTexts":
        """The same cells, those that hold one of the tokens without a text."""
        absent = pc.is_in(self.texts, value_set=token_set(tokens, self.texts.type))
        if not pc.any(absent).as_py():
            return self
        if self.codes is None:
            return DistinctTexts(pc.if_else(absent, pa.scalar(None, self.texts.type), self.texts), None)
        keep = ~absent.to_numpy(zero_copy_only=False)
        renumber = np.full(len(keep) + 1, -1, dtype=np.int32)
        renumber[:-1][keep] = np.arange(keep.sum(), dtype=np.int32)
        return DistinctTexts(self.texts.filter(pa.array(keep)), renumber[self.codes])

    @property
    def n_present(self) -> int:
        """The number of rows with a text."""
        return len(self.texts) - self.texts.null_count if self.codes is None else int(self.counts.sum())

    @cached_property
    def counts(self) -> np.ndarray:
        """How many rows hold each text."""
        if self.codes is None:
            return pc.is_valid(self.texts).to_numpy(zero_copy_only=False).astype(np.int64)
        return np.bincount(self.codes + 1, minlength=len(self.texts) + 1)[1:]

    def by_row(self, per_text: np.ndarray) -> np.ndarray:
        """Numbers given for each text, row by row; NaN where a row has none."""
        if self.codes is None:
            return np.ascontiguousarray(per_text, dtype=np.float64)
        return np.append(per_text, np.nan)[self.codes]

    def first_row(self, index: int) -> int:
        """The first row (from 1) that holds the text at a place."""
        return (index if self.codes is None else int(np.argmax(self.codes == index))) + 1


def _coded(array: pa.ChunkedArray) -> tuple[pa.Array, np.ndarray]:
    """Texts and int32 codes of a dictionary column in chunks."""
    if array.num_chunks == 0:
        return pa.array([], array.type.value_type), np.empty(0, dtype=np.int32)
    if array.num_chunks > 1:
        array = array.unify_dictionaries()
    codes = np.empty(len(array), dtype=np.int32)
    start = 0
    for chunk in array.chunks:
        codes[start : start + len(chunk)] = pc.fill_null(chunk.indices.cast(pa.int32()), -1).to_numpy()
        start += len(chunk)
    return array.chunk(0).dictionary, codes


def _by_appearance(texts: pa.Array, codes: np.ndarray) -> tuple[pa.Array, np.ndarray]:
    """Only the texts that rows hold, in the order in which they do: those of other rows must leave no trace."""
    n = len(codes)
    first = np.full(len(texts) + 1, n, dtype=np.int64)
    first[codes[::-1]] = np.arange(n - 1, -1, -1)  # the last assignment to a place is the first row
    order = np.argsort(first[:-1], kind="stable")[: np.count_nonzero(first[:-1] < n)]
    if np.array_equal(order, np.arange(len(texts))):
        return texts, codes
    code_of = np.full(len(texts) + 1, -1, dtype=np.int32)
    code_of[order] = np.arange(len(order), dtype=np.int32)
    return texts.take(pa.array(order)), code_of[codes]


def _hardly_repeats(array: pa.ChunkedArray) -> bool:
    """Guessed from rows at the start and in the middle, so that a sorted column does not mislead."""
    middle = len(array) // 2
    rows = pa.chunked_array([*array.slice(0, _PROBE).chunks, *array.slice(middle, _PROBE).chunks], array.type)
    if pa.types.is_dictionary(array.type):
        rows = rows.cast(array.type.value_type)
    return pc.count_distinct(rows).as_py() > _PROBE
