"""Texts that are words: yes or no, two-letter codes among which NA is one, categories, identifiers, prose."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tamis.table.column import Column
from tamis.table.inference.distinct_texts import DistinctTexts
from tamis.table.inference.missing import TOKENS
from tamis.table.inference.text_words import MIN_WORDS_EACH, PROBE, words_each

#: False first; only when both words of a pair occur, in any case, and no other.
PAIRS = (
    *(("false", "true"), ("f", "t"), ("no", "yes"), ("n", "y"), ("nein", "ja"), ("n", "j"), ("non", "oui")),
    *(("no", "si"), ("no", "sí"), ("no", "sì"), ("não", "sim"), ("nao", "sim"), ("nee", "ja"), ("nej", "ja")),
    *(("nei", "ja"), ("nie", "tak"), ("ne", "ano"), ("nem", "igen"), ("hayır", "evet"), ("ei", "kyllä")),
    *(("нет", "да"), ("όχι", "ναι"), ("いいえ", "はい"), ("否", "是"), ("아니요", "예")),
)

_DASHES = {"-", "--", "---"}
_SIGNS = set("+-±/=<>↑↓↔")

_FEW = 20  # so many levels are categories even in a small table
_MANY = 1_000  # more levels than this are categories only with
_ROWS_A_LEVEL = 100  # so many rows a level
_PREFIX = 100_000


def yes_or_no(
    cells: DistinctTexts, levels: tuple[str, ...] | None = None
) -> tuple[np.ndarray, tuple[str, str] | None] | None:
    """0 and 1 for every text when the texts are one of the pairs (or the two levels given), and the two words.

    true and false themselves, in any case, need no words to remember.
    """
    if levels is None and len(cells.texts) > 8:
        return None
    texts = cells.texts.to_pylist()
    if levels is not None:
        lookup = {levels[0]: 0.0, levels[1]: 1.0}
        if any(text not in lookup for text in texts):
            lookup = {word.lower(): value for word, value in lookup.items()}
            texts = [text.lower() for text in texts]
        if any(text not in lookup for text in texts):
            return None
        return np.array([lookup[text] for text in texts]), (levels[0], levels[1])
    lowered = {text.lower() for text in texts}
    for no, yes in PAIRS:
        if lowered == {no, yes}:
            if (no, yes) != PAIRS[0] and len(texts) == 2:
                no, yes = sorted(texts, key=lambda text: text.lower() == yes)
            values = np.array([float(text.lower() == yes.lower()) for text in texts])
            return values, None if (no, yes) == PAIRS[0] else (no, yes)
    return None


def codes_with_na(texts: pa.Array) -> list[str]:
    """Some of the two-letter codes, when NA is one of them rather than a missing value; nothing otherwise.

    That is so when the column has at least three other different texts and four in five of them are two capital
    letters: the country codes DE, FR, US, … with NA for Namibia.
    """
    other_codes = [text for text in texts.to_pylist() if text != "NA"] if len(texts) <= 2_000 else []
    codes = sorted(
        text for text in other_codes if len(text) == 2 and text.isalpha() and text.isupper() and text.isascii()
    )
    return codes[:3] if len(codes) >= 3 and len(codes) >= 0.8 * len(other_codes) else []


def signs(texts: pa.Array) -> tuple[str, ...]:
    """The dashes among the texts, where all others are signs as well: the strands + and − of a genome.

    >>> signs(pa.array(["+", "-"])), signs(pa.array(["A", "-"]))
    (('-',), ())
    """
    listed = texts.drop_null().to_pylist() if len(texts) <= _FEW else []
    meaningful = [text for text in listed if text not in _DASHES and text not in TOKENS]
    if not meaningful or any(set(text) - _SIGNS for text in meaningful):
        return ()
    return tuple(sorted(set(listed) & _DASHES))


def names_rows(distinct: int, n: int) -> bool:
    """True when so many different words in n rows are no categories, as `judge_words` says."""
    if distinct == n and n >= 10:
        return True
    return distinct > _FEW and (distinct > n / 2 or (distinct > _MANY and distinct * _ROWS_A_LEVEL > n))


@dataclass(frozen=True)
class Verdict:
    """Whether words are categories, an identifier or text, and why."""

    kind: str
    reason: str
    note: str = ""


def judge_words(cells: DistinctTexts, what: str = "") -> tuple[Verdict, DistinctTexts]:
    """Categories when levels repeat; otherwise an identifier (one word a value) or text (several).

    Categories: at most 20 levels or at most one level for two rows, not every value different (in ten rows or more),
    and at most 1,000 levels unless each has 100 rows on average.
    """
    n = cells.n_present
    if cells.codes is None:
        prefix = pc.count_distinct(cells.texts.slice(0, _PREFIX)).as_py()
        if prefix > max(_MANY, n / _ROWS_A_LEVEL, min(_PREFIX, n) / 2):
            noun = "values" if n <= _PREFIX else f"of the first {_PREFIX:,} values"
            return _left_out(cells, f"{prefix:,} {noun} are different", prefix, what), cells
        cells = cells.collected()
    k = int(np.count_nonzero(cells.counts))
    prefix_words = f"{what}, " if what else ""
    if k == n and n >= 10:
        return _left_out(cells, f"every one of {n:,} values is different", k, what), cells
    if k > _FEW and k > n / 2:
        return _left_out(cells, f"{k:,} different values in {n:,} rows", k, what), cells
    if k > _MANY and k * _ROWS_A_LEVEL > n:
        return _left_out(cells, f"{k:,} different values in {n:,} rows", k, what), cells
    note = f"{k:,} levels are many" if k > _MANY else ""
    words = f"{k:,} different {'value' if k == 1 else 'values'} in {n:,} {'row' if n == 1 else 'rows'}"
    return Verdict("categorical", prefix_words + words, note), cells


def category_column(name: str, cells: DistinctTexts) -> Column:
    """Categories with their levels in the order of their texts."""
    cells = cells.collected()
    used = np.flatnonzero(cells.counts)
    texts = cells.texts.take(pa.array(used))
    order = pc.array_sort_indices(texts).to_numpy()
    new_code = np.full(len(cells.texts) + 1, -1, dtype=np.int32)
    new_code[used[order]] = np.arange(len(order), dtype=np.int32)
    return Column(name, "categorical", new_code[cells.codes], tuple(texts.take(pa.array(order)).to_pylist()))


def ordinal_column(name: str, cells: DistinctTexts, levels: tuple[str, ...]) -> Column | int:
    """The ordinal with the levels given, or the place of the first text that is none of them."""
    rank_of = {level: float(rank) for rank, level in enumerate(levels)}
    per_text = np.array([rank_of.get(text, np.nan) for text in cells.texts.to_pylist()])
    strange = [j for j in np.flatnonzero(np.isnan(per_text)) if cells.counts[j]]
    if strange:
        return int(min(strange, key=lambda j: cells.first_row(int(j))))
    return Column(name, "ordinal", cells.by_row(per_text), levels)


def _left_out(cells: DistinctTexts, reason: str, k: int, what: str) -> Verdict:
    """One word a value names a row (identifier); several words are prose (text)."""
    n_words = words_each(cells.texts.slice(0, PROBE))
    prefix_words = f"{what}, " if what else ""
    if n_words >= MIN_WORDS_EACH:
        return Verdict("text", f"{prefix_words}{reason}, with {n_words:.0f} words each on average")
    return Verdict("identifier", f"{prefix_words}{reason}")
