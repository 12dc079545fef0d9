"""What users give as `cv`: splitters and pairs."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold

from tamis.errors import KindError, ParameterError
from tamis.split.pairs import is_whole, pairs_of, refuse_overlap


def test_a_splitter_is_asked_with_target_and_groups():
    """Groups would be torn apart by a splitter that never saw them."""
    groups = np.array([0, 0, 1, 1, 2, 2])
    expected = list(GroupKFold(3).split(np.zeros((6, 1)), None, groups))
    found = pairs_of(GroupKFold(3), 6, groups=groups)
    assert all(np.array_equal(a, b) for pair, other in zip(found, expected, strict=True) for a, b in zip(pair, other))


def test_masks_and_positions_are_the_same_rows():
    """A mask of rows would be read as the positions 0 and 1."""
    train, test = np.array([True, True, False]), np.array([False, False, True])
    masks, places = pairs_of([(train, test)], 3)[0], pairs_of([([0, 1], [2])], 3)[0]
    assert [part.tolist() for part in masks] == [part.tolist() for part in places]


def test_a_generator_of_pairs_will_do():
    """Pairs that can be read only once would be empty at the second reading."""
    made = pairs_of(((a, b) for a, b in KFold(2).split(np.zeros((4, 1)))), 4)
    assert [test.tolist() for _, test in made] == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("cv", "kind", "sentence"),
    [
        ("five", KindError, "no number, splitter"),
        (0.5, KindError, "no number, splitter"),
        ([], ParameterError, "no .train, test. pair"),
        ([3], KindError, "fold 0 of cv is 3"),
        ([([0], [])], ParameterError, "test rows of fold 0"),
        ([([0], [4])], ParameterError, "holds the position 4"),
        ([([-1], [2])], ParameterError, "holds the position -1"),
        ([([0.5], [2])], ParameterError, "train rows of fold 0"),
    ],
)
def test_what_is_no_pair_is_refused(cv, kind, sentence):
    """Rows that do not exist would be an IndexError deep in a solver."""
    with pytest.raises(kind, match=sentence):
        pairs_of(cv, 4)


def test_a_row_on_both_sides_is_refused():
    """A row would judge the model that learned from it."""
    with pytest.raises(ParameterError, match="position 1 in both"):
        refuse_overlap(pairs_of([([0, 1], [1, 2])], 3))


@pytest.mark.parametrize("cv", [True, np.bool_(True), 2.0, "2", None])
def test_only_whole_numbers_are_numbers_of_folds(cv):
    """cv=True would be one fold."""
    assert not is_whole(cv)
