"""Rows needed before a study: the published examples of Riley and others, and errors with a way out."""

import pytest

from tamis.errors import ParameterError
from tamis.evaluate import sample_size
from tamis.evaluate.sample_size import r2_of_c_statistic


def test_two_classes_as_published():
    """24 parameters, R² 0.288, prevalence 0.174: 623, 662 and 221 rows, 116 events (manual of pmsampsize)."""
    found = sample_size(24, r2=0.288, prevalence=0.174)
    assert list(found.criteria.values()) == [623, 662, 221]
    assert (found.rows, found.events) == (662, 116)


def test_numbers_as_published():
    """25 parameters, R² 0.2, mean 1.9, standard deviation 0.6: 918, 401 and 259 rows (manual of pmsampsize)."""
    found = sample_size(25, r2=0.2, mean=1.9, sd=0.6)
    assert list(found.criteria.values())[:3] == [918, 401, 259]
    assert found.rows == 918


def test_the_r2_of_a_c_statistic_is_that_of_many_simulated_rows():
    """Ten million rows of a normal linear predictor give the R² that the integral gives."""
    assert r2_of_c_statistic(0.89, 0.174) == pytest.approx(0.288, abs=0.005)
    assert r2_of_c_statistic(0.501, 0.3) == pytest.approx(0, abs=1e-4)
    assert sample_size(24, c_statistic=0.89, prevalence=0.174).rows == pytest.approx(662, abs=6)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"r2": 0.7, "prevalence": 0.1}, "r2=0.7 is too large: with prevalence=0.1"),
        ({"prevalence": 0.1}, "give either r2 or c_statistic"),
        ({}, "r2 is not given"),
        ({"c_statistic": 0.8}, "c_statistic is given without prevalence"),
        ({"r2": 0.2, "prevalence": 10}, "prevalence=10"),
    ],
)
def test_what_cannot_be_is_refused(given, words):
    """A percentage for a share, or an impossible R², would give a number of rows that means nothing."""
    with pytest.raises(ParameterError, match=words):
        sample_size(12, **given)
