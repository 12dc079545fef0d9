"""Every exception and warning Tamis raises.

ValueError
└── TamisError          something the user gave cannot be used as it is
    ├── TableError      a file, a table, a column or a row
    │   └── MissingValueError  a value is missing where none may be
    ├── ParameterError  an argument of a function, an estimator or a command
    │   └── RepeatedFoldsError  folds cannot be drawn once more without repeating themselves
    ├── StudyError      a study folder, its journal, its lock
    │   └── UnwritableError  a file cannot be written
    ├── EngineError     a cluster cannot be reached, or was lost
    └── DamagedError    something saved does not hold what it should
TypeError
└── KindError           a column or value of a kind the method cannot take
ImportError
└── CoreError           the compiled core is missing, or older than its sources
UserWarning
└── TamisWarning        the answer stands, but the user should know something about it
    └── NotConverged    a solver stopped before its stated gap

Each carries one sentence: what was received, where, and the way out.
"""


class TamisError(ValueError):
    """Something the user gave cannot be used as it is."""


class TableError(TamisError):
    """A file, a table, a column or a row cannot be used as it is."""


class MissingValueError(TableError):
    """A value is missing where none may be."""


class ParameterError(TamisError):
    """An argument is outside what the method takes."""


class RepeatedFoldsError(ParameterError):
    """Folds cannot be drawn as often as asked without repeating themselves."""


class StudyError(TamisError):
    """A study folder, its journal or its lock stands in the way."""


class UnwritableError(StudyError):
    """A file cannot be written."""


class EngineError(TamisError):
    """A cluster cannot be reached, or was lost."""


class DamagedError(TamisError):
    """Something that was saved does not hold what it should; the way out may be another for what it is part of."""

    without_way_out: str = ""


class KindError(TypeError):
    """A column or value is of a kind the method cannot take."""


class CoreError(ImportError):
    """The compiled core is missing, or older than its sources."""


class TamisWarning(UserWarning):
    """The answer stands, but the user should know something about it."""


class NotConverged(TamisWarning):
    """A solver stopped before its stated gap."""


def shortened(words: str, max_length: int = 200) -> str:
    """Words cut in the middle where they are long: a damaged file can hold megabytes in place of a name.

    >>> shortened("a" * 30 + "b" * 30, 11)
    'aaaaa…bbbbb'
    """
    tail = max_length - max_length // 2 - 1
    return words if len(words) <= max_length else f"{words[: max_length // 2]}…{words[-tail:]}"


def cause(error: BaseException) -> str:
    """What another library says is wrong, as a part of a sentence: its first line, shortened.

    >>> cause(ValueError("no number.\\nAt line 3")), cause(KeyError())
    ('no number', 'KeyError')
    """
    return shortened((str(error).strip().splitlines() or [type(error).__name__])[0].rstrip("."))
