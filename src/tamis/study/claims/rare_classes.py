"""Classes with fewer rows than there are folds: learned all the same, made one class, or left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tamis.errors import TableError

#: What rare classes are called when they are made one.
MERGED = "other"


@dataclass(frozen=True, eq=False)
class Rare:
    """What became of the rare classes.

    Attributes
    ----------
    how : "keep", "merge" or "drop".
    classes : the rare classes with their rows, as (label, rows).
    labels, codes : the target afterwards.
    is_used : which of the rows are still there.
    merged : label -> the label it is read as.
    """

    how: str
    classes: tuple[tuple[Any, int], ...]
    labels: tuple[Any, ...]
    codes: np.ndarray
    is_used: np.ndarray
    merged: dict[Any, Any]

    @property
    def rows(self) -> int:
        """Rows of the rare classes."""
        return sum(rows for _, rows in self.classes)


def settled(labels: tuple[Any, ...], codes: np.ndarray, fewest: int, how: str, name: str) -> Rare:
    """The target with its rare classes kept, merged or dropped.

    Parameters
    ----------
    labels, codes : the classes and the class of every row.
    fewest : a class with fewer rows is rare.
    how : "keep", "merge" or "drop".
    name : of the target, for the sentence when nothing is left to tell apart.

    >>> rare = settled(("a", "b", "c", "d"), np.array([0, 0, 0, 1, 1, 1, 2, 3]), 3, "merge", "y")
    >>> rare.labels, rare.codes.tolist()
    (('a', 'b', 'other'), [0, 0, 0, 1, 1, 1, 2, 2])
    """
    counts = np.bincount(codes, minlength=len(labels))
    is_rare = counts < fewest
    classes = tuple((labels[code], int(counts[code])) for code in np.flatnonzero(is_rare))
    all_rows = np.ones(len(codes), dtype=bool)
    if how == "keep" or not is_rare.any() or (how == "merge" and is_rare.sum() < 2):
        _refuse_too_few(counts, labels, name, "drop the target's rare classes from the table, or join them")
        return Rare("keep" if how == "keep" else how, classes, labels, codes, all_rows, {})
    if how == "drop":
        is_used = ~is_rare[codes]
        left = np.flatnonzero(~is_rare)
        if len(left) < 2:
            raise TableError(
                f"rare='drop' leaves {len(left)} class(es) of the target {name!r} with at least {fewest} rows; "
                "give rare='keep' or 'merge'"
            )
        codes = np.searchsorted(left, codes[is_used])
        return Rare(how, classes, tuple(labels[code] for code in left), codes, is_used, {})
    return _merged(labels, codes, is_rare, classes, all_rows, name)


def _merged(
    labels: tuple[Any, ...], codes: np.ndarray, is_rare: np.ndarray, classes: Any, all_rows: np.ndarray, name: str
) -> Rare:
    word = MERGED
    while word in labels:
        word = f"{word} classes"
    left = [label for code, label in enumerate(labels) if not is_rare[code]]
    after = (*left, word)
    code_of = {label: code for code, label in enumerate(after)}
    recode = np.array([code_of[word] if is_rare[code] else code_of[label] for code, label in enumerate(labels)])
    codes = recode[codes]
    _refuse_too_few(np.bincount(codes), after, name, "give rare='keep'")
    return Rare("merge", classes, after, codes, all_rows, {label: word for label, _ in classes})


def _refuse_too_few(counts: np.ndarray, labels: tuple[Any, ...], name: str, way_out: str) -> None:
    """Something must be there to tell apart, and more than once; folds within folds need a third row."""
    if (counts >= 2).sum() < 2:
        alone = labels[int(np.argmin(counts))]
        raise TableError(
            f"the target {name!r} has {int((counts >= 2).sum())} class(es) with more than one unlocked row (class "
            f"{alone!r} has {int(counts.min())}), so nothing can be both learned and judged; {way_out}"
        )
    if counts.max() < 3:
        raise TableError(
            f"no class of the target {name!r} has more than {int(counts.max())} unlocked rows ({len(labels):,} classes "
            f"in {int(counts.sum()):,} rows), too few for folds; join classes, or give task='regression' for numbers"
        )
