import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from tamis.errors import ParameterError, TableError
from tamis.table import Classes, Table, categories
from tamis.views.bins import MOST, Bins, Coding

values = hnp.arrays(
    np.float64,
    st.integers(0, 60),
    elements=st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from([0.0, -0.0, 1.0, 2.0])),
)


@given(values)
@settings(max_examples=300, deadline=None)
def test_codes_are_the_ranks_of_distinct_values(x):
    """If this fails, binning loses order or merges values: every split and every score is wrong."""
    bins = Bins.of(x.reshape(-1, 1))
    present = ~np.isnan(x)
    distinct, ranks = np.unique(x[present], return_inverse=True)
    assert bins.n_values[0] == len(distinct)
    assert np.array_equal(bins.codes[0][present], ranks)
    assert np.all(bins.codes[0][~present] == len(distinct))
    assert np.array_equal(bins.codings[0].low, distinct)


@given(values, values)
@settings(max_examples=200, deadline=None)
def test_new_rows_are_coded_by_the_training_edges(x, new):
    """If this fails, rows never seen are coded otherwise than the training rows, or the search grid is wrong."""
    bins = Bins.of(x.reshape(-1, 1))
    got = bins.encode(new.reshape(-1, 1)).codes[0]
    edges = bins.codings[0].edges
    expected = np.where(np.isnan(new), bins.n_values[0], np.searchsorted(edges, new, side="left"))
    assert np.array_equal(got, expected)
    assert np.array_equal(bins.encode(x.reshape(-1, 1)).codes[0], bins.codes[0])


def test_values_that_differ_only_in_their_last_bits_keep_their_order():
    """If this fails, columns of large numbers with small differences are sorted by their leading bits only."""
    rng = np.random.default_rng(0)
    near = 1e9 * (1 + rng.integers(0, 3_000, size=4_000) * 2.0**-52)
    for x in (near, np.append(near, [-1e300, 1e300]), np.append(near, rng.normal(size=50))):
        assert np.array_equal(Bins.of(x[:, None]).codes[0], np.unique(x, return_inverse=True)[1])


def test_edges_lie_midway_and_separate_neighbouring_floats():
    """If this fails, two adjacent floating point numbers cannot be told apart after encoding."""
    one = 1.0
    after = np.nextafter(one, 2)
    bins = Bins.of(np.array([[one], [after], [3.0]]))
    assert bins.codes[0].tolist() == [0, 1, 2]
    assert bins.codings[0].edges.tolist() == [one, (after + 3) / 2]
    huge = np.finfo(float).max
    assert Bins.of(np.array([[-huge], [huge / 2], [huge]])).codes[0].tolist() == [0, 1, 2]


@pytest.mark.parametrize(("k", "dtype"), [(1, np.uint8), (255, np.uint8), (256, np.uint16), (65_535, np.uint16)])
def test_codes_take_the_smallest_type_and_stay_lossless(k, dtype):
    """If this fails, memory doubles or codes overflow into one another."""
    x = np.random.default_rng(0).permutation(np.append(np.repeat(np.arange(k) * 0.5 - 7, 2), np.nan))
    bins = Bins.of(x[:, None])
    assert bins.codes[0].dtype == dtype
    assert bins.codings[0].lossless
    present = ~np.isnan(x)
    assert np.array_equal(bins.codings[0].low[bins.codes[0][present]], x[present])
    assert bins.codes[0][~present].tolist() == [k]


@pytest.mark.parametrize("draw", ["normal", "standard_cauchy", "lognormal"])
def test_beyond_two_bytes_come_the_finest_quantiles(draw):
    """If this fails, long columns lose order, lose resolution, or put ties into different bins."""
    rng = np.random.default_rng(1)
    x = getattr(rng, draw)(size=200_000)
    x[:20_000] = x[0]
    bins = Bins.of(x[:, None])
    coding, codes = bins.codings[0], bins.codes[0]
    assert not coding.lossless
    assert codes.dtype == np.uint16
    order = np.argsort(x, kind="stable")
    assert np.all(np.diff(codes[order].astype(int)) >= 0)
    counts = np.bincount(codes, minlength=coding.n_values)
    assert counts.min() >= 1
    depth = np.sort(counts)[::-1]
    assert depth[0] >= 20_000  # the ties
    assert depth[1] <= np.ceil(len(x) / MOST) + 1
    assert np.all(coding.low <= coding.high)
    assert np.all(coding.high[:-1] < coding.low[1:])


def test_four_bytes_on_request_stay_lossless():
    """If this fails, trees on long columns lose exact splits."""
    x = np.random.default_rng(2).normal(size=70_000)
    bins = Bins.of(x[:, None], most=2**31)
    assert bins.codes[0].dtype == np.uint32
    assert np.array_equal(bins.codings[0].low[bins.codes[0]], x)


def test_quantiles_come_from_the_training_rows_only():
    """If this fails, rows that are coded later move the bins: the rule of honesty is broken."""
    rng = np.random.default_rng(3)
    train, later = rng.normal(size=(70_000, 1)), rng.normal(size=(50, 1)) * 100
    bins = Bins.of(train)
    before = bins.codings[0].edges.copy()
    codes = bins.encode(later).codes[0]
    assert np.array_equal(bins.codings[0].edges, before)
    assert np.array_equal(codes, np.searchsorted(before, later[:, 0]))


