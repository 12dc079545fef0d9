"""Values as people read them: numbers, intervals, shares, durations, and names that cannot disturb anything."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

#: Metrics in words; any other is its name with spaces.
METRIC_WORDS = {
    "cost": "mean cost",
    "r2": "R²",
    "mse": "mean squared error",
    "rmse": "root mean squared error",
    "mae": "mean absolute error",
    "mape": "mean absolute percentage error",
    "f1": "F1",
    "roc_auc": "area under the ROC curve",
    "brier": "Brier score",
    "poisson_deviance": "Poisson deviance",
    "mean_rank_error": "error in levels",
    "matthews": "Matthews correlation",
    "rare_recall": "recall of the rarest class",
}

#: A chart with more bars than this cannot be read; the table beside it holds all.
MOST_BARS = 25

#: Control characters, lone surrogates, line separators, and the characters that reorder the text after them (a name
#: must not turn round the sentence it stands in).
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")


#: A column whose whole numbers of four digits are years.
_YEAR = re.compile(r"(^|[\W_])year([\W_]|$)", re.IGNORECASE)


def number(value: float | None, decimals: int = 3) -> str:
    """A score: decimals for small values, four digits and thousands for large ones.

    >>> number(0.94736), number(-0.0001), number(28451.7), number(None)
    ('0.947', '0.000', '28,452', '–')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if abs(value) >= 1000:
        text = f"{value:,.0f}"
    elif abs(value) >= 10:
        text = f"{value:.4g}"
    elif value and abs(value) < 10**-decimals / 2 and decimals > 3:
        text = f"{value:.2g}"
    else:
        text = f"{value:.{decimals}f}"
    return _minus("0" + text[2:] if re.fullmatch(r"-0\.?0*", text) else text)


def signed(value: float | None, decimals: int = 3) -> str:
    """A difference, with its sign.

    >>> signed(0.0123), signed(-0.02), signed(0)
    ('+0.012', '−0.020', '0.000')
    """
    text = number(value, decimals)
    return f"+{text}" if value is not None and value > 0 and any(c in text for c in "123456789") else text


def interval(pair: Iterable[float] | None, decimals: int = 3) -> str:
    """Two ends of an interval.

    >>> interval([0.92, 0.971]), interval([-0.1, 0.2])
    ('0.920–0.971', '−0.100 to 0.200')
    """
    if pair is None:
        return "–"
    low, high = pair
    joint = " to " if low < 0 or high < 0 else "–"
    return f"{number(low, decimals)}{joint}{number(high, decimals)}"


def share(value: float) -> str:
    """A part of the whole, in per cent.

    >>> share(0.625), share(0.0004), share(0.9996)
    ('62.5%', '<0.1%', '>99.9%')
    """
    if 0 < value < 0.0005:
        return "<0.1%"
    if 0.9995 <= value < 1:
        return ">99.9%"
    return f"{100 * value:.1f}".removesuffix(".0") + "%"


def percent(value: float) -> str:
    """A share that may be below 0, in per cent.

    >>> percent(0.1234), percent(-0.02)
    ('12.3%', '−2.0%')
    """
    return _minus(f"{100 * value:.1f}%".replace("-0.0%", "0.0%"))


def p_value(value: float) -> str:
    """A p-value with its sign of comparison.

    >>> p_value(0.0312), p_value(1e-7), p_value(0.9)
    ('= 0.031', '< 0.001', '= 0.90')
    """
    return "< 0.001" if value < 0.001 else f"= {value:.3f}" if value < 0.1 else f"= {value:.2f}"


