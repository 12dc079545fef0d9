"""Folds: k of them, groups, time order, holdout, leave-one-out, bootstrap; all as lists of (train, test) positions."""

from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tamis.check import count, number, one_of
from tamis.engine.seed import seed_of
from tamis.errors import KindError, ParameterError, RepeatedFoldsError
from tamis.split.bootstrap import BootstrapSplit
from tamis.split.pairs import Folds, is_whole, pairs_of, refuse_overlap
from tamis.split.stratify import Stratified
from tamis.table import Classes, is_class_target
from tamis.table.like import TableLike
from tamis.typing import Folding

#: What `cv` may say in a word, beside a number of folds, a share of rows, a splitter or pairs.
WORDS = ("loo", "holdout", "bootstrap")

#: Draws of groups that are tried for a repeat that equals no earlier one.
ATTEMPTS = 20


def folds(
    cv: Any,
    y: Any,
    *,
    groups: Any = None,
    time: Any = None,
    classifier: bool | None = None,
    seed: int = 0,
    repeats: int = 1,
    X: Any = None,
    complete: bool = True,
) -> Folds:
    """The (train, test) row positions that `cv` stands for.

    Folds are shuffled by the seed and, for a class target, stratified. Groups are never torn apart. With `time`, models
    are trained on the past only: k + 1 stretches of rows, each but the first judged once by what came before it;
    rows of equal time stay together, and rows of a judged group are taken out of the past.

    Parameters
    ----------
    cv : a number of folds (None is 5), a share of rows to hold out (0.2), "loo", "holdout" (a fifth), "bootstrap" (25
        resamples, judged on the rows not drawn), a splitter of scikit-learn, or an iterable of (train, test) pairs.
    y : the target, or None when X says how many rows there are.
    groups, time : one value per row.
    classifier : stratify by class; by default when the target reads as classes.
    seed : fixes the shuffling.
    repeats : how often the whole split is drawn; no two draws of groups are the same.
    X : the table, for splitters that look at it.
    complete : refuse training rows that lack a class of the target.

    >>> [test.tolist() for train, test in folds(2, [1.5, 2.5, 3.5, 4.5])]
    [[2, 3], [0, 1]]
    """
    n_rows = len(y) if y is not None else X.shape[0]
    classes = _classes(y, classifier)
    group_codes = _codes("groups", groups, n_rows)
    moments = _codes("time", time, n_rows)
    count("repeats", repeats)
    if moments is not None:
        pairs = _in_time(cv, moments, group_codes, repeats)
    elif cv is None or isinstance(cv, (str, Real, np.integer, np.bool_)):
        pairs = _named(cv, n_rows, classes, group_codes, seed, repeats)
    else:
        pairs = _checked_pairs(cv, n_rows, y, group_codes, X, repeats)
    if complete and classes is not None:
        _refuse_missing_class(pairs, classes)
    return pairs


def _classes(y: ArrayLike, classifier: bool | None) -> Classes | None:
    if y is None or classifier is False or (classifier is None and not is_class_target(y)):
        return None
    return Classes.of(y)


def _codes(name: str, values: Any, n_rows: int) -> np.ndarray | None:
    """Groups or times as whole numbers in their own order."""
    if values is None:
        return None
    array = np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
    if array.ndim != 1 or len(array) != n_rows:
        shape = f"{len(array):,} values" if array.ndim == 1 else f"{array.ndim} dimensions"
        raise ParameterError(f"{name} has {shape}, but there are {n_rows:,} rows; give one value per row")
    exact = array.dtype.kind in "iub"
    holes = [] if exact else [row for row, value in enumerate(array.tolist()) if value is None or value != value]
    if holes:
        raise ParameterError(f"{name} has no value in row {holes[0] + 1:,}; give every row one, or leave the row out")
    try:
        return np.unique(array, return_inverse=True)[1]
    except TypeError as error:
        raise KindError(f"{name} mixes kinds that cannot be ordered ({error}); give values of one kind") from error


