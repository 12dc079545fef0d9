"""Words that have an order: low, middle, high; A1 to G5; stage I to IV; 18-24, 25-34."""

import re
from collections.abc import Sequence
from itertools import pairwise

_MOST = 60  # levels; more are no scale

#: Scales, lowest first; words in one place mean the same.
_SCALES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (
        ("very low", "lowest"),
        ("low",),
        ("medium", "middle", "moderate", "mid", "average", "normal"),
        ("high",),
        ("very high", "highest"),
    ),
    (
        ("xxs",),
        ("xs", "extra small", "tiny"),
        ("s", "small"),
        ("m", "medium", "middle"),
        ("l", "large", "big"),
        ("xl", "extra large", "huge"),
        ("xxl",),
        ("xxxl",),
    ),
    (("never",), ("rarely", "seldom"), ("sometimes", "occasionally"), ("often", "frequently"), ("always",)),
    (
        ("very bad", "very poor"),
        ("bad", "poor"),
        ("fair", "average", "acceptable", "ok", "okay"),
        ("good",),
        ("very good",),
        ("excellent",),
    ),
    (
        ("strongly disagree",),
        ("disagree",),
        ("neutral", "neither agree nor disagree"),
        ("agree",),
        ("strongly agree",),
    ),
    (
        ("very dissatisfied",),
        ("dissatisfied", "unsatisfied"),
        ("neutral",),
        ("satisfied",),
        ("very satisfied",),
    ),
    (("none", "no"), ("minimal",), ("mild", "slight"), ("moderate",), ("severe",), ("very severe", "extreme")),
    (("cold",), ("cool",), ("mild", "warm"), ("hot",)),
    (("beginner",), ("intermediate",), ("advanced",), ("expert",)),
    (("junior",), ("mid", "middle"), ("senior",), ("lead", "principal")),
)
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")

#: Words (and letters of medicine) after which a number is a rank: batch 1 to batch 6 have no order, stage 1 to 4 have.
_RANKED = frozenset(
    {
        *("stage", "grade", "level", "class", "tier", "degree", "rank", "quartile", "quintile", "decile", "year"),
        *("stadium", "grad", "stufe", "klasse", "stade", "niveau", "classe", "etapa", "nivel", "clase", "grado"),
        *("t", "n", "g", "ct", "cn", "pt", "pn", "yt", "cin", "ckd", "nyha", "ccs", "asa", "killip", "ecog", "who"),
        *("birads", "bi rads", "pirads", "pi rads", "tirads", "q"),
    }
)
_GRADE = re.compile(r"^([A-Za-z])([0-9]{1,2})$")
_COUNTED = re.compile(r"^([A-Za-z][A-Za-z ]*?)[ _-]?([0-9]{1,3}|[IVX]{1,4})$")
_BAND = re.compile(r"^([0-9]+(?:[.][0-9]+)?)(?: ?(?:-|–|to) ?([0-9]+(?:[.][0-9]+)?)|[+])$")
_UNWRITABLE = set("<(),=")


def in_order(levels: Sequence[str]) -> list[str] | None:
    """The levels of a scale, lowest first; None for words without an order that everybody knows.

    >>> in_order(["Low", "High", "Very high", "Medium"])
    ['Low', 'Medium', 'High', 'Very high']
    >>> in_order(["A2", "B1", "A1"]), in_order(["red", "blue", "low"])
    (['A1', 'A2', 'B1'], None)
    """
    if not 3 <= len(levels) <= _MOST:
        return None
    for keys in (*(_on(scale, levels) for scale in _SCALES), _roman(levels), _graded(levels), _banded(levels)):
        if keys is not None and len(set(keys)) == len(levels):
            return [level for _, level in sorted(zip(keys, levels))]
    return None


def order_note(name: str, levels: Sequence[str]) -> str:
    """What to say about words with an order, and how the user says that it counts; nothing for other words.

    >>> order_note("size", ["large", "small", "medium"])
    'the words have an order; give size=ordinal(small<medium<large) as its type to use it'
    """
    ordered = in_order(levels)
    if ordered is None:
        return ""
    if any(_UNWRITABLE & set(text) for text in (name, *ordered)):
        return f"the words have an order, from {ordered[0]} to {ordered[-1]}; give ordinal with its levels to use it"
    return f"the words have an order; give {name}=ordinal({'<'.join(ordered)}) as its type to use it"


def _on(scale: tuple[tuple[str, ...], ...], levels: Sequence[str]) -> list[tuple[float, ...]] | None:
    rank_of = {word: float(rank) for rank, words in enumerate(scale) for word in words}
    ranks = [rank_of.get(re.sub(r"[ _-]+", " ", level.lower())) for level in levels]
    return [(rank,) for rank in ranks if rank is not None] if None not in ranks else None


def _roman(levels: Sequence[str]) -> list[tuple[float, ...]] | None:
    """I, II, III … without a gap at the start."""
    lowered = [level.lower() for level in levels]
    if set(lowered) != set(_ROMAN[: len(levels)]):
        return None
    return [(float(_ROMAN.index(word)),) for word in lowered]


def _graded(levels: Sequence[str]) -> list[tuple[float, ...]] | None:
    """A letter and a number (A1 … G5), or one word and a number (stage 1, stage 2, stage IV); the numbers start low."""
    matches = [_GRADE.match(level) or _COUNTED.match(level) for level in levels]
    heads = sorted({match[1].lower() for match in matches if match})
    if None in matches or not (_neighbours(heads) if len(heads) > 1 else heads and heads[0] in _RANKED):
        return None
    tails = [_count(match[2]) for match in matches if match]
    if None in tails or min(tail for tail in tails if tail is not None) > 1 or len(set(tails)) > 12:
        return None
    return [
        (float(heads.index(match[1].lower())), tail)
        for match, tail in zip(matches, tails)
        if match and tail is not None
    ]


def _neighbours(heads: Sequence[str]) -> bool:
    """True for single letters that follow each other from A on: those of grades, not of products."""
    return all(len(head) == 1 for head in heads) and heads[0] == "a" and ord(heads[-1]) - ord("a") == len(heads) - 1


def _count(text: str) -> float | None:
    if text.isdigit():
        return float(text)
    return float(_ROMAN.index(text.lower()) + 1) if text.lower() in _ROMAN else None


def _banded(levels: Sequence[str]) -> list[tuple[float, ...]] | None:
    """Ranges of numbers that do not overlap: 18-24, 25-34, 65+."""
    matches = [_BAND.match(level) for level in levels]
    if None in matches:
        return None
    bands = [(float(match[1]), float(match[2]) if match[2] else float("inf")) for match in matches if match]
    ordered = sorted(bands)
    if any(low > high for low, high in bands) or any(a[1] > b[0] for a, b in pairwise(ordered)):
        return None
    return [(low, high) for low, high in bands]
