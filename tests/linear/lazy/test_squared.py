"""Linear models of lazy tables: those of the rows in memory, from moments alone, the same bits for any cut."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LinearRegression
from tests.table.lazy.parts import lazy_table, write_parts

from tamis import PCA, LinearRegressor, SubsetSelector, read
from tamis.engine import use
from tamis.errors import KindError, ParameterError, TableError, TamisWarning
from tamis.table import LazyTable
from tamis.views.lazy.fold_moments import RowFolds, fold_moments
from tamis.views.moments import FoldMoments


def _rows(n: int = 2_000) -> pa.Table:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 5)) * [1, 10, 0.1, 1, 1] + [0, 1e4, 0, 5, 0]
    word = rng.choice(np.array(["p", "q", "r"]), n)
    y = X[:, 0] + 0.2 * X[:, 1] + 3.0 * (word == "q") + rng.normal(0, 0.5, n)
    columns = {f"x{j}": X[:, j] for j in range(5)}
    return pa.table({**columns, "w": pa.array(word), "y": y})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("linear"), _rows(), (1, 4), row_group_size=190)


def _lazy(folder, parts=4) -> LazyTable:
    return lazy_table(folder / str(parts), 128, target="y")


def _in_memory():
    table = read(_rows(), target="y")
    return table.drop(["y"]), table.column("y").values


def _splits(n: int, folds: int):
    fold = RowFolds(folds).of(np.arange(n))
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(folds)]


def test_moments_of_folds_are_those_of_the_rows(folder):
    """Every linear model of a large table would rest on wrong sums."""
    X, y = _in_memory()
    found = fold_moments(_lazy(folder), "y", n_folds=3)
    wanted = FoldMoments.of(X, _splits(len(y), 3), y)
    for part in ("train", "test"):
        for one, other in zip(getattr(found, part), getattr(wanted, part)):
            assert one.n_rows == other.n_rows
            np.testing.assert_allclose(one.mean, other.mean, rtol=1e-12, atol=1e-13)
            np.testing.assert_allclose(one.scatter, other.scatter, rtol=1e-9, atol=1e-9)


def test_held_out_rows_do_not_touch_the_bits_of_a_training_part(tmp_path):
    """A shift taken from all rows would let the rows a model is judged on change the model."""
    rows = _rows(600)
    held = RowFolds(3).of(np.arange(600)) == 0
    changed = rows.set_column(0, "x0", pa.array(np.where(held, -77.0, rows["x0"].to_numpy())))
    digests = []
    for k, table in enumerate((rows, changed)):
        (tmp_path / str(k)).mkdir()
        pq.write_table(table, tmp_path / str(k) / "a.parquet")
        train = fold_moments(lazy_table(tmp_path / str(k), 128, target="y"), "y", n_folds=3).train[0]
        digests.append(train.unit_scatter.tobytes() + train.mean.tobytes())
    assert digests[0] == digests[1]


@pytest.mark.parametrize(
    "given",
    [
        {"penalty": "lasso"},
        {"penalty": "elastic-net", "l1_ratio": 0.3, "rule": "min"},
        {"penalty": "lasso", "alpha": 0.1},
    ],
    ids=["lasso", "elastic-net", "one strength"],
)
def test_penalised_models_are_those_of_the_rows(folder, given):
    """A model of a large table would differ from that of the same rows in memory."""
    X, y = _in_memory()
    model = LinearRegressor(**given, cv=3).fit(_lazy(folder), "y")
    wanted = LinearRegressor(**given, cv=_splits(len(y), 3)).fit(X, y)
    assert model.alpha_ == pytest.approx(wanted.alpha_, rel=1e-9)
    np.testing.assert_allclose(model.coef_, wanted.coef_, rtol=1e-6, atol=1e-8)
    assert model.selected_columns_ == wanted.selected_columns_
    np.testing.assert_allclose(model.feature_importances_, wanted.feature_importances_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(model.predict(X), wanted.predict(X), rtol=1e-8)
    assert LinearRegressor.from_dict(model.to_dict()).predict(X)[0] == model.predict(X)[0]


def test_least_squares_has_its_errors(folder):
    """Standard errors of a large table would be missing, or those of standardised columns."""
    X, y = _in_memory()
    model = LinearRegressor(penalty=None).fit(_lazy(folder), "y")
    wanted = LinearRegressor(penalty=None).fit(X, y)
    np.testing.assert_allclose(model.coef_, wanted.coef_, rtol=1e-7)
    np.testing.assert_allclose(model.standard_errors_, wanted.standard_errors_, rtol=1e-6)
    assert model.intercept_standard_error_ == pytest.approx(wanted.intercept_standard_error_, rel=1e-5)
    assert (model.r2_, model.adjusted_r2_) == pytest.approx((wanted.r2_, wanted.adjusted_r2_), rel=1e-9)


def test_components_and_searched_columns_are_those_of_the_rows(folder):
    """PCA and forward search of a large table would find other directions and columns."""
    X, y = _in_memory()
    pca, wanted = PCA(3, categories="indicators").fit(_lazy(folder).drop(["y"])), PCA(3, categories="indicators").fit(X)
    np.testing.assert_allclose(pca.spectrum_, wanted.spectrum_, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(pca.components_, wanted.components_, atol=1e-6)
    plain = _lazy(folder).drop(["w"])
    for search in ("forward", "backward"):
        found = SubsetSelector(LinearRegression(), search=search, cv=3).fit(plain, "y")
        known = SubsetSelector(LinearRegression(), search=search, cv=_splits(len(y), 3)).fit(X.drop(["w"]), y)
        assert found.selected_ == known.selected_
        assert found.score_ == pytest.approx(known.score_, rel=1e-9)


def test_bits_do_not_depend_on_threads_or_on_the_cut_of_the_files(folder):
    """Two runs of one study would differ, and nobody could say why."""
    digests = set()
    for parts in (1, 4):
        for threads in (1, 2):
            with use("local", n_jobs=threads):
                model = LinearRegressor(cv=3).fit(_lazy(folder, parts), "y")
            digests.add(hashlib.sha256(model.coef_.tobytes()).hexdigest())
    assert len(digests) == 1


def test_what_cannot_be_fitted_says_so(folder, tmp_path):
    """A missing value, a vector as target or a loss that needs rows would end in a traceback."""
    table = _lazy(folder)
    with pytest.raises(KindError, match="give its name"):
        LinearRegressor().fit(table, np.zeros(3))
    with pytest.raises(ParameterError, match=r"or a sample: table\.sample"):
        LinearRegressor(loss="huber").fit(table, "y")
    with pytest.raises(ParameterError, match="give a number of folds"):
        LinearRegressor(cv=_splits(9, 3)).fit(table, "y")
    with pytest.raises(ParameterError, match="sample_weight has one value a row"):
        LinearRegressor().fit(table, "y", sample_weight=np.ones(3))
    with pytest.raises(KindError, match="stays in its files"):
        PCA().fit(_lazy(folder).drop(["w"])).transform(table)
    rows = _rows(500)
    holes = rows["x3"].to_numpy().copy()
    holes[321] = np.nan
    pq.write_table(rows.set_column(3, "x3", pa.array(holes)), tmp_path / "a.parquet")
    with pytest.raises(TableError, match=r"column 'x3' has no value in row 322.*; give missing='mean'"):
        LinearRegressor().fit(read(tmp_path, target="y"), "y")
    with pytest.raises(TableError, match=r"column 'x3' has no value in row 322"):
        PCA(missing="refuse").fit(read(tmp_path, target="y").drop(["w"]))


def _with_holes() -> pa.Table:
    rows, rng = _rows(), np.random.default_rng(8)
    gone = rng.random((3, rows.num_rows)) < 0.15
    for name, where in zip(("x1", "x3", "w"), gone):
        here = pa.array(rows[name].to_pylist(), mask=where)
        rows = rows.set_column(rows.schema.get_field_index(name), name, here)
    return rows


@pytest.mark.parametrize("penalty", [None, "lasso"])
def test_missing_values_are_filled_with_the_means_as_in_memory(tmp_path, penalty):
    """A large table with a hole in it would have no linear model, or another one."""
    write_parts(tmp_path, _with_holes(), (4,), row_group_size=190)
    table = read(_with_holes(), target="y")
    X, y = table.drop(["y"]), table.column("y").values
    options = {"penalty": penalty, "missing": "mean"}
    wanted = LinearRegressor(**options, cv=_splits(len(y), 3)).fit(X, y)
    found = LinearRegressor(**options, cv=3).fit(lazy_table(tmp_path / "4", 128, target="y"), "y")
    np.testing.assert_allclose(found.coef_, wanted.coef_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found.inputs_.fill, wanted.inputs_.fill, rtol=1e-12)
    np.testing.assert_allclose(found.predict(X), wanted.predict(X), rtol=1e-4, atol=1e-4)


def test_components_of_a_table_with_holes_are_those_of_rows_drawn(tmp_path):
    """A hole would stop the components, though in memory it does not."""
    write_parts(tmp_path, _with_holes(), (4,), row_group_size=190)
    with pytest.warns(TamisWarning, match="components are those of 100,000 rows drawn from its 2,000"):
        found = PCA(2).fit(lazy_table(tmp_path / "4", 128, target="y").drop(["y", "w"]))
    wanted = PCA(2).fit(read(_with_holes(), target="y").drop(["y", "w"]))
    np.testing.assert_allclose(found.spectrum_, wanted.spectrum_, rtol=1e-9)


def test_a_target_of_words_is_refused(tmp_path):
    """The places of words in the alphabet would pass for numbers."""
    rows = _rows()
    yes = pa.array(np.where(rows["y"].to_numpy() > 2_000, "yes", "no"))
    write_parts(tmp_path, rows.append_column("two", yes), (2,), row_group_size=500)
    table = lazy_table(tmp_path / "2", 256)
    for target in ("w", "two"):
        with pytest.raises(TableError, match=f"the target '{target}' holds words, which are no numbers"):
            LinearRegressor().fit(table, target)
