"""The cuts of entropy and description length against the paper's procedure, written out slowly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from tests.transform.discretize import textbook

from tamis import _core
from tamis.transform.discretize.cuts import class_cuts

MOST = 1000


def cuts(values, labels):
    values, labels = np.asarray(values, dtype=float), np.asarray(labels, dtype=np.int32)
    return class_cuts(values, labels, int(labels.max()) + 1, MOST)


def test_the_published_cuts_of_iris():
    """Iris is cut at 2.45 and 4.75 (petal length) and at 0.8 and 1.75 (petal width) everywhere."""
    X, y = load_iris(return_X_y=True)
    np.testing.assert_allclose(cuts(X[:, 2], y), [2.45, 4.75])
    np.testing.assert_allclose(cuts(X[:, 3], y), [0.8, 1.75])


def test_a_cut_worked_out_by_hand():
    """The gain of 1 bit pays for (log2 5 + log2 7 - 2) / 6 = 0.52 bits; in 0 1 0 1 a gain of 0.31 does not for 1.06."""
    np.testing.assert_array_equal(cuts([1, 2, 3, 4, 5, 6], [0, 0, 0, 1, 1, 1]), [3.5])
    assert not len(cuts([1, 2, 3, 4], [0, 1, 0, 1]))


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_real_tables_are_cut_as_the_paper_does(load):
    """A shortcut of the kernel (boundaries only, tables of n log n) would change a cut."""
    X, y = load(return_X_y=True)
    for j in range(X.shape[1]):
        np.testing.assert_allclose(cuts(X[:, j], y), textbook.class_cuts(X[:, j].tolist(), y.tolist()), rtol=1e-15)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), min_size=2, max_size=40),
)
def test_any_short_column_is_cut_as_the_paper_does(rows):
    """Ties, single classes or a class at one end would be treated otherwise."""
    values, labels = zip(*rows)
    labels = np.unique(labels, return_inverse=True)[1].tolist()
    np.testing.assert_allclose(cuts(values, labels), textbook.class_cuts([float(v) for v in values], labels))


@pytest.mark.parametrize("weight", [0.0, 1.0, 4.0])
def test_a_long_column_is_cut_as_the_paper_does(weight):
    """Buckets of rows that are never sorted would hide the best cut."""
    rng = np.random.default_rng(int(weight))
    x = np.round(rng.normal(size=2500), 1)
    y = np.digitize(weight * np.sin(2 * x) + rng.normal(size=2500), [-1.0, 1.0])
    np.testing.assert_allclose(cuts(x, y), textbook.class_cuts(x.tolist(), y.tolist()), rtol=1e-15)


@pytest.mark.parametrize("n_classes", [2, 3, 9])
@pytest.mark.parametrize(
    "of", [np.asarray, np.exp, np.floor, lambda x: x + 1e8], ids=["normal", "skewed", "ties", "far"]
)
def test_buckets_change_no_cut(of, n_classes):
    """Rows that are left unsorted would have a say in the cuts: all rows sorted give the same."""
    rng = np.random.default_rng(n_classes)
    x = rng.normal(scale=4.0, size=20_000)
    y = np.clip(np.floor((np.sin(x) + rng.normal(size=len(x)) + 3) / 6 * n_classes), 0, n_classes - 1)
    found = cuts(of(x), y)
    counts = np.arange(len(x) + 1.0)
    nlogn = counts * np.log2(np.maximum(counts, 1))
    of_sorted = _core.entropy_cuts(of(x), y.astype(np.int32), n_classes, nlogn, 10**6, sorted_rows=10**9)
    np.testing.assert_array_equal(found, np.sort(of_sorted))
    assert len(found) > 3


def test_few_cuts_are_those_of_the_largest_gain():
    """A limit would keep the leftmost cuts instead of the best."""
    x = np.arange(300.0)
    labels = np.where(x < 20, 0, np.where(x < 150, 1, 2))
    assert len(cuts(x, labels)) == 2
    np.testing.assert_array_equal(class_cuts(x, labels.astype(np.int32), 3, 1), [149.5])


def test_noise_is_not_cut():
    """Description length would not stop at chance."""
    rng = np.random.default_rng(0)
    found = [len(cuts(rng.normal(size=500), rng.integers(0, 2, 500))) for _ in range(100)]
    assert np.mean(found) < 0.1


def test_a_cut_between_neighbours_in_floating_point_parts_them():
    """The middle of two numbers without one between would put both on one side."""
    low = 1.0
    high = np.nextafter(low, 2)
    cut = cuts([low] * 20 + [high] * 20, [0] * 20 + [1] * 20)
    assert low <= cut[0] < high
