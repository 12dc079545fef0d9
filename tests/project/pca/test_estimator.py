"""PCA as a whole: batches, weights, names, signs, frames, saving, pipelines, bad input."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline

import tamis
from tamis import PCA, LinearClassifier, Table
from tamis.errors import DamagedError, KindError, ParameterError, TableError

IRIS = load_iris(as_frame=True)


def table(n=200, p=6, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) * np.linspace(3, 0.5, p) @ np.linalg.qr(rng.normal(size=(p, p)))[0]


def test_a_table_by_hand():
    """The formula itself: x = (0, 1, 2), y = 2x + (0, 0, 0) has one component, (1, 2)/√5, of variance 1 + 4."""
    pca = PCA().fit([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]])
    np.testing.assert_allclose(pca.components_, [[1 / np.sqrt(5), 2 / np.sqrt(5)]])
    np.testing.assert_allclose(pca.spectrum_, [5.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(pca.transform([[1.0, 2.0], [2.0, 4.0]]), [[0.0], [np.sqrt(5)]], atol=1e-15)
    np.testing.assert_allclose(pca.loadings_, pca.components_.T)


@pytest.mark.parametrize("sizes", [[1] * 60, [7, 53], [1, 1, 58], [30, 30]])
def test_batches_are_exactly_the_whole(sizes):
    """Streaming would be an approximation, as it is elsewhere."""
    X = table(60) * 2 + 1e4
    stream = PCA(3)
    for batch in np.split(X, np.cumsum(sizes)[:-1]):
        stream.partial_fit(batch)
    whole = PCA(3).fit(X)
    np.testing.assert_allclose(stream.spectrum_, whole.spectrum_, rtol=1e-8)
    np.testing.assert_allclose(stream.components_, whole.components_, atol=1e-8)
    np.testing.assert_allclose(stream.transform(X), whole.transform(X), atol=1e-7)
    np.testing.assert_allclose(stream.mean_, whole.mean_, rtol=1e-14)


def test_batches_keep_the_digits_of_an_offset():
    """A stream far from 0 would lose its digits; and one whose mean moves, too."""
    X = np.round(table(500) * 2**16) / 2**16 + np.linspace(0, 64, 500).round()[:, None]
    stream = PCA()
    for batch in np.array_split(X + 2.0**27, 11):
        stream.partial_fit(batch)
    np.testing.assert_allclose(stream.spectrum_, PCA(solver="full").fit(X).spectrum_, rtol=1e-8)


def test_a_fit_goes_on_in_batches():
    """What was fitted would be forgotten, or counted twice."""
    X = table()
    for solver in ("auto", "moments"):
        np.testing.assert_allclose(
            PCA(solver=solver).fit(X[:50]).partial_fit(X[50:]).spectrum_, PCA().fit(X).spectrum_, rtol=1e-9
        )
    wide = PCA().fit(table(5, 600))
    with pytest.raises(ParameterError, match="keeps no moments; begin with partial_fit"):
        wide.partial_fit(table(5, 600))


def test_weights_count_rows():
    """A row of weight 2 would not be two rows, or one of weight 0 would leave a trace."""
    X, w = table(40), np.random.default_rng(0).integers(0, 4, 40)
    for options in ({}, {"solver": "moments"}, {"solver": "gram"}, {"n_components": 2, "solver": "randomised"}):
        a, b = PCA(**options).fit(X, sample_weight=w), PCA(**options).fit(np.repeat(X, w, axis=0))
        np.testing.assert_allclose(a.spectrum_, b.spectrum_, rtol=1e-9)
        np.testing.assert_allclose(a.components_, b.components_, atol=1e-7)
    stream = PCA().partial_fit(X[:10], sample_weight=w[:10]).partial_fit(X[10:], sample_weight=w[10:])
    np.testing.assert_allclose(stream.spectrum_, PCA().fit(np.repeat(X, w, axis=0)).spectrum_, rtol=1e-9)


def test_column_order_does_not_matter():
    """Signs or ties would depend on where a column stands in the table."""
    frame = pd.DataFrame(table(100, 5), columns=list("caebd"))
    frame["f"] = -frame["a"]  # loadings equal in size, opposite in sign
    pca, turned = PCA(4).fit(frame), PCA(4).fit(frame[list("fedcba")])
    np.testing.assert_allclose(pca.transform(frame), turned.transform(frame[list("fedcba")]), atol=1e-9)
    assert pca.carriers() == turned.carriers()


def test_carriers_hold_the_share_asked_for():
    """The columns named would not be those that make a component."""
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(300, 2)) * [6, 3]
    frame = pd.DataFrame(
        {"age": hidden[:, 0], "weight": hidden[:, 0] * 0.9, "noise": rng.normal(size=300) * 0.1, "dose": hidden[:, 1]}
    )
    pca = PCA(2).fit(frame)
    assert pca.carriers() == [["age", "weight"], ["dose"]]
    assert pca.carriers(1e-9) == [["age"], ["dose"]]
    assert len(pca.carriers(1.0)[0]) == 4
    for names, line in zip(pca.carriers(0.9), pca.components_):
        assert sum(line[frame.columns.get_loc(name)] ** 2 for name in names) >= 0.9


def test_inverse_returns_the_input():
    """Rows would not come back from their scores."""
    X = table() + 3
    pca = PCA().fit(X)
    np.testing.assert_allclose(pca.inverse_transform(pca.transform(X)), X, atol=1e-12)
    few = PCA(2).fit(X)
    back = few.inverse_transform(few.transform(X))
    left = ((X - back) ** 2).sum() / (len(X) - 1)
    np.testing.assert_allclose(left, few.spectrum_[2:].sum(), rtol=1e-10)


def test_frames_and_tables():
    """Names, kinds of table or set_output would get lost."""
    X = IRIS.data
    pca = PCA(2).fit(X)
    plain = pca.transform(X)
    assert isinstance(plain, np.ndarray)
    assert list(pca.get_feature_names_out()) == ["pca0", "pca1"]
    out = PCA(2).set_output(transform="pandas").fit_transform(X)
    assert list(out.columns) == ["pca0", "pca1"]
    np.testing.assert_array_equal(out.index, X.index)
    np.testing.assert_allclose(out.to_numpy(), plain)
    np.testing.assert_allclose(PCA(2).fit_transform(pl.from_pandas(X)), plain)
    as_table = PCA(2).fit_transform(Table.of(X))
    assert isinstance(as_table, Table)
    np.testing.assert_allclose(as_table.numbers(), plain)
    np.testing.assert_allclose(PCA(2).fit_transform(X.to_numpy(dtype=np.float32)), plain, atol=1e-5)


def test_categories_on_request():
    """Categories would be taken for numbers, or lost."""
    frame = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "colour": ["red", "blue", "red", "green"]})
    with pytest.raises(KindError, match="column 'colour' holds categories; give categories='indicators'"):
        PCA().fit(frame)
    pca = PCA(2, categories="indicators").fit(frame)
    coded = np.column_stack([frame["size"], *(frame["colour"] == c for c in ("blue", "green", "red"))]).astype(float)
    np.testing.assert_allclose(pca.transform(frame), PCA(2).fit_transform(coded), atol=1e-12)
    assert {name for names in pca.carriers(1.0) for name in names} == {
        "size",
        "colour=blue",
        "colour=green",
        "colour=red",
    }
    unseen = frame.assign(colour="violet")
    assert np.isfinite(np.asarray(pca.transform(unseen), dtype=float)).all()
    kept = PCA(1, categories="keep").fit_transform(frame)
    assert list(kept.columns) == ["pca0", "colour"]


def test_holes_in_categories():
    """A missing category would be an error, or a level."""
    frame = pd.DataFrame({"a": np.arange(40.0), "b": ["x", None, "y", "x"] * 10})
    found = PCA(1, categories="indicators").fit(frame)
    assert found.solver_ == "em"
    assert np.isfinite(np.asarray(found.transform(frame), dtype=float)).all()


def test_saved_and_read_again():
    """A saved study would project other scores."""
    holes = IRIS.data.mask(np.random.default_rng(0).random(IRIS.data.shape) < 0.1)
    for X in (IRIS.data, IRIS.data.assign(kind=IRIS.target_names[IRIS.target]), holes):
        pca = PCA(2, categories="indicators").fit(X)
        back = PCA.from_dict(json.loads(json.dumps(pca.to_dict())))
        np.testing.assert_array_equal(np.asarray(back.transform(X)), np.asarray(pca.transform(X)))
        np.testing.assert_array_equal(back.anomaly_score(X), pca.anomaly_score(X))
        assert back.carriers() == pca.carriers()
    stream = PCA(2).partial_fit(IRIS.data)
    np.testing.assert_allclose(PCA.from_dict(stream.to_dict()).spectrum_, PCA(2).fit(IRIS.data).spectrum_, rtol=1e-9)


@pytest.mark.parametrize(
    "damage",
    [
        lambda s: s["state"].update(mean=[1.0]),
        lambda s: s["state"].update(components=[]),
        lambda s: s["state"].update(spectrum=["a"]),
        lambda s: s["state"].update(total=float("nan")),
        lambda s: s["state"].update(solver="magic"),
        lambda s: s["state"]["encoding"].update(names=["a"]),
        lambda s: s["state"].pop("n_rows"),
        lambda s: s.update(transform="SVD"),
        lambda s: s["parameters"].update(floor="x"),
    ],
)
def test_a_damaged_file_is_refused(damage):
    """Made-up numbers in a file would become components."""
    state = json.loads(json.dumps(PCA(2).fit(IRIS.data).to_dict()))
    damage(state)
    with pytest.raises(DamagedError, match="the saved transform PCA is damaged"):
        PCA.from_dict(state)


def test_in_a_pipeline_and_in_nested_evaluation():
    """PCA could not stand before a model, or would look at rows that it is judged on."""
    pipeline = make_pipeline(PCA(2), LinearClassifier("ridge", alpha=0.01))
    assert pipeline.fit(IRIS.data, IRIS.target).score(IRIS.data, IRIS.target) > 0.9
    assert tamis.nested_score(pipeline, IRIS.data, IRIS.target, outer=3).mean > 0.9


def test_other_rows_do_not_matter():
    """What is learned would depend on rows that are only transformed."""
    X, new = table(), table(seed=5)
    pca = PCA(2).fit(X)
    before = pca.to_dict()
    pca.transform(new * 100)
    pca.anomaly_score(new)
    assert pca.to_dict() == before


@pytest.mark.parametrize(
    ("options", "X", "error", "words"),
    [
        (
            {"n_components": 4},
            table(50, 3),
            ParameterError,
            "n_components=4, but the 50 rows have rank 3 after centring",
        ),
        ({"n_components": 9}, table(5, 30), ParameterError, "rank 4 after centring; give n_components between 1 and 4"),
        ({"n_components": 4, "solver": "randomised"}, table(50, 3), ParameterError, "rank 3"),
        ({"n_components": 0}, table(), ParameterError, "n_components=0 is too small"),
        ({"n_components": 1.5}, table(), ParameterError, "n_components=1.5 is out of range"),
        ({"n_components": "gaps"}, table(), ParameterError, "did you mean 'gap'"),
        ({"n_components": True}, table(), KindError, "n_components=True"),
        ({"floor": 1e9}, table(), ParameterError, "floor=1e\\+09, but the largest variance"),
        ({"solver": "magic"}, table(), ParameterError, "solver='magic' is not known"),
        ({"solver": "randomised"}, table(), ParameterError, "n_components=None; give a count"),
        ({"trim": 0.5}, table(), ParameterError, "trim=0.5 is out of range"),
        ({"missing": "refuse"}, [[1.0, np.nan], [2.0, 1.0], [0.0, 2.0]], TableError, "missing values .* 'x1'"),
        ({}, np.ones((5, 2)), ParameterError, "all columns are constant"),
        ({}, np.full((5, 2), 0.1), ParameterError, "all columns are constant"),
        (
            {},
            np.full((5, 2), 1e200) * np.arange(5)[:, None],
            TableError,
            "column 'x0' holds 4e\\+200, which is too large",
        ),
        ({}, [[1.0, np.nan], [2.0, np.nan], [3.0, np.nan]], TableError, "column 'x1' holds no value at all"),
        ({}, [[1.0, np.inf], [2.0, 1.0]], TableError, "infinite"),
    ],
)
def test_bad_input_gets_a_sentence(options, X, error, words):
    """A user would be told nothing, or get components of nothing."""
    with pytest.raises(error, match=words):
        PCA(**options).fit(X)


def test_bad_streams_get_a_sentence():
    """A stream of one row, or with holes, would fail far from its cause."""
    with pytest.raises(TableError, match="one row"):
        PCA().partial_fit([[1.0, 2.0]]).transform([[1.0, 2.0]])
    with pytest.raises(TableError, match=r"missing values .* partial_fit needs all values"):
        PCA().partial_fit([[1.0, np.nan]])
    with pytest.raises(ParameterError, match="weights count rows"):
        PCA().fit(table(5, 2), sample_weight=np.full(5, 0.1))
    with pytest.raises(TableError, match="X has 3 columns, but there are 2 components"):
        PCA(2).fit(table()).inverse_transform(np.ones((1, 3)))


def test_counts_with_outliers_are_warned_of():
    """A few rows of huge counts would be the first component, and nobody would know."""
    rng = np.random.default_rng(0)
    X = rng.poisson(5, size=(300, 6)).astype(float)
    PCA(2).fit(X)  # plain counts: no warning
    X[7] *= 500
    with pytest.warns(tamis.errors.TamisWarning, match="raw counts, and 1% of the rows hold 100% of their variance"):
        PCA(2).fit(X)
    PCA(2, trim=0.05).fit(X)
    PCA(2).fit(X + 0.5)


@pytest.mark.parametrize("solver", ["full", "moments", "gram"])
def test_ddof_0_divides_by_the_number_of_rows(solver):
    """s² = n λ would not hold with 1/n, or the floor and thresholds of rare rows would be in other units."""
    X = table()
    n = len(X)
    pca, other = PCA(2, ddof=0, solver=solver).fit(X), PCA(2, solver=solver).fit(X)
    singular = np.linalg.svd(X - X.mean(axis=0), compute_uv=False)
    assert np.allclose(n * pca.spectrum_, singular**2)
    assert np.allclose(pca.explained_variance_ratio_, other.explained_variance_ratio_)
    assert np.isclose(pca.total_variance_, np.trace(np.cov(X.T, ddof=0)))
    for part in ("inside", "outside"):
        assert np.allclose(pca.anomaly_score(X, part=part), other.anomaly_score(X, part=part))
        assert np.isclose(pca.anomaly_threshold(part=part), other.anomaly_threshold(part=part))
    between = (pca.spectrum_[1] + other.spectrum_[1]) / 2
    assert PCA(ddof=0, floor=between, solver=solver).fit(X).n_components_ == 1
    assert PCA(floor=between, solver=solver).fit(X).n_components_ == 2
    assert np.allclose(PCA.from_dict(pca.to_dict()).spectrum_, pca.spectrum_)