def _named(cv: Any, n_rows: int, classes: Classes | None, groups: np.ndarray | None, seed: int, repeats: int) -> Folds:
    """Folds for a number, a share or a word."""
    kind, size = _meaning(cv)
    if kind == "loo" and repeats > 1:
        raise ParameterError(f"repeats={repeats}, but leave-one-out has only one arrangement; give repeats=1")
    if kind == "folds":
        _refuse_few(int(size), n_rows, classes, groups)
    drawn: list[Folds] = []
    placeholder, target = np.zeros((n_rows, 1)), None if classes is None else classes.codes
    for repeat in range(repeats):
        for attempt in range(ATTEMPTS):
            number = seed_of(seed, "repeat", repeat, *([attempt] if attempt else []))
            splitter = _splitter(kind, size, classes is not None, groups is not None, number, varied=attempt > 0)
            try:
                pairs = [(np.asarray(a), np.asarray(b)) for a, b in splitter.split(placeholder, target, groups)]
            except ParameterError:
                raise
            except ValueError as error:
                raise ParameterError(f"cv={cv!r} cannot split these {n_rows:,} rows: {error}") from error
            if groups is None or not any(_are_equal(pairs, earlier) for earlier in drawn):
                break
        else:
            n_groups = len(np.unique(groups))  # type: ignore[arg-type]
            raise RepeatedFoldsError(
                f"repeats={repeats}, but {n_groups} groups have only {repeat} arrangement"
                f"{'' if repeat == 1 else 's'} in these folds; give repeats={repeat}"
            )
        drawn.append(pairs)
    return [pair for pairs in drawn for pair in pairs]


def _are_equal(pairs: Folds, earlier: Folds) -> bool:
    """Whether two draws have the same test rows, in whatever order of folds."""
    mine, theirs = ({tuple(np.sort(test).tolist()) for _, test in some} for some in (pairs, earlier))
    return mine == theirs


def _meaning(cv: Folding) -> tuple[str, float]:
    if cv is None:
        return "folds", 5
    if isinstance(cv, str):
        word = one_of("cv", cv, WORDS)
        return word, {"loo": 0, "holdout": 0.2, "bootstrap": 25}[word]
    if is_whole(cv):
        return "folds", count("cv", cv, low=2)
    return "holdout", number("cv", cv, low=0, high=1, open_low=True, open_high=True)


def _splitter(kind: str, size: float, by_class: bool, by_group: bool, seed: int, *, varied: bool = False) -> Any:
    from sklearn.model_selection import (
        GroupKFold,
        GroupShuffleSplit,
        KFold,
        LeaveOneGroupOut,
        LeaveOneOut,
        ShuffleSplit,
        StratifiedShuffleSplit,
    )

    if kind == "loo":
        return LeaveOneGroupOut() if by_group else LeaveOneOut()
    if kind == "bootstrap":
        return BootstrapSplit(int(size), random_state=seed)
    if kind == "holdout":
        if by_group:
            return GroupShuffleSplit(1, test_size=size, random_state=seed)
        return (StratifiedShuffleSplit if by_class else ShuffleSplit)(1, test_size=size, random_state=seed)
    if by_class:
        return Stratified(int(size), random_state=seed, varied=varied)
    return (GroupKFold if by_group else KFold)(int(size), shuffle=True, random_state=seed)


def _refuse_few(k: int, n_rows: int, classes: Classes | None, groups: np.ndarray | None) -> None:
    if k > n_rows:
        raise ParameterError(
            f"cv={k} folds need at least {k} rows, but there are only {n_rows} (n_samples={n_rows}); give fewer folds"
        )
    if groups is not None and k > groups.max() + 1:
        max_folds = int(groups.max()) + 1
        raise ParameterError(f"cv={k} folds, but there are only {max_folds} groups; give cv between 2 and {max_folds}")
    if classes is not None and classes.counts.max() < k:
        max_folds = int(classes.counts.max())
        if max_folds < 2:
            raise ParameterError(f"cv={k} folds, but no class has more than one row; give more rows, or fewer classes")
        raise ParameterError(
            f"cv={k} folds, but the largest class has only {max_folds} rows; give cv of at most {max_folds}"
        )


