import numpy as np
import pytest

from tamis.table import Column, Table, categories
from tamis.views.binned import bin_columns
from tamis.views.bins import Bins

N = 3_000


def columns_of_every_shape():
    """Columns that take every way of sorting: dealt once, dealt again, inserted, sorted by their bits."""
    rng = np.random.default_rng(0)
    normal = rng.normal(size=N)
    return {
        "normal": normal,
        "one far away": np.append(normal[1:], 1e9),
        "long tails": rng.standard_cauchy(N) ** 3,
        "orders of magnitude": np.exp(150 * normal),
        "largest numbers": np.where(normal > 0, 1, -1) * rng.uniform(1e308, 1.7e308, size=N),
        "smallest numbers": rng.integers(0, 900, size=N) * 5e-324,
        "infinite": np.where(np.abs(normal) > 1, np.sign(normal) * np.inf, normal),
        "few": rng.integers(0, 5, size=N).astype(float),
        "zero or more": np.where(normal > 0, 0.0, rng.lognormal(sigma=3, size=N)),
        "constant": np.full(N, 7.5),
        "falling": -np.arange(N, dtype=float),
        "gaps": np.where(normal > 0.5, np.nan, normal),
        "nothing": np.full(N, np.nan),
    }


def refuse_other_codes(binned, place, x):
    """The codes of a column are the ranks of its distinct values, the values are these, missing has the next code."""
    present = ~np.isnan(x)
    distinct, ranks = np.unique(x[present], return_inverse=True)
    a, b = binned.first[place : place + 2]
    assert binned.n_values[place] == len(distinct)
    assert np.array_equal(binned.codes[place][present], ranks)
    assert np.all(binned.codes[place][~present] == len(distinct))
    assert np.array_equal(binned.low[a:b], distinct)
    assert binned.missing[place] == (not present.all())


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("n_rows", [1, 40, 300, N])
def test_codes_of_every_kind_of_column_are_ranks(layout, n_rows):
    """If this fails, the sort by cells loses order where values are spread unevenly, or rows run out of room."""
    columns = [x[-n_rows:] for x in columns_of_every_shape().values()]
    matrix = np.array(columns).T.copy(order=layout)
    binned, _ = bin_columns(Table.of(matrix), n_jobs=2)
    assert binned.codes.dtype == np.uint16
    assert binned.high is binned.low
    for j, x in enumerate(columns):
        refuse_other_codes(binned, j, x)


def test_columns_come_in_the_order_asked_for_whatever_they_hold():
    """If this fails, a forest reads one column's codes with another column's values."""
    rng = np.random.default_rng(1)
    numbers = [Column(f"n{j}", "numeric", rng.integers(0, 9 + j, size=N).astype(float)) for j in range(3)]
    words = categories("w", [None, *rng.choice(["b", "c", "a"], size=N - 1)])
    table = Table([numbers[0], words, numbers[1], numbers[2]])
    binned, codings = bin_columns(table, np.array([2, 1, 3, 0]))
    for place, j in ((0, 2), (2, 3), (3, 0)):
        refuse_other_codes(binned, place, table.column(j).values)
    assert binned.codes[1].tolist() == np.where(words.values < 0, 3, words.values).tolist()
    assert binned.first[1] == binned.first[2]
    assert binned.n_values[1] == 3
    assert list(codings) == [1]
    assert binned.category.tolist() == [False, True, False, False]
    assert binned.missing.tolist() == [False, True, False, False]


def test_a_binned_table_of_more_rows_than_codes_is_what_bins_are():
    """If this fails, forests on long tables see other quantiles than every other method."""
    rng = np.random.default_rng(2)
    words = categories("w", rng.choice(["b", "a"], size=70_000).tolist())
    gaps = np.where(rng.random(70_000) < 0.1, np.nan, rng.standard_cauchy(70_000))
    table = Table([Column("x", "numeric", rng.normal(size=70_000)), words, Column("g", "numeric", gaps)])
    bins, (binned, _) = Bins.of(table), bin_columns(table, np.array([2, 0, 1]))
    assert binned.high is not binned.low
    assert binned.missing.tolist() == [True, False, False]
    for place, j in enumerate([2, 0, 1]):
        coding = bins.codings[j]
        assert np.array_equal(binned.codes[place], bins.codes[j])
        assert binned.n_values[place] == coding.n_values
        if coding.low is not None:
            a, b = binned.first[place : place + 2]
            assert np.array_equal(binned.low[a:b], coding.low)
            assert np.array_equal(binned.high[a:b], coding.high)


def test_the_sign_of_zero_does_not_tell_the_order_of_rows():
    """If this fails, the same rows in another order are taken for other rows."""
    x = np.array([[0.0], [1.0], [-0.0]])
    for rows in ([0, 1, 2], [2, 1, 0]):
        assert bin_columns(Table.of(x[rows]))[0].low.tobytes() == np.array([0.0, 1.0]).tobytes()
