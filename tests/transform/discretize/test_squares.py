"""The cuts of a numeric target against the same criterion, written out slowly."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from tests.transform.discretize import textbook

from tamis.transform.discretize.cuts import number_cuts

MOST = 1000


def test_a_step_is_found_where_it_is():
    """20 rows, R = 20 and R' = 0 in units of the variance: 10 log 21 = 30 nats pay for log 19 + log(20) / 2 = 4.4."""
    np.testing.assert_array_equal(number_cuts(np.arange(20.0), np.repeat([1.0, 9.0], [12, 8]), MOST), [11.5])


def test_a_real_table_is_cut_as_the_criterion_says():
    """Running sums would change a cut."""
    X, y = load_diabetes(return_X_y=True)
    for j in range(X.shape[1]):
        expected = textbook.number_cuts(X[:, j].tolist(), y.tolist())
        np.testing.assert_allclose(number_cuts(X[:, j], y, MOST), expected, rtol=1e-12)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 15), st.integers(-50, 50)), min_size=2, max_size=40))
def test_any_short_column_is_cut_as_the_criterion_says(rows):
    """Ties or a constant target would be treated otherwise."""
    values, target = (np.array(part, dtype=float) for part in zip(*rows))
    expected = textbook.number_cuts(values.tolist(), target.tolist())
    np.testing.assert_allclose(number_cuts(values, target, MOST), expected)


def test_noise_is_not_cut():
    """Description length would not stop at chance."""
    rng = np.random.default_rng(0)
    found = [len(number_cuts(rng.normal(size=400), rng.normal(size=400), MOST)) for _ in range(200)]
    assert np.mean(found) < 0.05


def test_units_and_offsets_of_the_target_do_not_matter():
    """A target in grams would be cut otherwise than one in tonnes."""
    x = np.random.default_rng(1).normal(size=300)
    y = np.sin(2 * x)
    np.testing.assert_array_equal(number_cuts(x, y, MOST), number_cuts(x, 1e6 * y + 1e6, MOST))
    assert len(number_cuts(x, y, MOST)) > 2
