"""What holds for every score of single columns: XOR, useless columns, order, threads, forms of a table, weights."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from tamis import RankSelector, score
from tamis.score.criteria import criterion_names

CRITERIA = criterion_names()
CLASSES = sorted(set(CRITERIA) - {"pearson", "variance", "dispersion", "interaction"})
NUMBERS = ["pearson", "mutual_information", "gain_ratio", "symmetric_uncertainty", "anova", "relief"]
FREE = ["variance", "dispersion"]
WEIGHTED = sorted(set(CRITERIA) - {"relief", "interaction"})


def table(n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "good": y + rng.normal(size=n),
            "count": rng.poisson(3, n).astype(float),
            "holes": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n) + 0.3 * y),
            "colour": rng.choice(["red", "green", "blue"], n),
            "gap": np.where(rng.random(n) < 0.2, None, np.where(y > 0, "up", "down")),
        }
    )
    return frame, y


def scores(name, X, y, **options):
    return getattr(score, name)(X, y, **options)


def target(name, y):
    return y + np.linspace(0, 0.5, len(y)) if name == "pearson" else y


@pytest.mark.parametrize("name", [*CLASSES, *NUMBERS, *FREE])
def test_useless_columns_score_zero_and_come_last(name):
    """A constant or all-missing column would be scored NaN, or come before a column that tells something."""
    rng = np.random.default_rng(1)
    n = 60
    y = rng.integers(0, 2, n) if name in CLASSES else rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "b": np.full(n, 7.5),
            "a": np.full(n, np.nan),
            "z": rng.normal(size=n) + y,
            "c": np.full(n, "same"),
            "e": pd.Series([None] * n, dtype="str"),
            "y": rng.normal(size=n),
        }
    )
    found = scores(name, frame, y)
    assert np.isfinite(found).all()
    assert found[[0, 1, 3, 4]].tolist() == [0, 0, 0, 0]
    ranking = RankSelector(name).fit(frame, y).ranking_
    assert sorted(ranking[[2, 5]]) == [1, 2]
    assert ranking[[1, 0, 3, 4]].tolist() == [3, 4, 5, 6]  # equal scores by name


@pytest.mark.parametrize("name", [*CLASSES, "interaction"])
def test_a_single_class_tells_nothing(name):
    """A target of one class would end in a division by zero."""
    found = scores(name, np.random.default_rng(0).normal(size=(30, 2)), np.zeros(30, dtype=int))
    assert not np.any(found)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_constant_numeric_target_tells_nothing(name):
    """A target that never changes would end in a division by zero."""
    y = np.full(30, 0.5)
    assert not np.any(scores(name, np.random.default_rng(0).normal(size=(30, 2)), y))


@pytest.mark.parametrize("kind", ["mixed", "numbers"])
@pytest.mark.parametrize("name", CRITERIA)
def test_column_order_does_not_matter(name, kind):
    """The score of a column, or how ties are broken, would depend on where it stands."""
    frame, y = table()
    if kind == "numbers":
        noise = np.random.default_rng(7).normal(size=(len(y), 6))
        frame = pd.concat([frame[["good", "count"]], pd.DataFrame(noise, columns=list("uvwxyz"))], axis=1)
    frame["good again"] = frame["good"]
    y = target(name, y)
    shuffled = frame[list(np.random.default_rng(2).permutation(frame.columns))]
    one, other = RankSelector(name, k=3).fit(frame, y), RankSelector(name, k=3).fit(shuffled, y)
    by_name = dict(zip(shuffled.columns, other.scores_))
    assert [by_name[column] for column in frame.columns] == one.scores_.tolist()
    assert dict(zip(shuffled.columns, other.ranking_)) == dict(zip(frame.columns, one.ranking_))
    assert set(one.get_feature_names_out()) == set(other.get_feature_names_out())


@pytest.mark.parametrize("name", CRITERIA)
def test_threads_do_not_change_a_bit(name):
    """Scores or p-values would depend on n_jobs."""
    frame, y = table(400)
    X = np.random.default_rng(3).normal(size=(400, 40)) + y[:, None] * 0.1
    null = 0 if name in FREE else 40
    for given in (frame, X):
        one, two = (RankSelector(name, n_permutations=null, n_jobs=n).fit(given, target(name, y)) for n in (1, 2))
        assert one.scores_.tobytes() == two.scores_.tobytes()
        assert null == 0 or one.pvalues_.tobytes() == two.pvalues_.tobytes()


@pytest.mark.parametrize("name", CRITERIA)
def test_pandas_polars_and_objects_give_the_same_scores(name):
    """A table would be read differently in another form."""
    frame, y = table()
    y = target(name, y)
    expected = RankSelector(name).fit(frame, y).scores_
    rows = frame.astype(object).to_numpy()
    for form in (pl.from_pandas(frame), frame.assign(colour=frame["colour"].astype("category")), rows):
        np.testing.assert_allclose(RankSelector(name).fit(form, y).scores_, expected, atol=1e-12)


@pytest.mark.parametrize("name", CRITERIA)
def test_sparse_and_dense_give_the_same_scores(name):
    """Zeros that are not stored would not be counted."""
    rng = np.random.default_rng(4)
    X = rng.poisson(0.4, size=(90, 6)).astype(float)
    y = target(name, rng.integers(0, 2, 90))
    expected = RankSelector(name).fit(X, y).scores_
    for form in (sparse.csr_matrix(X), sparse.csc_array(X)):
        np.testing.assert_allclose(RankSelector(name).fit(form, y).scores_, expected, atol=1e-12)


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_weight_is_that_many_copies(name):
    """A row of weight 3 would not count as three rows, or a row of weight 0 would still count."""
    frame, y = table()
    y = target(name, y)
    w = np.random.default_rng(5).integers(0, 4, len(y))
    copies = frame.loc[np.repeat(frame.index, w)].reset_index(drop=True)
    found = scores(name, frame, y, sample_weight=w)
    np.testing.assert_allclose(found, scores(name, copies, np.repeat(y, w)), rtol=1e-9, atol=1e-12)


def xor(n, numeric):
    """Two columns that only together tell the class, among noise, and one that tells a little by itself."""
    rng = np.random.default_rng(6)
    balanced = np.tile([[0, 0], [0, 1], [1, 0], [1, 1]], (n // 4, 1))
    y = balanced[:, 0] ^ balanced[:, 1]
    noise = rng.normal(size=(n, 6)) if numeric else rng.integers(0, 2, size=(n, 6))
    if numeric:  # every cell has the same magnitudes: neither column alone says anything about the class
        size = np.repeat(rng.uniform(0.2, 1, size=(n // 4, 2)), 4, axis=0)
        balanced = np.where(balanced == 1, size, -size)
    return np.column_stack([noise[:, :3], balanced, noise[:, 3:]]), y


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("name", ["mutual_information", "gain_ratio", "gini", "chi2", "symmetric_uncertainty", "anova"])
def test_xor_comes_last_by_scores_of_single_columns(name, numeric):
    """A column that tells nothing by itself would be given credit by a score that looks at one column."""
    X, y = xor(400, numeric)
    assert sorted(RankSelector(name).fit(X, y).ranking_[[3, 4]]) == [7, 8]


@pytest.mark.parametrize("numeric", [False, True])
def test_xor_comes_last_by_stump_and_pearson(numeric):
    """A column that tells nothing by itself would be given credit by a score that looks at one column."""
    X, y = xor(400, numeric)
    assert sorted(RankSelector("stump").fit(X, y).ranking_[[3, 4]]) == [7, 8]
    assert sorted(RankSelector("pearson").fit(X, y.astype(float)).ranking_[[3, 4]]) == [7, 8]


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("name", ["relief", "interaction"])
def test_xor_comes_first_by_scores_that_look_at_columns_together(name, numeric):
    """Columns that tell only together would be lost."""
    X, y = xor(400, numeric)
    assert sorted(RankSelector(name).fit(X, y).ranking_[[3, 4]]) == [1, 2]


def test_functions_not_modules_carry_the_names():
    """tamis.score.relief would be the module of that name and could not be called."""
    for name in [*CRITERIA, "consistency", "cfs", "combine"]:
        assert callable(getattr(score, name)), name
