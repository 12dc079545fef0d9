"""Combining criteria, by hand."""

import numpy as np
import pytest
from scipy.stats import zscore

from tamis.errors import ParameterError
from tamis.score import combine, diversity, rank_score, rank_score_graph

A, B, C = [0.9, 0.5, 0.1, 0.3], [10.0, 30.0, 20.0, 0.0], [1.0, 1.0, 0.0, -5.0]
RANKS = np.array([[1, 2, 4, 3], [3, 1, 2, 4], [1.5, 1.5, 3, 4]])


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("borda", (4 - RANKS).sum(axis=0)),
        ("mean", -RANKS.mean(axis=0)),
        ("median", -np.median(RANKS, axis=0)),
        ("best", -RANKS.min(axis=0)),
        ("reciprocal", (1 / RANKS).sum(axis=0)),
        ("standardised", np.mean([zscore(A), zscore(B), zscore(C)], axis=0)),
    ],
)
def test_each_way_by_hand(how, expected):
    """A way of combining would give another number than its definition."""
    assert combine([A, B, C], how) == pytest.approx(expected)


def test_ranks_do_not_care_how_scores_are_spread():
    """A criterion would win a combination of ranks by shouting."""
    loud = [np.exp(50 * np.array(A)), B]
    assert np.array_equal(combine([A, B]), combine(loud))
    assert not np.allclose(combine([A, B], "standardised"), combine(loud, "standardised"))


def test_a_flat_criterion_says_nothing():
    """A criterion that gives all columns the same score would make the combination NaN."""
    assert combine([[2.0, 2.0, 2.0], [1.0, 3.0, 2.0]], "standardised") == pytest.approx(zscore([1.0, 3.0, 2.0]) / 2)


@pytest.mark.parametrize(
    ("given", "how", "sentence"),
    [
        ([A, B], "bordo", r"how='bordo' is not known \(did you mean 'borda'\?\); give one of borda, mean"),
        ([], "borda", "there are no scores to combine"),
        ([A, [1.0]], "borda", r"the scores have lengths \[1, 4\]"),
        ([A, [np.nan] * 4], "borda", r"scores\[1\] has NaN"),
    ],
)
def test_bad_input_gets_a_sentence(given, how, sentence):
    """The user would not be told what to change."""
    with pytest.raises(ParameterError, match=sentence):
        combine(given, how)


def test_the_rank_score_curve_and_its_diversity():
    """The graph would not show how fast scores fall with rank, or call like shapes unlike."""
    assert rank_score([5.0, 1.0, 3.0]).tolist() == [1.0, 0.5, 0.0]
    assert rank_score([2.0, 2.0]).tolist() == [0.0, 0.0]
    assert diversity(A, np.array(A)[::-1] * 7 + 2) == pytest.approx(0)
    steep, flat = np.array([1.0, 0.0, 0.0, 0.0]), np.array([1.0, 1.0, 1.0, 0.0])
    assert diversity(steep, flat) == pytest.approx(np.sqrt(2 / 4))


def test_the_graph_has_a_curve_for_each_criterion():
    """A criterion would be missing from the picture."""
    chart = rank_score_graph({"one": A, "two": B})
    assert [item.label.value for item in chart.legend[0].items] == ["one", "two"]
    curves = [renderer.data_source.data["y"].tolist() for renderer in chart.renderers[::2]]
    assert curves == [rank_score(A).tolist(), rank_score(B).tolist()]


@pytest.mark.parametrize("how", ["borda", "mean", "median", "best", "reciprocal", "standardised"])
def test_a_weight_counts_copies_of_a_criterion(how):
    """A criterion of weight 3 would not count as three criteria that agree."""
    copies = combine([A, A, A, B, C, C], how)
    assert combine([A, B, C], how, weights=[3, 1, 2]) == pytest.approx(copies)
    assert combine([A, B, C], how, weights=[1, 0, 0]) == pytest.approx(combine([A], how))


@pytest.mark.parametrize("weights", [[1, 2], [1, -1, 1], [0, 0, 0], [1, np.nan, 1], "abc"])
def test_bad_weights_get_a_sentence(weights):
    """A weight too many, below 0 or missing would change the order silently."""
    with pytest.raises(ParameterError, match="3 criteria; give one number of 0 or more for each"):
        combine([A, B, C], weights=weights)


def test_diversity_of_ranks_tells_different_orders_apart():
    """Two criteria that order the columns differently would count as alike because their scores fall alike."""
    assert diversity([3.0, 2.0, 1.0], [1.0, 2.0, 3.0]) == 0
    assert diversity([3.0, 2.0, 1.0], [1.0, 2.0, 3.0], of="ranks") == 1
    assert diversity(A, np.exp(A), of="ranks") == pytest.approx(0)
    with pytest.raises(ParameterError, match="of='order'"):
        diversity(A, B, of="order")
