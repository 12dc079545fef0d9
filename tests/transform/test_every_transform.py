"""What holds for every transform: honesty, saving, frames, pipelines."""

import json
import pickle
from contextlib import suppress

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from tests.transform.every import SIGNALS, TRANSFORMS, frame

import tamis
from tamis import Table, transform
from tamis.errors import TamisError

pytestmark = pytest.mark.filterwarnings("ignore")


def ready(kind):
    """The table a transform takes: of signals the numbers alone, without holes."""
    X, y = frame(holes=kind not in SIGNALS)
    if kind in SIGNALS:
        if type(kind).__name__ in ("Denoise", "Wavelet"):
            pytest.importorskip("pywt")
        X = X[[f"x{j}" for j in range(6)] + ["city"]]
    return X, y


def same(a, b):
    """Whether two outputs hold the same bits."""
    if isinstance(a, Table):
        return a.digest() == b.digest()
    if hasattr(a, "equals"):
        return a.equals(b)
    return np.array_equal(a, b, equal_nan=True)


def test_no_transform_is_left_out():
    """A transform that is not in the list is not held to what holds for all."""
    assert {type(t).__name__ for t in TRANSFORMS + SIGNALS} == set(transform.__all__)


@pytest.mark.parametrize("kind", TRANSFORMS + SIGNALS, ids=repr)
def test_rows_outside_fit_leave_no_trace(kind):
    """A score on held-out rows would be flattered: other values, levels and answers there must change nothing."""
    X, y = ready(kind)
    train = np.arange(len(X)) % 3 > 0
    other, answers = X.copy(), y.copy()
    rows = np.flatnonzero(~train)
    for name in X.columns:
        if name.startswith("x"):
            other.loc[rows, name] = X.loc[rows, name].to_numpy()[::-1] * 1e3
    other.loc[rows, "city"] = "Atlantis"
    answers[rows] = 1 - answers[rows]
    here, there = (Table.of(table).take(train) for table in (X, other))
    a, b = clone(kind).fit(here, y[train]), clone(kind).fit(there, answers[train])
    assert a.to_dict() == b.to_dict()
    assert same(a.transform(here), b.transform(there))
    from_frame = clone(kind).fit(other[train], y[train])
    assert from_frame.to_dict()["state"] == a.to_dict()["state"]


@pytest.mark.parametrize("kind", TRANSFORMS, ids=repr)
def test_saved_and_read_again_it_gives_the_same_bits(kind):
    """A study's model.json would predict something else than the study did."""
    X, y = ready(kind)
    fitted = clone(kind).fit(X, y)
    again = type(kind).from_dict(json.loads(json.dumps(fitted.to_dict(), allow_nan=False)))
    assert same(again.transform(X), fitted.transform(X))
    assert again.to_dict() == fitted.to_dict()
    assert list(again.get_feature_names_out()) == list(fitted.get_feature_names_out())
    assert same(pickle.loads(pickle.dumps(fitted)).transform(X), fitted.transform(X))


