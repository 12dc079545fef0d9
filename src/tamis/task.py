"""What kind of target is predicted: the words of `task`, in one place."""

import warnings
from typing import Any, Final

from tamis.check import one_of

__all__ = [
    "CLASSIFICATION",
    "COUNT",
    "ORDINAL",
    "REGRESSION",
    "TASKS",
    "predicts_classes",
    "predicts_numbers",
    "read_task",
    "task_named",
]

CLASSIFICATION: Final = "classification"
REGRESSION: Final = "regression"
COUNT: Final = "count"
ORDINAL: Final = "ordinal"

#: The words that `task` takes.
TASKS: Final = (CLASSIFICATION, REGRESSION, COUNT, ORDINAL)

#: What the tasks were called in earlier versions.
FORMER: Final = {"classes": CLASSIFICATION, "numbers": REGRESSION}


def predicts_classes(task: str) -> bool:
    """Whether the target has classes, ordered or not, and models predict probabilities of them.

    >>> predicts_classes("classification"), predicts_classes("count")
    (True, False)
    """
    return task in (CLASSIFICATION, ORDINAL)


def predicts_numbers(task: str) -> bool:
    """Whether the target is a number, a count or not."""
    return task in (REGRESSION, COUNT)


def task_named(task: Any, name: str = "task") -> str:
    """The task of a word that a user gave; a former word works, with a warning.

    >>> task_named("regression")
    'regression'
    """
    if isinstance(task, str) and task in FORMER:
        word = FORMER[task]
        warnings.warn(f"{name}={task!r} is now called {word!r}; give {name}={word!r}", FutureWarning, stacklevel=3)
        return word
    return one_of(name, task, TASKS)


def read_task(saved: Any) -> str:
    """The task of a word in a saved file, whichever version wrote it.

    >>> read_task("classes")
    'classification'
    """
    return one_of("task", FORMER.get(saved, saved) if isinstance(saved, str) else saved, TASKS)
