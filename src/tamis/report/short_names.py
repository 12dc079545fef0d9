"""Names of any length in pages and sentences: beyond some letters they are cut in the middle, everywhere alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tamis.report import show

#: Letters of a name, and of any other text, beyond which it is cut.
LONGEST_NAME, LONGEST_TEXT = 150, 20_000

#: Where results, plans and ledgers hold names of columns, levels and classes; keys that are longer are names, too.
_HOLDERS = {
    *("name", "names", "column", "columns", "label", "labels", "classes", "levels", "level", "selected", "target"),
    *("of", "drop", "groups", "time", "term", "terms"),
}


def with_short_names(facts: Any) -> Any:
    """Plain values in which long names of columns, levels and classes are short, also within sentences.

    >>> len(with_short_names({"columns": ["a" * 1000], "words": "uses " + "a" * 1000})["words"])
    85
    """
    names = sorted(dict.fromkeys(_long_names(facts)), key=len, reverse=True)
    if not names and not _has_long_text(facts):
        return facts
    return _replaced(facts, _short_forms(names))


def _short_forms(names: list[str]) -> dict[str, str]:
    """Each name -> a short one; names that differ in the middle alone get a number."""
    forms: dict[str, str] = {}
    taken: dict[str, int] = {}  # short form -> the last number of those like it
    for name in names:
        usual = short = show.short(name, 80)
        while short in taken:
            taken[usual] += 1
            short = f"{usual} ({taken[usual]})"
        taken[short] = 1
        forms[name] = short
    return forms


def _long_names(facts: Any, holder: str = "") -> Iterator[str]:
    if isinstance(facts, dict):
        for key, value in facts.items():
            if isinstance(key, str) and len(key) > LONGEST_NAME:
                yield key
            yield from _long_names(value, str(key)[:20])
    elif isinstance(facts, (list, tuple)):
        for value in facts:
            yield from _long_names(value, holder)
    elif isinstance(facts, str) and len(facts) > LONGEST_NAME and holder in _HOLDERS:
        yield facts


def _has_long_text(facts: Any) -> bool:
    if isinstance(facts, dict):
        return any(map(_has_long_text, facts.values()))
    if isinstance(facts, (list, tuple)):
        return any(map(_has_long_text, facts))
    return isinstance(facts, str) and len(facts) > LONGEST_TEXT


def _replaced(facts: Any, forms: dict[str, str]) -> Any:
    if isinstance(facts, dict):
        return {_replaced(key, forms): _replaced(value, forms) for key, value in facts.items()}
    if isinstance(facts, (list, tuple)):
        return [_replaced(value, forms) for value in facts]
    if not isinstance(facts, str) or len(facts) <= LONGEST_NAME:
        return facts
    if facts in forms:  # a name by itself, as most are; sentences are searched for every name
        return forms[facts]
    for name, short in forms.items():
        facts = facts.replace(name, short)
    return facts if len(facts) <= LONGEST_TEXT else f"{facts[:LONGEST_TEXT]}…"