def test_categories_keep_their_codes_and_unseen_levels_are_missing():
    """If this fails, categories are shuffled, or a new level takes the place of an old one."""
    table = Table([categories("colour", ["red", None, "blue", "green"])])
    bins = Bins.of(table)
    assert bins.codes[0].tolist() == [2, 3, 0, 1]
    new = bins.encode(Table([categories("colour", ["green", "mauve", None])]))
    assert new.codes[0].tolist() == [1, 3, 3]
    with pytest.raises(TableError, match="'colour' held categories"):
        bins.encode(np.zeros((2, 1)))


def test_more_levels_than_codes_share_the_last_one():
    """If this fails, a category with very many levels overflows, or a frequent level is merged away."""
    words = [f"{i:06d}" for i in range(70_000)]
    column = categories("id", [*words, *words[:60_000]])
    coding, codes = Coding.learn(column)
    assert coding.n_values == MOST
    assert not coding.lossless
    assert len(np.unique(codes[:60_000])) == 60_000
    assert (codes[:70_000] == MOST - 1).sum() == 70_000 - (MOST - 1)


def test_contingency_tables_and_sums_equal_the_ones_counted_by_hand():
    """If this fails, every score that reads a contingency table is wrong."""
    rng = np.random.default_rng(4)
    x = rng.integers(0, 300, size=2_000).astype(float)
    x[rng.random(2_000) < 0.1] = np.nan
    y, number, w = rng.integers(0, 3, 2_000), rng.normal(size=2_000), rng.random(2_000)
    bins, target = Bins.of(np.c_[x, x % 7]), Classes.of(y)
    for j in range(2):
        codes = bins.codes[j].astype(int)
        shape = (bins.n_values[j] + 1, 3)
        counts, joint = np.zeros(shape), np.zeros(shape)
        np.add.at(counts, (codes, y), 1)
        np.add.at(joint, (codes, y), w)
        assert np.array_equal(bins.joint(j, target), counts)
        np.testing.assert_allclose(bins.joint(j, target, w), joint)
        sums = np.c_[np.bincount(codes, w), np.bincount(codes, w * number), np.bincount(codes, w * number**2)]
        np.testing.assert_allclose(bins.sums(j, number, w)[: len(sums)], sums)
        np.testing.assert_allclose(bins.sums(j, number)[:, 0], bins.joint(j, target).sum(axis=1))
    with pytest.raises(ParameterError, match="5 rows"):
        bins.joint(0, Classes.of(y[:5]))


def test_any_source_gives_the_same_bins():
    """If this fails, the answer depends on whether data came as an array, a frame or a sparse matrix."""
    import pandas as pd
    import polars as pl

    x = np.random.default_rng(5).integers(0, 4, size=(50, 3)).astype(float)
    reference = Bins.of(x)
    for X in [x.astype(np.float32), x.astype(int), sparse.csr_matrix(x), pd.DataFrame(x), pl.DataFrame(x), Table.of(x)]:
        bins = Bins.of(X, n_jobs=2)
        assert all(np.array_equal(a, b) for a, b in zip(bins.codes, reference.codes))
    assert Bins.of(reference) is reference


def test_take_and_select_keep_the_coding():
    """If this fails, folds are coded differently from the whole table."""
    x = np.random.default_rng(6).normal(size=(30, 4))
    bins = Bins.of(x)
    rows = np.arange(30) % 3 > 0
    part = bins.take(rows).select([2, 0])
    assert part.names == ("x2", "x0")
    assert part.n_rows == len(part) == 20
    assert np.array_equal(part.codes[0], bins.codes[2][rows])
    with pytest.raises(TableError, match="4 were coded"):
        bins.encode(x[:, :2])
    assert Bins.of(np.empty((0, 2))).n_values.tolist() == [0, 0]
    assert Bins.of(np.full((3, 1), np.nan)).codes[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("n", [1, 3, 50, 300])
def test_short_columns_coded_in_blocks_are_coded_as_one_by_one(n):
    """Wide tables take another road; it must lead to the same codes, values and edges."""
    random = np.random.default_rng(n)
    X = np.round(random.normal(size=(n, 150)), 1)
    X[:, :50] = random.normal(size=(n, 50))
    X[random.random(X.shape) < 0.2] = np.nan
    X[:, 60], X[:, 61], X[::2, 62] = np.nan, 7.0, -0.0
    table = Table.of(X)
    bins = Bins.of(table)
    for j in range(X.shape[1]):
        coding, codes = Coding.learn(table.column(j))
        assert bins.codings[j].n_values == coding.n_values
        assert bins.codings[j].name == coding.name
        assert bins.codes[j].dtype == codes.dtype
        assert (bins.codes[j] == codes).all()
        for mine, other in ((bins.codings[j].low, coding.low), (bins.codings[j].edges, coding.edges)):
            assert (mine == other).all()
