"""What holds for every transform of signals."""

import json
from importlib.util import find_spec

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline

import tamis
from tamis import LinearRegressor, Table
from tamis.errors import DamagedError
from tamis.transform import signals

EVERY = [
    signals.Smooth(),
    signals.Smooth("moving-average"),
    signals.Derivative(2),
    signals.Sharpen(),
    signals.Baseline(lam=100.0),
    signals.Baseline("modpoly"),
    signals.Convolve([1.0, 3.0, 2.0]),
    signals.Convolve("edges", shape=(3, 4)),
    signals.Fourier(),
    signals.Fourier("parts"),
    signals.Fourier(bands=[(0.0, 0.1), (0.1, 0.5)]),
    signals.ScatterCorrection(),
    signals.ScatterCorrection("snv", reference="median"),
    signals.Denoise(),
    signals.Denoise(threshold="bayes", wavelet="haar"),
    signals.Wavelet(),
    signals.Wavelet("coefficients", wavelet="db2"),
]
WITH_EXTRA = pytest.mark.skipif(not find_spec("pywt"), reason="needs tamis[signal]")
every = pytest.mark.parametrize(
    "transform",
    [pytest.param(one, marks=WITH_EXTRA) if hasattr(one, "wavelet") else one for one in EVERY],
    ids=repr,
)


def rows(n=30, positions=12, seed=0):
    return np.random.default_rng(seed).normal(size=(n, positions)).cumsum(axis=1)


@every
@pytest.mark.filterwarnings("ignore::tamis.errors.NotConverged")  # 6 of 50,000 baselines go in circles
def test_any_number_of_threads_gives_the_same_bits(transform):
    """Bits depend on n_jobs. 12 positions are worked on 21,845 rows at a time, so these are three tasks."""
    X = rows(50_000)
    one = transform.fit_transform(X)
    np.testing.assert_array_equal(one, type(transform)(**{**transform.get_params(), "n_jobs": 3}).fit_transform(X))


@every
def test_a_row_is_transformed_on_its_own(transform):
    """A row's result depends on the rows beside it."""
    X = rows()
    transform.fit(X)
    together = transform.transform(X)
    alone = np.vstack([transform.transform(X[[i]]) for i in range(len(X))])
    np.testing.assert_allclose(together, alone, rtol=1e-13, atol=1e-13)


@every
@pytest.mark.filterwarnings("ignore::tamis.errors.NotConverged")  # some baselines go in circles
@given(seed=st.integers(0, 2**16), changed=st.floats(-1e6, 1e6))
@settings(max_examples=10, deadline=None)
def test_rows_outside_fit_leave_no_trace(transform, seed, changed):
    """What is learned, or what becomes of a row, depends on rows that were not in fit, through a table or its views."""
    X = rows(20, seed=seed)
    other = X.copy()
    train = np.random.default_rng(seed).permutation(20)[:12]
    held_out = np.setdiff1d(np.arange(20), train)
    other[held_out] += changed
    fits = [type(transform)(**transform.get_params()).fit(Table.of(part).share().take(train)) for part in (X, other)]
    assert json.dumps(fits[0].to_dict()) == json.dumps(fits[1].to_dict())
    np.testing.assert_array_equal(fits[0].transform(X[train]), fits[1].transform(X[train]))


@every
def test_json_returns_the_transform(transform):
    """A transform written as JSON and read again transforms otherwise, or has other names."""
    X = pd.DataFrame(rows()).rename(columns=lambda j: f"s_{j}").assign(who="a")
    transform = type(transform)(**{**transform.get_params(), "columns": "s_*"}).fit(X)
    again = type(transform).from_dict(json.loads(json.dumps(transform.to_dict())))
    assert again.get_feature_names_out().tolist() == transform.get_feature_names_out().tolist()
    pd.testing.assert_frame_equal(again.transform(X), transform.transform(X))


@every
def test_damage_is_told(transform):
    """Saved blocks that do not hold the transformed columns are taken as they are."""
    facts = transform.fit(rows()).to_dict()
    facts["state"]["blocks"] = [["signal", list(range(11))]]
    with pytest.raises(DamagedError, match=r"damaged: its blocks do not hold the columns it transforms; fit it again$"):
        type(transform).from_dict(facts)


@every
def test_frames_and_arrays_give_the_same(transform):
    """A frame of pandas or polars, a Table or float32 gives other numbers than the array."""
    X = rows()
    expected = transform.fit_transform(X)
    names = [f"c{j}" for j in range(12)]
    for form in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        np.testing.assert_array_equal(transform.fit_transform(form), expected)
    table = transform.fit_transform(Table.of(pd.DataFrame(X, columns=names)))
    assert isinstance(table, Table)
    np.testing.assert_array_equal(table.numbers(), expected)
    single = X.astype(np.float32)
    np.testing.assert_array_equal(transform.fit_transform(single), transform.fit_transform(single.astype(float)))


@every
def test_a_missing_value_is_named(transform):
    """A missing value gives missing results, or a sentence without its column and row."""
    X = rows()
    transform.fit(X)
    X[4, 7] = np.nan
    with pytest.raises(ValueError, match=r"^missing value .NaN. in column 'x7', row 5; give missing='interpolate'"):
        transform.transform(X)


@every
def test_missing_values_are_interpolated_on_request(transform):
    """Missing values do not lie between their neighbours, or a signal without any value is invented."""
    X = rows()
    filled = X.copy()
    filled[4, 7] = (X[4, 6] + X[4, 8]) / 2
    filled[5, 0] = filled[5, 1] = X[5, 2]
    X[4, 7] = X[5, 0] = X[5, 1] = np.nan
    asked = type(transform)(**{**transform.get_params(), "missing": "interpolate"}).fit(filled)
    np.testing.assert_allclose(asked.transform(X), asked.transform(filled), atol=1e-12)
    X[6] = np.nan
    found = asked.transform(X)
    assert np.isnan(found[6]).all()
    assert np.isfinite(np.delete(found, 6, axis=0)).all()
    np.testing.assert_array_equal(asked.fit_transform(X)[6], found[6])


def test_missing_values_of_other_columns_do_not_matter():
    """A hole in a column that passes through is refused."""
    frame = pd.DataFrame(rows()).rename(columns=lambda j: f"s_{j}").assign(age=np.nan)
    assert signals.Smooth(columns="s_*").fit_transform(frame).shape == (30, 13)


@every
def test_in_a_pipeline_and_in_nested_score(transform):
    """The transform cannot stand before a model, in a fit or in folds."""
    X = rows(60)
    y = X[:, 3] - X[:, 9]
    procedure = make_pipeline(type(transform)(**transform.get_params()), LinearRegressor(penalty="ridge", alpha=0.1))
    assert procedure.fit(X, y).predict(X).shape == (60,)
    assert np.isfinite(tamis.nested_score(procedure, X, y, outer=3).mean)


@every
def test_the_input_is_not_written_to(transform):
    """The user's array changes."""
    X = rows()
    X.flags.writeable = False
    transform.fit(X)
    transform.transform(X)
    if hasattr(transform, "inverse_transform"):
        transform.inverse_transform(transform.transform(X))