def count(n: int, singular: str, plural: str | None = None) -> str:
    """A number of things.

    >>> count(1, "row"), count(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{n:,} {singular if n == 1 else plural or singular + 's'}"


def number_word(n: int) -> str:
    """A number of things inside a sentence.

    >>> number_word(0), number_word(3)
    ('none', '3')
    """
    return f"{n:,}" if n else "none"


def metric(name: str) -> str:
    """A metric in words.

    >>> metric("balanced_accuracy"), metric("neg_mse")
    ('balanced accuracy', 'negated mean squared error')
    """
    if name.endswith(")"):  # a function
        return name
    word = name.removeprefix("neg_")
    words_of_metric = METRIC_WORDS.get(word, word.replace("_", " "))
    return f"negated {words_of_metric}" if name.startswith("neg_") else words_of_metric


def short_metric(name: str) -> str:
    """A metric as the head of a narrow column.

    >>> short_metric("roc_auc"), short_metric("accuracy")
    ('ROC AUC', 'accuracy')
    """
    return {"roc_auc": "ROC AUC", "balanced_accuracy": "balanced", "rare_recall": "recall, rarest"}.get(
        name, metric(name)
    )


def name(text: object) -> str:
    r"""A name in which every character can be seen: control characters are written as escapes.

    >>> print(name("two" + chr(10) + "lines"))
    two\nlines
    """
    return _UNSEEN.sub(_escape, str(text))


def procedure(text: str) -> str:
    """A procedure as the page calls it; one held to few columns with their number.

    >>> procedure("formula[5]"), procedure("lasso")
    ('formula, 5 columns', 'lasso')
    """
    base, _, size_text = text.partition("[")
    if not size_text.endswith("]") or not size_text[:-1].isdigit():
        return name(text)
    return f"{name(base)}, {count(int(size_text[:-1]), 'column')}"


def parts(kinds: Sequence[str], n_learned: int | None) -> str:
    """Why models see more columns than are used; nothing where they see as many.

    >>> parts(["numeric", "date"], 5)
    'Models see 5 columns: a date counts by its parts, such as year and elapsed days.'
    >>> parts(["numeric", "date"], 2), parts(["numeric"], None)
    ('', '')
    """
    if n_learned is None or n_learned <= len(kinds):
        return ""
    reasons = ["a date counts by its parts, such as year and elapsed days"] if "date" in kinds else []
    reasons += ["a text by its words"] if "text" in kinds else []
    return f"Models see {n_learned:,} columns: {' and '.join(reasons)}." if reasons else ""


def moment(value: float, name: str) -> str | None:
    """A number of a column of years or of days as people write it; None of any other column.

    >>> moment(2018.0, "begun (year)"), moment(17532.0, "begun (elapsed days)"), moment(2018.0, "price")
    ('2018', '2018-01-01', None)
    """
    if name.endswith("(elapsed days)") and abs(value) < 1e6:
        return str(np.datetime64(int(value), "D"))
    if _YEAR.search(name) and 1000 <= value <= 2999:
        return f"{value:.0f}"
    return None


def short(text: object, max_length: int = 40) -> str:
    """A name cut in the middle when it is long, for both its ends may be what tells it apart.

    >>> short("a" * 30 + "b" * 30, 11)
    'aaaaa…bbbbb'
    """
    printable = name(text)
    if len(printable) <= max_length:
        return printable
    head = max_length // 2
    return f"{printable[:head]}…{printable[head + 1 - max_length :]}"


def text(words: object) -> str:
    """Several lines of text in which every character can be seen; lines stay lines."""
    return "\n".join(name(line) for line in str(words).split("\n"))


def duration(seconds: float) -> str:
    """A time to wait, rounded as people say it.

    >>> duration(8), duration(200), duration(8000)
    ('8 s', '3 min 20 s', '2 h 13 min')
    """
    n_seconds = max(0, round(seconds))
    if n_seconds < 60:
        return f"{n_seconds} s"
    if n_seconds < 3600:
        return f"{n_seconds // 60} min {n_seconds % 60:02d} s"
    return f"{n_seconds // 3600} h {n_seconds % 3600 // 60:02d} min"


def _escape(match: re.Match[str]) -> str:
    return match.group().encode("unicode_escape").decode("ascii")


def _minus(text: str) -> str:
    return text.replace("-", "\u2212")


def ordinal(n: int) -> str:
    """The place of something in a row of things.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 22, 113)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '113th']
    """
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n:,}{ending}"
