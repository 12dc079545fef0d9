"""How long a study will take: a rough figure before it runs; once it runs, its own pace tells."""

from __future__ import annotations

from tamis.task import predicts_classes

#: Seconds to start, and by fold: at least, and for each million cells that are learned from. Set by studies whose
#: times by the clock, kernels compiled, are in benchmarks/README.md: of the demo 9 are foretold and 7.5 to 10 were
#: measured, of ames 33 and 21.
START, FOLD, CLASSES, NUMBERS = 5.0, 0.4, 2.5, 30.0

#: Cells beyond which trees draw rows, so that a fold costs no more.
MOST_CELLS = 20_000_000


def forecast(rows: int, columns: int, folds: int, task: str) -> float:
    """Seconds, to within a factor of three.

    >>> round(forecast(455, 30, 10, "classification"))
    9
    """
    cells = min(rows * columns, MOST_CELLS) / 1e6
    return START + folds * (FOLD + cells * (CLASSES if predicts_classes(task) else NUMBERS))


def spoken(seconds: float) -> str:
    """A duration as people estimate it.

    >>> [spoken(s) for s in (8, 50, 100, 1000, 9000)]
    ['about 10 seconds', 'about a minute', 'about 2 minutes', 'about 17 minutes', 'about 2.5 hours']
    """
    if seconds < 45:
        return f"about {max(5, 5 * round(seconds / 5))} seconds"
    if seconds < 90:
        return "about a minute"
    if seconds < 5400:
        return f"about {round(seconds / 60)} minutes"
    return f"about {round(seconds / 1800) / 2:g} hours"
