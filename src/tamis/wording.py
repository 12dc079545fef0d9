"""Lists and numbers inside sentences, and small tables for notebooks."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from numbers import Real
from typing import Any


def listed(words: Sequence[str]) -> str:
    """All words, the last behind "and".

    >>> listed(["age"]), listed(["age", "sex", "bmi"])
    ('age', 'age, sex and bmi')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def first_few(words: Sequence[str], max_words: int) -> str:
    """The first words, and how many others there are.

    >>> first_few(["age", "sex"], 2), first_few(["age", "sex", "bmi"], 2)
    ('age, sex', 'age, sex and 1 more')
    """
    n_others = len(words) - max_words
    return ", ".join(words[:max_words]) + (f" and {n_others:,} more" if n_others > 0 else "")


def minus(figure: str) -> str:
    """A figure with the sign of subtraction, not with a hyphen.

    >>> minus("-0.01")
    '−0.01'
    """
    return figure.replace("-", "−")


def span(low: str, high: str) -> str:
    """The ends of an interval, "to" between them where a sign would run into the dash.

    >>> span("0.002", "0.024"), span("-0.002", "0.02")
    ('0.002–0.024', '−0.002 to 0.02')
    """
    is_signed = low.startswith(("-", "−")) or high.startswith(("-", "−"))
    return minus(f"{low}{' to ' if is_signed else '–'}{high}")


def two(value: float) -> str:
    """Two decimals, or four significant digits for sizes that two decimals would not fit; no minus before a zero.

    >>> two(-0.002), two(12345.6)
    ('0.00', '12,346')
    """
    return minus(f"{value:z.2f}" if abs(value) < 10 else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}")


def three(value: float) -> str:
    """Three decimals, or four significant digits for sizes that they would not fit."""
    return minus(f"{value:z.3f}") if abs(value) < 10 else two(value)


def number(n: int) -> str:
    """A number in words up to twelve.

    >>> number(3), number(1200)
    ('three', '1,200')
    """
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    return words[n] if n < len(words) else f"{n:,}"


#: Lines of a table in a notebook; longer ones are cut, and say so.
MAX_LINES = 30


def html_table(caption: str, lines: Iterable[Mapping[str, Any]], max_lines: int = MAX_LINES) -> str:
    """Lines of equal keys as a table for a notebook, every text escaped.

    >>> html_table("Two columns", [{"column": "<age>", "score": 0.25}])
    '<table><caption>Two columns</caption><tr><th>column</th><th>score</th></tr><tr><td>&lt;age&gt;</td><td \
style="text-align:right">0.25</td></tr></table>'
    """
    listed = list(lines)
    heads = "".join(f"<th>{escape(str(name))}</th>" for name in (listed[0] if listed else ()))
    rows = "".join(f"<tr>{''.join(map(_cell, line.values()))}</tr>" for line in listed[:max_lines])
    left = len(listed) - max_lines
    more = f"<tr><td>… and {left:,} more</td></tr>" if left > 0 else ""
    return f"<table><caption>{escape(caption)}</caption><tr>{heads}</tr>{rows}{more}</table>"


def _cell(value: Any) -> str:
    if isinstance(value, Real) and not isinstance(value, bool):
        as_float = float(value)
        text = f"{as_float:,.0f}" if as_float.is_integer() and abs(as_float) < 1e15 else f"{as_float:.4g}"
        return f'<td style="text-align:right">{text}</td>'
    return f"<td>{escape('' if value is None else str(value))}</td>"
