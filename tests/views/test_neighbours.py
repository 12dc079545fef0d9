"""Neighbours: distances of mixed tables, and the nearest rows of each class, against a plain search."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from tamis.table import Table
from tamis.views.neighbours import Neighbours


@pytest.fixture(scope="module")
def numbers():
    return np.random.default_rng(0).normal(size=(549, 6))  # several tiles, the last one short


def _scaled(X):
    return (X - X.min(axis=0)) / np.ptp(X, axis=0)


def test_nearest_rows_are_those_of_a_full_distance_matrix(numbers):
    """A row would get neighbours that are not its nearest, or itself, or in another order."""
    D = cdist(_scaled(numbers), _scaled(numbers), "cityblock")
    np.fill_diagonal(D, np.inf)
    rows = np.arange(0, len(numbers), 3)
    found = Neighbours(Table.of(numbers)).nearest(rows, 7)[:, 0, 0]
    assert np.array_equal(found, np.argsort(D, axis=1)[rows, :7])


def test_nearest_of_each_class_for_several_targets(numbers):
    """Hits and misses of one target would be mixed up with another's, or with another class's."""
    D = cdist(_scaled(numbers), _scaled(numbers), "cityblock")
    np.fill_diagonal(D, np.inf)
    codes = np.random.default_rng(1).integers(0, 3, size=(2, len(numbers))).astype(np.int32)
    rows = np.array([0, 5, 300])
    found = Neighbours(Table.of(numbers)).nearest(rows, 4, codes, 3)
    for q, row in enumerate(rows):
        for t in range(2):
            for c in range(3):
                inside = np.flatnonzero(codes[t] == c)
                assert np.array_equal(found[q, t, c], inside[np.argsort(D[row, inside])[:4]])


def test_a_small_class_gives_what_it_has(numbers):
    """A class with fewer rows than neighbours would be filled with rows of other classes."""
    codes = np.zeros((1, 20), dtype=np.int32)
    codes[0, 3] = 1
    found = Neighbours(Table.of(numbers[:20])).nearest(np.array([3, 4]), 2, codes, 2)
    assert found[0, 0, 1].tolist() == [-1, -1]
    assert found[1, 0, 1].tolist() == [3, -1]


def test_equal_distances_go_to_the_first_row():
    """The neighbours of tied rows would depend on the order of the search."""
    found = Neighbours(Table.of([[0.0], [1.0], [1.0], [1.0]])).nearest(np.array([0, 3]), 2)[:, 0, 0]
    assert found.tolist() == [[1, 2], [1, 2]]


def test_mixed_columns_and_holes_follow_kononenkos_rule():
    """A missing value would not count as a draw from the values of its class."""
    frame = pd.DataFrame({"size": [0.0, 10.0, np.nan, 5.0], "colour": ["r", "g", None, "r"]})
    groups = np.array([0, 0, 1, 1], dtype=np.int32)
    view = Neighbours(Table.of(frame), groups, 2)
    holed, expected, between = view.points.holed, view.points.expected, view.points.between
    colour, size = int(np.flatnonzero(view.points.is_category)[0]), int(np.flatnonzero(~view.points.is_category)[0])
    assert holed.shape == (2, 4)
    # colour of class 1 is red in its only known row; of class 0 red or green
    assert expected[colour, 0].tolist() == [0.5, 0.0]
    assert expected[colour, 1].tolist() == [0.5, 1.0]
    assert between[colour].tolist() == [[0.5, 0.5], [0.5, 0.0]]
    # size over its range is 0, 1 in class 0 and 0.5 in class 1
    assert expected[size, 0].tolist() == [0.5, 0.5]
    assert expected[size, 3].tolist() == [0.5, 0.0]
    assert between[size].tolist() == [[0.5, 0.5], [0.5, 0.0]]


def test_expected_differences_are_means_over_the_pool():
    """The running sums would not give the mean difference to the values of a class."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=50)
    x[::7] = np.nan
    groups = rng.integers(0, 2, 50).astype(np.int32)
    points = Neighbours(Table.of(x[:, None]), groups, 2).points
    scaled = (x - np.nanmin(x)) / (np.nanmax(x) - np.nanmin(x))
    for i in np.flatnonzero(~np.isnan(x)):
        for g in range(2):
            assert points.expected[0, i, g] == pytest.approx(np.nanmean(np.abs(scaled[i] - scaled[groups == g])))


def test_an_empty_or_constant_column_adds_no_distance():
    """A column without information would push rows apart, or make distances NaN."""
    X = np.column_stack([np.arange(5.0), np.full(5, np.nan), np.full(5, 3.0)])
    assert Neighbours(Table.of(X)).nearest(np.arange(5), 1)[:, 0, 0, 0].tolist() == [1, 0, 1, 2, 3]


def test_huge_numbers_are_scaled_without_overflow():
    """The range of numbers near the largest double would overflow and make every distance NaN."""
    X = np.array([[-1.5e308], [1.5e308], [1.4e308]])
    assert Neighbours(Table.of(X)).nearest(np.arange(3), 1)[:, 0, 0, 0].tolist() == [2, 2, 1]
