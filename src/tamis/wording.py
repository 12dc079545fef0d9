"""Lists and numbers inside sentences."""

from collections.abc import Sequence


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


def number(n: int) -> str:
    """A number in words up to twelve.

    >>> number(3), number(1200)
    ('three', '1,200')
    """
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    return words[n] if n < len(words) else f"{n:,}"
