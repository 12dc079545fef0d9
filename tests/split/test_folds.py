"""Folds: every row judged where it should be, never beside its own group or its future."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import KFold, StratifiedKFold

from tamis.errors import KindError, ParameterError
from tamis.split import folds

CLASSES = np.repeat([0, 1], [30, 10])
NUMBERS = np.linspace(0, 1, 40)


def covers(pairs, n):
    return np.array_equal(np.sort(np.concatenate([test for _, test in pairs])), np.arange(n))


def test_k_folds_judge_every_row_once_and_train_on_the_rest():
    """A row judged twice, or judged by a model that saw it, would make every score wrong."""
    pairs = folds(5, NUMBERS)
    assert covers(pairs, 40)
    for train, test in pairs:
        assert np.array_equal(np.sort(np.concatenate([train, test])), np.arange(40))


def test_folds_of_classes_are_stratified():
    """Folds without the rare class in its share would make class scores jump."""
    assert all(np.bincount(CLASSES[test]).tolist() == [6, 2] for _, test in folds(5, CLASSES))
    shares = [np.bincount(CLASSES[test], minlength=2).tolist() for _, test in folds(5, CLASSES, classifier=False)]
    assert shares != [[6, 2]] * 5


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("k", [9, 10, 11])
def test_no_fold_of_groups_is_empty(seed, k):
    """A fold without a row cannot be judged: scikit-learn gives one for a third of these seeds."""
    y, groups = np.repeat([2, 1, 0, 2, 3, 0, 1, 1, 3, 3, 0], 4), np.repeat(np.arange(11), 4)
    pairs = folds(k, y, groups=groups, seed=seed, classifier=True, complete=False)
    assert min(len(test) for _, test in pairs) > 0
    assert covers(pairs, 44)


@pytest.mark.parametrize("groups", [None, np.arange(23)])
def test_a_rare_class_is_split_without_a_warning(groups):
    """Warnings are filtered for a whole process: one that threads must hush now and then gets through."""
    y = np.repeat([0, 1, 2], [11, 10, 2])
    assert covers(folds(5, y, groups=groups), 23)


def test_repeats_draw_anew_and_the_seed_fixes_them():
    """Repeats that repeat the same folds add nothing; folds that wander spoil reproducibility."""
    pairs = folds(5, CLASSES, repeats=3, seed=1)
    assert len(pairs) == 15
    assert not np.array_equal(pairs[0][1], pairs[5][1])
    again = folds(5, CLASSES, repeats=3, seed=1)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(pairs, again))
    assert not np.array_equal(folds(5, CLASSES, seed=2)[0][1], pairs[0][1])


@pytest.mark.parametrize("cv", [4, 0.25, "loo", "bootstrap"])
@pytest.mark.parametrize("y", [CLASSES, NUMBERS])
def test_groups_are_never_torn_apart(cv, y):
    """The same patient in train and test is a leak."""
    groups = np.array([f"p{i}" for i in np.random.default_rng(0).permutation(np.repeat(np.arange(20), 2))])
    for train, test in folds(cv, y, groups=groups, complete=False):
        assert not set(groups[train]) & set(groups[test])
        assert len(train)
        assert len(test)


@pytest.mark.parametrize("make", [np.asarray, pd.Series, pl.Series])
def test_time_order_trains_on_the_past_only(make):
    """A model trained on the future of what it is judged on looks better than it will be."""
    stamps = np.random.default_rng(0).permutation(np.repeat(np.arange(20), 2)).astype("datetime64[D]")
    pairs = folds(4, NUMBERS, time=make(stamps.astype("datetime64[us]")))
    assert len(pairs) == 4
    for train, test in pairs:
        assert stamps[train].max() < stamps[test].min()
    assert [len(train) for train, _ in pairs] == [8, 16, 24, 32]
    assert np.array_equal(np.sort(np.concatenate([pairs[-1][0], pairs[-1][1]])), np.arange(40))


def test_time_holdout_is_the_latest_share_and_groups_leave_the_past():
    """The held-out stretch must be the end, without the groups that are judged in it."""
    ((train, test),) = folds(0.25, NUMBERS, time=np.arange(40), groups=np.tile(np.arange(20), 2))
    assert test.tolist() == list(range(30, 40))
    assert train.tolist() == [*range(10), *range(20, 30)]


def test_leave_one_out_holdout_and_bootstrap():
    """The words must mean what they say."""
    assert [test.tolist() for _, test in folds("loo", NUMBERS)] == [[i] for i in range(40)]
    ((train, test),) = folds("holdout", CLASSES)
    assert (len(train), np.bincount(CLASSES[test]).tolist()) == (32, [6, 2])
    pairs = folds("bootstrap", NUMBERS)
    assert len(pairs) == 25
    assert all(len(train) == 40 and not set(train) & set(test) for train, test in pairs)
    assert np.mean([len(test) for _, test in pairs]) == pytest.approx(40 * np.exp(-1), abs=1.5)


def test_a_splitter_and_pairs_are_taken_as_they_are():
    """A user's own folds must be used unchanged."""
    own = [(a, b) for a, b in StratifiedKFold(4).split(CLASSES[:, None], CLASSES)]
    for given in (StratifiedKFold(4), own, iter(own)):
        assert all(np.array_equal(a[1], b[1]) for a, b in zip(folds(given, CLASSES), own, strict=True))
    mask = np.arange(40) < 10
    ((train, test),) = folds([(~mask, mask)], NUMBERS)
    assert test.tolist() == list(range(10))
    assert len(train) == 30
    assert len(folds(KFold(3), None, X=np.zeros((9, 1)))) == 3


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"cv": 1}, ParameterError, "cv=1 is too small"),
        ({"cv": 41}, ParameterError, "only 40 (n_samples=40)"),
        ({"cv": True}, KindError, "cv=True must be a number"),
        ({"cv": 1.5}, ParameterError, "cv=1.5 is out of range"),
        ({"cv": "lou"}, ParameterError, "did you mean 'loo'"),
        ({"cv": object()}, KindError, "no number, splitter or list"),
        ({"cv": [(0, 1, 2)]}, KindError, "pairs of (train, test)"),
        ({"cv": [([0, 1], [1, 2])]}, ParameterError, "position 1 in both train and test"),
        ({"cv": [([0, 1], [40])]}, ParameterError, "holds the position 40"),
        ({"cv": [([0, 1], [])]}, ParameterError, "at least one row position"),
        ({"cv": []}, ParameterError, "no (train, test) pair"),
        ({"cv": 5, "groups": np.zeros(7)}, ParameterError, "groups has 7 values, but there are 40 rows"),
        ({"cv": 5, "groups": np.repeat([0, 1], 20)}, ParameterError, "only 2 groups"),
        ({"cv": 5, "groups": [None] * 40}, ParameterError, "groups has no value in row 1"),
        ({"cv": 5, "groups": ["a", 1] + ["b"] * 38}, KindError, "cannot be ordered"),
        ({"cv": 5, "time": np.repeat([0, 1], 20)}, ParameterError, "2 different times"),
        ({"cv": "loo", "time": np.arange(40)}, ParameterError, "train on the future"),
        ({"cv": KFold(3), "time": np.arange(40)}, ParameterError, "time is given together"),
        ({"cv": 5, "time": np.arange(40), "repeats": 2}, ParameterError, "only one arrangement"),
        ({"cv": "loo", "repeats": 2}, ParameterError, "only one arrangement"),
        ({"cv": KFold(3), "repeats": 2}, ParameterError, "repeats=2"),
        ({"cv": 5, "repeats": 0}, ParameterError, "repeats=0 is too small"),
    ],
)
def test_what_cannot_be_split_is_refused_in_one_sentence(arguments, error, says):
    """A user who gives folds that cannot be must be told which value is wrong, and what to give."""
    arguments = dict(arguments)
    groups = arguments.get("groups")
    if isinstance(groups, list) and "a" in groups:
        arguments["groups"] = np.array(groups, dtype=object)
    with pytest.raises(error) as caught:
        folds(arguments.pop("cv"), NUMBERS, **arguments)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_training_rows_without_a_class_are_refused_by_name():
    """A model that never saw a class cannot be judged on it."""
    y = np.array(["a"] * 20 + ["b"])
    with pytest.raises(ParameterError, match=r"class 'b' \(1 row\) is missing from the training rows of fold"):
        folds(5, y)
    assert len(folds(5, y, complete=False)) == 5
    with pytest.raises(ParameterError, match="largest class has only 3 rows"):
        folds(5, np.repeat(["a", "b"], 3))


def test_repeats_of_groups_differ_though_their_sizes_fix_the_order():
    """Groups of different sizes are placed largest first: without care every repeat is the same folds again."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(14), np.arange(3, 17))
    y = rng.integers(0, 2, len(groups))
    pairs = folds(5, y, groups=groups, classifier=True, repeats=4)
    draws = [frozenset(tuple(test.tolist()) for _, test in pairs[k : k + 5]) for k in range(0, 20, 5)]
    assert len(set(draws)) == 4
    assert max(len(test) for _, test in pairs) < 2 * len(y) / 5


def test_groups_that_allow_one_arrangement_are_not_repeated():
    """Five groups in five folds are the same folds every time; counting them thrice would narrow intervals."""
    with pytest.raises(ParameterError, match="5 groups have only 1 arrangement in these folds; give repeats=1"):
        folds(5, np.arange(50) % 2, groups=np.repeat(np.arange(5), 10), classifier=True, repeats=3)
