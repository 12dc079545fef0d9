"""Weights of fitted estimators, traced to the columns of the table."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from tamis import LinearRegressor
from tamis.errors import ParameterError
from tamis.search.weights import column_weights

RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {"a": RANDOM.normal(size=80), "word": RANDOM.choice(["x", "y", "z"], 80), "b": RANDOM.normal(size=80)}
)
Y = 3 * FRAME["a"] + 2.0 * (FRAME["word"] == "x") - FRAME["b"]
NUMBERS = FRAME[["a", "b"]]


def test_selectors_imputers_and_scalers_are_followed():
    """A weight would be put down to the wrong column of the table."""
    wide = np.column_stack([RANDOM.normal(size=80), FRAME["a"], RANDOM.normal(size=80), FRAME["b"]])
    steps = SimpleImputer(), StandardScaler(), SelectKBest(f_regression, k=2), LinearRegression()
    found = column_weights(make_pipeline(*steps).fit(wide, 3 * wide[:, 1] - wide[:, 3]), 4)
    np.testing.assert_allclose(found, [0, 3 * wide[:, 1].std(), 0, wide[:, 3].std()], rtol=1e-9)
    holed = wide.copy()
    holed[:, 0] = np.nan  # the imputer leaves the column out
    with np.errstate(all="ignore"), pytest.warns(UserWarning, match="without any observed"):
        fitted = make_pipeline(SimpleImputer(), LinearRegression()).fit(holed, 3 * wide[:, 1] - wide[:, 3])
    np.testing.assert_allclose(column_weights(fitted, 4), [0, 3, 0, 1], atol=1e-9)


@pytest.mark.parametrize("drop", [None, "first"])
@pytest.mark.parametrize("rare", [None, 0.35])
def test_indicators_are_summed_over_their_column(drop, rare):
    """Indicators would be taken for columns, wherever a ColumnTransformer puts them."""
    encode = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), make_column_selector(dtype_include="number")),
        (OneHotEncoder(drop=drop, min_frequency=rare, handle_unknown="ignore"), ["word"]),
    )
    model = make_pipeline(encode, LinearRegression()).fit(FRAME, Y)
    coef = model[-1].coef_
    expected = [abs(coef[0]), np.abs(coef[2:]).sum(), abs(coef[1])]
    np.testing.assert_allclose(column_weights(model, 3), expected)
    rest = make_column_transformer(("drop", [2]), (OneHotEncoder(), slice(1, 2)), remainder="passthrough")
    model = make_pipeline(rest, LinearRegression()).fit(FRAME, Y)
    coef = model[-1].coef_
    np.testing.assert_allclose(column_weights(model, 3), [abs(coef[3]), np.abs(coef[:3]).sum(), 0])


def test_searches_functions_and_own_models_are_looked_into():
    """A model inside a grid search, or one that encodes for itself, would have no weights."""
    grid = GridSearchCV(
        make_pipeline(StandardScaler(), LinearRegression()), {"linearregression__fit_intercept": [True]}
    )
    plain = make_pipeline(StandardScaler(), LinearRegression()).fit(NUMBERS, Y)
    np.testing.assert_array_equal(column_weights(grid.fit(NUMBERS, Y), 2), column_weights(plain, 2))
    logs = make_pipeline(FunctionTransformer(np.tanh), LinearRegression()).fit(NUMBERS, Y)
    np.testing.assert_array_equal(column_weights(logs, 2), np.abs(logs[-1].coef_))
    own = LinearRegressor(None).fit(FRAME, Y)
    np.testing.assert_array_equal(column_weights(own, 3), own.feature_importances_)
    several = LogisticRegression().fit(NUMBERS, FRAME["word"])
    np.testing.assert_allclose(column_weights(several, 2), np.abs(several.coef_).sum(axis=0))
    bare = make_pipeline(SelectKBest(f_regression, k=1), "passthrough").fit(NUMBERS, Y)
    assert column_weights(bare, 2).tolist() == [1, 0]


def test_what_has_no_weights_gets_a_sentence():
    """A user would not learn why nothing was chosen."""
    with pytest.raises(ParameterError, match="PCA makes new columns of several"):
        column_weights(make_pipeline(PCA(), LinearRegression()).fit(NUMBERS, Y), 2)
    for model in (KNeighborsRegressor(), make_pipeline(StandardScaler(), KNeighborsRegressor())):
        with pytest.raises(ParameterError, match="KNeighborsRegressor has neither get_support nor coef_"):
            column_weights(model.fit(NUMBERS, Y), 2)
    with pytest.raises(ParameterError, match="2 weights for 3 columns"):
        column_weights(LinearRegression().fit(NUMBERS, Y), 3)
