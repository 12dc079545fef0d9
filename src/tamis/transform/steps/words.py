"""Transforms written in words: "log,standardize", or "spectrum_*: smooth,derivative; age: clip(3),center".

    line    = part {";" part}
    part    = [columns ":"] step {"," step}
    columns = name {"," name}           a name may hold * and ?, and may stand in quotes
    step    = word ["(" argument {"," argument} ")"]
    argument = [key "="] value          a number, True, False, None, a list, or a word

A part without columns is about all of them.
"""

import ast
import re
from typing import Any

from tamis import check
from tamis.errors import KindError, ParameterError
from tamis.transform import __all__ as TRANSFORMS

#: What a word stands for: the transform of the same name.
WORDS = {re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower(): name for name in TRANSFORMS if name != "Transforms"}
ALL = ("*",)

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_STEP = re.compile(r"([A-Za-z][\w-]*)\s*(?:\((.*)\))?", re.DOTALL)

Part = tuple[tuple[str, ...], tuple[Any, ...]]


def read_steps(line: str) -> tuple[Part, ...]:
    """The parts of a line: patterns of column names, and the transforms of these columns in their order.

    >>> read_steps("log, standardize")
    ((('*',), (Log(below='lowest'), Standardize())),)
    >>> read_steps("age: clip(3), center; 'a;b', x*: rank(to=normal)")
    ((('age',), (Clip(bound=3), Center())), (('a;b', 'x*'), (Rank(to='normal'),)))
    """
    if not isinstance(line, str):
        raise KindError(f"transform={line!r} is no text; give words such as 'log,standardize'")
    steps = tuple(_read_part(text, line) for text in _split(line, ";", line) if text.strip())
    if not steps:
        raise ParameterError(f"transform={line!r} names no transform; give words such as 'log,standardize'")
    return steps


def _read_part(text: str, line: str) -> Part:
    halves = _split(text, ":", line)
    if len(halves) > 2:
        raise ParameterError(
            f"transform={line!r} has two colons in {text.strip()!r}; put ; between parts, and names with : in quotes"
        )
    columns = tuple(_unquoted(name) for name in _split(halves[0], ",", line)) if len(halves) == 2 else ALL
    if not all(columns):
        raise ParameterError(f"transform={line!r} has no name before a colon or comma; give columns: transforms")
    steps = [step for step in _split(halves[-1], ",", line) if step.strip()]
    if not steps:
        raise ParameterError(f"transform={line!r} names no transform in {text.strip()!r}; give columns: transforms")
    return columns, tuple(_transform(step.strip(), line) for step in steps)


def _transform(step: str, line: str) -> Any:
    match = _STEP.fullmatch(step)
    if match is None:
        raise ParameterError(f"transform={line!r}: {step!r} is no transform; write word or word(argument, key=value)")
    import tamis.transform

    word = match.group(1).replace("-", "_").lower()
    squeezed = {word_known.replace("_", ""): word_known for word_known in WORDS}
    word = squeezed.get(word.replace("_", ""), word)
    kind = getattr(tamis.transform, WORDS[check.one_of("transform", word, WORDS)])
    positional, named = _arguments(match.group(2) or "", step, line)
    if word == "log":  # a new value that has no logarithm must not end a study
        named.setdefault("below", "lowest")
    try:
        return kind(*positional, **named)
    except TypeError as error:
        word_known = ", ".join(kind._get_param_names()) or "no arguments"
        raise ParameterError(f"transform={line!r}: {step!r} does not fit; {word} takes {word_known}") from error


def _arguments(text: str, step: str, line: str) -> tuple[list[Any], dict[str, Any]]:
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for argument in _split(text, ",", line):
        if not argument.strip():
            continue
        key, equals, value = argument.partition("=")
        if equals and key.strip().isidentifier():
            named[key.strip()] = _value(value)
        else:
            positional.append(_value(argument))
    return positional, named


def _value(text: str) -> Any:
    """A number, truth value, None or list; anything else is a word."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return text.strip()


def _split(text: str, mark: str, line: str) -> list[str]:
    """The text between marks that stand neither in quotes nor in brackets."""
    pieces: list[str] = []
    closing: list[str] = []
    start, quote = 0, ""
    for index, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif (letter in "\"'" and not text[start:index].strip(" ,([=")) or (letter in "\"'" and closing):
            quote = letter
        elif letter in _CLOSING:
            closing.append(_CLOSING[letter])
        elif closing and letter == closing[-1]:
            closing.pop()
        elif letter == mark and not closing:
            pieces.append(text[start:index])
            start = index + 1
    if closing or quote:
        raise ParameterError(f"transform={line!r} does not close {(quote or closing[-1])!r}; add it")
    return [*pieces, text[start:]]


def _unquoted(name: str) -> str:
    name = name.strip()
    quoted = len(name) > 1 and name[0] == name[-1] and name[0] in "\"'"
    return name[1:-1] if quoted else name
