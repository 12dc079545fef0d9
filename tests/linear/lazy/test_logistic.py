"""Logistic models of lazy tables: the optimum of the rows in memory, the same bits for any cut of the files."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from tests.table.lazy.parts import lazy_table, write_parts

from tamis import LinearClassifier, read
from tamis.engine import use
from tamis.errors import ParameterError
from tamis.table import LazyTable


def _rows(n: int = 1_500) -> pa.Table:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n, 5)) * [1, 10, 0.1, 1, 1] + [0, 50, 0, 5, 0]
    word = rng.choice(np.array(["p", "q", "r"]), n)
    eta = X[:, 0] + 0.1 * (X[:, 1] - 50) + 1.5 * (word == "q") - 0.5
    answer = np.where(eta + rng.logistic(size=n) > 0, "yes", "no")
    return pa.table({**{f"x{j}": X[:, j] for j in range(5)}, "w": pa.array(word), "y": answer})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("logistic"), _rows(), (1, 4), row_group_size=190)


def _lazy(folder, parts=4) -> LazyTable:
    return lazy_table(folder / str(parts), 128, target="y")


def _in_memory():
    table = read(_rows(), target="y")
    words = np.array(["no", "yes"])
    return table.drop(["y"]), words[table.column("y").values.astype(int)]


@pytest.mark.parametrize(
    "given",
    [
        {"penalty": None},
        {"penalty": "lasso", "alpha": 0.02},
        {"penalty": "ridge", "alpha": 0.1},
        {"penalty": "elastic-net", "alpha": 0.05, "standardize": False},
    ],
    ids=["none", "lasso", "ridge", "not standardised"],
)
def test_the_optimum_is_that_of_the_rows(folder, given):
    """A model of a large table would be an approximation without saying so."""
    X, y = _in_memory()
    model, wanted = LinearClassifier(**given).fit(_lazy(folder), "y"), LinearClassifier(**given).fit(X, y)
    np.testing.assert_allclose(model.coef_, wanted.coef_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(model.intercept_, wanted.intercept_, rtol=1e-4, atol=1e-5)
    assert model.selected_columns_ == wanted.selected_columns_
    assert model.predict(X).tolist() == wanted.predict(X).tolist()
    np.testing.assert_allclose(model.feature_importances_, wanted.feature_importances_, rtol=1e-3, atol=1e-6)


def test_folds_choose_a_strength_that_does_as_well(folder):
    """The path is approximate; the strength it picks must not be."""
    X, y = _in_memory()
    model, wanted = (
        LinearClassifier(cv=5, rule="min").fit(_lazy(folder), "y"),
        LinearClassifier(cv=5, rule="min").fit(X, y),
    )
    best, known = model.path_.cv_mean.min(), wanted.path_.cv_mean.min()
    assert best == pytest.approx(known, rel=0.02)
    assert {"x0", "x1", "w"} <= set(model.selected_columns_)
    exact = LinearClassifier(alpha=model.alpha_).fit(X, y)
    np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-4, atol=1e-6)
    assert LinearClassifier.from_dict(model.to_dict()).predict(X).tolist() == model.predict(X).tolist()


def test_bits_do_not_depend_on_threads_or_on_the_cut_of_the_files(folder):
    """Two runs of one study would differ, and nobody could say why."""
    found = set()
    for parts, threads in ((1, 1), (4, 2)):
        with use("local", n_jobs=threads):
            found.add(LinearClassifier(cv=3).fit(_lazy(folder, parts), "y").coef_.tobytes())
    assert len(found) == 1


def test_what_cannot_be_fitted_says_so(folder):
    """More classes, weights of classes or another loss would end in a traceback."""
    for given in ({"loss": "squared_hinge"}, {"class_weight": "balanced"}, {"penalty": "subset"}):
        with pytest.raises(ParameterError, match=r"give a sample: table\.sample"):
            LinearClassifier(**given).fit(_lazy(folder), "y")
    with pytest.raises(ParameterError, match="has 3 classes"):
        LinearClassifier().fit(_lazy(folder), "w")


def test_missing_values_are_filled_with_the_means_as_in_memory(tmp_path):
    """A large table with a hole in it would have no logistic model, or another one."""
    rows = _rows()
    gone = np.random.default_rng(8).random(rows.num_rows) < 0.2
    rows = rows.set_column(1, "x1", pa.array(rows["x1"].to_pylist(), mask=gone))
    write_parts(tmp_path, rows, (4,), row_group_size=190)
    table = read(rows, target="y")
    X, y = table.drop(["y"]), np.asarray(rows["y"].to_pylist())
    given = {"penalty": "ridge", "alpha": 0.01, "missing": "mean"}
    wanted = LinearClassifier(**given).fit(X, y)
    found = LinearClassifier(**given).fit(lazy_table(tmp_path / "4", 128, target="y"), "y")
    np.testing.assert_allclose(found.coef_, wanted.coef_, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(found.predict_proba(X), wanted.predict_proba(X), atol=1e-5)