def spoiled(value, rng):
    """A saved value with one part, drawn at random, replaced or taken away."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = str(rng.choice(sorted(value)))
        if rng.random() < 0.15:
            return {k: v for k, v in value.items() if k != key}
        return {**value, key: spoiled(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        j = int(rng.integers(len(value)))
        if rng.random() < 0.3:
            return value[:j] + value[j + 1 :]
        return [*value[:j], spoiled(value[j], rng), *value[j + 1 :]]
    wrong = [None, "?", -7, 10**9, [1], {"a": 1}, True, 0.5, [[0.0]]]
    return wrong[int(rng.integers(len(wrong)))]


@pytest.mark.parametrize("kind", TRANSFORMS, ids=repr)
def test_a_damaged_file_is_a_sentence_or_still_works(kind):
    """Reading a damaged model.json would end in an error that nobody understands."""
    X, y = ready(kind)
    whole = json.loads(json.dumps(clone(kind).fit(X, y).to_dict()))
    rng = np.random.default_rng(0)
    refused = []
    for _ in range(60):
        try:
            read = type(kind).from_dict(spoiled(whole, rng))
        except TamisError as error:
            refused.append(str(error))
            continue
        with suppress(ValueError, TypeError):  # other columns than the table has
            read.transform(X)
    assert len(refused) > 10
    assert all("fit it again" in said for said in refused)


@pytest.mark.parametrize("kind", TRANSFORMS, ids=repr)
def test_every_library_gets_its_own_frame_with_the_same_numbers(kind):
    """A polars user would get pandas, or categories and dates would be lost on the way."""
    X, y = ready(kind)
    fitted = clone(kind).fit(X, y)
    pandas, table = fitted.transform(X), fitted.transform(Table.of(X))
    polars = clone(kind).fit(pl.from_pandas(X), y).transform(pl.from_pandas(X))
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(polars, pl.DataFrame)
    assert isinstance(table, Table)
    names = list(fitted.get_feature_names_out())
    assert list(pandas.columns) == names == list(polars.columns) == list(table.names)
    assert isinstance(pandas["since"].iloc[0], pd.Timestamp)
    for name in names:
        column = table.column(name)
        if not column.is_categorical and name != "since":
            np.testing.assert_array_equal(pandas[name].astype(float), column.values)
            np.testing.assert_array_equal(polars[name].cast(float).to_numpy(), column.values)


@pytest.mark.parametrize("kind", TRANSFORMS, ids=repr)
def test_arrays_give_arrays_and_set_output_gives_frames(kind):
    """A NumPy user would get frames, or `set_output` would be ignored."""
    X, y = ready(kind)
    numbers = X[[f"x{j}" for j in range(6)]]
    own = clone(kind)
    if getattr(own, "by", None) == "city":
        own.set_params(by=0)
    if isinstance(own, transform.Text):
        own.set_params(columns=None)
    if isinstance(own, transform.Transforms):
        own.set_params(parts="x*: log, standardize")
    made = own.fit(numbers.to_numpy(), y).transform(numbers.to_numpy())
    assert isinstance(made, np.ndarray)
    framed = clone(own).set_output(transform="pandas").fit_transform(numbers, y)
    assert isinstance(framed, pd.DataFrame)
    assert list(framed.columns) == list(clone(own).fit(numbers, y).get_feature_names_out())
    assert isinstance(clone(own).set_output(transform="polars").fit_transform(numbers, y), pl.DataFrame)


@pytest.mark.parametrize("kind", [t for t in TRANSFORMS if hasattr(t, "inverse_transform")], ids=repr)
def test_inverses_return_the_input(kind):
    """Predictions and pictures in the user's own units would be wrong."""
    X, y = ready(kind)
    if isinstance(kind, transform.Rank):
        kind = clone(kind).set_params(n_values=1000)
    fitted = clone(kind).fit(X, y)
    for given in (X, pl.from_pandas(X)):
        back = fitted.inverse_transform(fitted.transform(given))
        back = back.to_pandas() if isinstance(back, pl.DataFrame) else back
        assert list(back.columns) == list(X.columns)
        np.testing.assert_allclose(
            back[[f"x{j}" for j in range(6)]].to_numpy(float), X[[f"x{j}" for j in range(6)]].to_numpy(float)
        )


@pytest.mark.parametrize("kind", TRANSFORMS, ids=repr)
def test_a_model_that_takes_categories_can_follow(kind):
    """Pipelines of a transform and a model of Tamis would not work on mixed frames with holes."""
    X, y = ready(kind)
    fitted = make_pipeline(clone(kind), tamis.TreeClassifier(max_depth=2)).fit(X, y)
    assert fitted.predict(X).shape == y.shape


@pytest.mark.parametrize(
    "words", ["log,standardize", "city: encode(target); impute; rank(normal)", "monomials(most=5)"]
)
def test_in_nested_evaluation_noise_stays_noise(words):
    """A transform that leaks would make noise look predictable."""
    X, _ = frame(n=120, seed=3)
    y = np.random.default_rng(5).integers(0, 2, len(X))
    procedure = make_pipeline(transform.Transforms(words), tamis.TreeClassifier(max_depth=2))
    found = tamis.nested_score(procedure, X, y, outer=3, scoring="roc_auc")
    assert abs(found.mean - 0.5) < 0.15
