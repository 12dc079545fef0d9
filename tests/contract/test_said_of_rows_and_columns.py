"""Sentences count rows from one, and whatever chooses columns names them."""

import numpy as np
import pandas as pd
import pytest

import tamis
from tamis import metrics, transform
from tamis.additive import AdditiveRegressor
from tamis.boosting import BoostingRegressor
from tamis.errors import TamisError
from tamis.linear import LinearRegressor
from tamis.score import RankSelector
from tamis.search import MirrorSelector, ShadowSelector, StabilitySelector, SubsetSelector
from tamis.split import folds
from tamis.tree import TreeClassifier, TreeRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
NUMBERS = X[:, 1] + 0.1 * RNG.normal(size=60)
CLASSES = np.where(NUMBERS > 0, "a", "b")


def first_infinite() -> None:
    TreeRegressor().fit(np.vstack([[np.inf] * 4, X]), np.arange(61.0))


def first_class() -> None:
    TreeClassifier().fit(X, np.array([None, *CLASSES[1:]], dtype=object))


FIRST = {
    "infinite": first_infinite,
    "target": first_class,
    "groups": lambda: folds(3, NUMBERS, groups=[None, *range(59)], classifier=False, seed=0),
    "count": lambda: LinearRegressor(loss="poisson").fit(X, np.r_[-1.0, np.ones(59)]),
    "label": lambda: metrics.score("accuracy", CLASSES, np.array(["z", *CLASSES[1:]]), labels=["a", "b"]),
    "logarithm": lambda: transform.Log(offset=1.0).fit_transform(np.r_[[-5.0], np.ones(3)][:, None]),
    "share": lambda: transform.Shares().fit_transform(np.array([[-1.0, 2.0], [1.0, 1.0]])),
    "zeros": lambda: transform.Normalize(zero="raise").fit_transform(np.array([[0.0, 0.0], [1.0, 1.0]])),
    "sigmoid": lambda: transform.Sigmoid().fit(np.eye(2)).inverse_transform(np.array([[2.0, 0.5]])),
    "signal": lambda: transform.Smooth().fit(np.vstack([[np.nan] * 20, np.ones((3, 20))])),
    "table": lambda: tamis.read({"a": ["x", "1", "2"]}, types="a=numeric"),
    "exposure": lambda: tamis.Study({"y": [1] * 12, "e": [0.0] * 12}, target="y", exposure="e").problem,
}


@pytest.mark.parametrize("which", FIRST)
def test_the_first_row_is_row_1_in_every_sentence(which):
    """If this fails, a reader looks for the fault one row too early: rows were counted from 0 in some sentences."""
    with pytest.raises(TamisError, match=r"row 1\b"):
        FIRST[which]()


@pytest.mark.parametrize(
    "model",
    [
        LinearRegressor(alpha=0.05),
        TreeRegressor(max_depth=1),
        BoostingRegressor(5),
        AdditiveRegressor(max_columns=1),
        RankSelector("pearson", k=1),
        SubsetSelector(LinearRegressor(None), search="forward", k=1),
        StabilitySelector(RankSelector("pearson", k=1), n_resamples=20),
        ShadowSelector(max_rounds=40, random_state=0),
        MirrorSelector(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore:no column")
def test_models_and_selectors_name_the_columns_they_chose(model):
    """If this fails, `selected_columns_` exists on some of what chooses columns only."""
    frame = pd.DataFrame(X, columns=["d", "c", "b", "a"])
    fitted = model.fit(frame, NUMBERS)
    named = list(fitted.selected_columns_)
    assert all(name in frame.columns for name in named)
    if hasattr(fitted, "get_support"):
        assert set(named) == set(frame.columns[fitted.get_support()])
    assert "c" in named
    again = type(model)(**model.get_params(deep=False)).fit(X, NUMBERS)
    assert all(name in ("x0", "x1", "x2", "x3") for name in again.selected_columns_)


def test_a_type_of_the_target_decides_the_task(tmp_path):
    """If this fails, types='n=numeric' is ignored where whole numbers are few."""
    table = pd.DataFrame(X, columns=list("abcd")).assign(n=RNG.integers(1, 5, 60))
    made = {
        word: tamis.Study(table, target="n", types=f"n={word}", folder=tmp_path / word)
        for word in ("numeric", "categorical")
    }
    assert made["numeric"].problem.task == "regression"
    assert made["categorical"].problem.task == "classification"


def test_words_are_no_numbers_to_a_metric():
    """If this fails, the mean absolute error of words is an error of NumPy's."""
    with pytest.raises(TamisError, match="mae is of numbers, but y holds 'a'; give numbers, or a metric of classes"):
        metrics.score("mae", ["a", "b"], ["a", "b"])


def test_denoise_leaves_less_noise_than_its_former_default():
    """If this fails, the default is again the one that left 71% of the noise's power on a sine of eight cycles."""
    at = np.linspace(0, 1, 512, endpoint=False)
    clean = np.sin(2 * np.pi * 8 * at)
    left = {}
    for name, settings in {"now": {}, "former": {"how": "soft", "threshold": "universal", "wavelet": "db4"}}.items():
        noise = 0.3 * np.random.default_rng(0).normal(size=(20, 512))
        found = transform.Denoise(**settings).fit_transform(clean + noise)
        left[name] = float(((found - clean) ** 2).mean() / (noise**2).mean())
    assert left["now"] < 0.45
    assert left["now"] < left["former"] - 0.2
