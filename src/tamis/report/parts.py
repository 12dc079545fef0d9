"""Sentences in parts: a name or a command inside them is shown as what it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tamis.report import show
from tamis.results.results import Results

#: Names longer than this are cut inside a sentence; tables show them whole.
LONG_NAME = 60


def marked(words: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """The answer in parts, the names in it marked, so that each is shown by itself.

    >>> [part["text"] for part in marked("3 columns: age, bmi and sex. Good.", ["age", "bmi", "sex"])]
    ['3 columns: ', 'age', ', ', 'bmi', ' and ', 'sex', '. Good.']
    """
    start = words.find(f": {names[0]}") if names else -1  # the names stand in a list after a colon
    done = start + 2 if start >= 0 else 0
    pieces: list[dict[str, Any]] = [{"text": show.name(words[:done]), "is_name": False}]
    for name in names:
        if not words.startswith(str(name), done):
            break
        pieces.append({"text": show.short(name, LONG_NAME), "is_name": True, "whole": show.name(name)})
        done += len(str(name))
        joint = next((joint for joint in (", ", " and ") if words.startswith(joint, done)), "")
        pieces.append({"text": joint, "is_name": False})
        done += len(joint)
    pieces.append({"text": show.name(words[done:]), "is_name": False})
    return [piece for piece in pieces if piece["text"]]


def coded(words: str) -> list[dict[str, Any]]:
    """A sentence in parts, those between `ticks` marked as something to type.

    >>> coded("call `tamis open` once")[1]
    {'text': 'tamis open', 'is_code': True}
    """
    return [{"text": piece, "is_code": index % 2 == 1} for index, piece in enumerate(words.split("`"))]


def sentence(words: str) -> str:
    """Words as a sentence: a capital in front, a full stop behind.

    >>> sentence("no rows are locked")
    'No rows are locked.'
    """
    text = show.name(words).strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".") if text else ""


def ladder_note(results: Results) -> str:
    """Why the chosen row of the ladder has another score than the answer; nothing where they are shown alike."""
    chosen = next((rung.score for rung in results.ladder if rung.chosen and not rung.black_box), None)
    quoted = results.comparison.score
    if results.comparison.quotes_one or chosen is None or quoted is None or show.number(chosen) == show.number(quoted):
        return ""
    return (
        "A row's score counts the choice of its kind of model in every fold; the answer's score counts the choice of "
        "the number of columns, too."
    )