def _in_time(cv: Folding, moments: np.ndarray, groups: np.ndarray | None, repeats: int) -> Folds:
    """The past trains, the next stretch judges: an expanding window."""
    if repeats > 1:
        raise ParameterError(f"repeats={repeats}, but rows in time order have only one arrangement; give repeats=1")
    if not (cv is None or isinstance(cv, (str, Real, np.integer))):
        raise ParameterError(f"time is given together with cv={cv!r}; give cv as a number, or pairs without time")
    kind, size = _meaning(cv)
    if kind in ("loo", "bootstrap"):
        raise ParameterError(f"cv={cv!r} would train on the future; with time give a number of folds, or a share")
    n_rows = len(moments)
    order = np.argsort(moments, kind="stable")
    times = moments[order]
    k = int(size) if kind == "folds" else 1
    shares = np.arange(1, k + 1) / (k + 1) if kind == "folds" else np.array([1 - size])
    cuts = np.searchsorted(times, times[np.minimum((shares * n_rows).astype(int), n_rows - 1)], side="left")
    edges = np.append(cuts, n_rows)
    if cuts[0] == 0 or np.any(np.diff(edges) <= 0):
        raise ParameterError(
            f"cv={cv!r} cannot be cut from {int(times[-1]) + 1:,} different times; give fewer folds, or a finer time"
        )
    pairs = [(order[:a], order[a:b]) for a, b in pairwise(edges.tolist())]
    if groups is not None:
        pairs = [(train[~np.isin(groups[train], groups[test])], test) for train, test in pairs]
        if any(len(train) == 0 for train, _ in pairs):
            raise ParameterError("every group of the past comes again in a judged stretch; give fewer folds")
    return pairs


def _checked_pairs(
    cv: Folding, n_rows: int, y: ArrayLike, groups: np.ndarray | None, X: TableLike, repeats: int
) -> Folds:
    """Folds of a splitter or of an iterable of pairs, checked."""
    if repeats > 1:
        raise ParameterError(f"repeats={repeats}, but cv={cv!r} says itself what the folds are; give repeats=1")
    pairs = pairs_of(cv, n_rows, y, groups=groups, X=X)
    refuse_overlap(pairs)
    return pairs


def _refuse_missing_class(pairs: Folds, classes: Classes) -> None:
    for fold, (train, _) in enumerate(pairs):
        is_present = np.bincount(classes.codes[train], minlength=classes.n_classes) > 0
        if not is_present.all():
            absent = int(np.flatnonzero(~is_present)[0])
            label, rows = classes.labels[absent], int(classes.counts[absent])
            raise ParameterError(
                f"class {_label(label)} ({rows} row{'s' if rows > 1 else ''}) is missing from the training rows of "
                f"fold {fold}; give other folds, or merge the class with another"
            )


def _label(label: Any) -> str:
    return repr(label.item() if hasattr(label, "item") else label)


def folds_of_copies(cv: Folding, y: ArrayLike, copies: np.ndarray, **options: Any) -> Folds:
    """The folds that `cv` stands for (see `folds`), with no set of equal rows split between training and test rows.

    A number of folds, or a share, is drawn from the first rows of the sets, stratified by their class; this costs as
    much as folds of single rows. For a word the sets are groups; a splitter or pairs are taken as they are.

    Parameters
    ----------
    copies : one number a row, the same for equal rows.
    options : of `folds`, without groups.

    >>> [test.tolist() for train, test in folds_of_copies(2, [0.5, 1.5, 0.5, 2.5], np.array([0, 1, 0, 2]))]
    [[1, 3], [0, 2]]
    """
    if cv is not None and not isinstance(cv, (Real, np.integer)):
        return folds(cv, y, groups=copies if isinstance(cv, str) else None, **options)
    codes, first = np.unique(copies, return_index=True, return_inverse=True)[1:][::-1]
    pairs = folds(cv, np.asarray(y)[first], **options)
    return [(_rows(first[train], codes), _rows(first[test], codes)) for train, test in pairs]


def _rows(first: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """All rows of the sets of these rows."""
    member = np.zeros(int(codes.max()) + 1, dtype=bool)
    member[codes[first]] = True
    return np.flatnonzero(member[codes])
