"""What counts as a good ending: an answer, or one sentence of Tamis; anything else is a finding."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from tamis.errors import KindError, TamisError

#: Letters of a sentence; a damaged file or a strange name can hold megabytes.
MAX_LETTERS = 4_000

#: Words of Python and its libraries that tell a user nothing.
RAW = re.compile(
    r"Traceback|object has no attribute|NoneType|list index out|positional argument|codec can't|<class '|"
    r" object at 0x|unhashable|unsupported operand|invalid literal for|ArrowInvalid|ArrowNotImplemented|lseek|KeyError"
)


#: Sentences of scikit-learn that its own checks ask of estimators.
OF_SKLEARN = re.compile(
    r"Unknown label type: |Input (y|X|sample_weight) contains |y should be a 1d array|Found array with "
)


class Finding(AssertionError):
    """A bad ending."""


def check_sentence(message: str) -> None:
    """Raise a finding unless a message is one sentence in our words."""
    if not message.strip():
        raise Finding("an error without a word")
    if len(message) > MAX_LETTERS:
        raise Finding(f"a sentence of {len(message):,} letters: {message[:200]!r}")
    raw = RAW.search(message)
    if raw:
        raise Finding(f"raw words {raw[0]!r} in {message[:500]!r}")


@contextmanager
def good_ending() -> Iterator[list[str]]:
    """Take errors of Tamis as endings; the list holds the sentence of one. Other errors go through.

    A warning of arithmetic (NumPy's RuntimeWarning) is a finding: either the answer is right, or a sentence says why
    there is none.
    """
    said: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            yield said
        except (TamisError, KindError) as error:
            check_sentence(str(error))
            said.append(str(error))
        except ValueError as error:
            if not OF_SKLEARN.match(str(error)):
                raise
            said.append(str(error))
