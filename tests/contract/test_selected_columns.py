"""`selected_columns_` means one thing: the names of the columns that the fitted model uses, as a tuple."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import tamis
from tamis import linear, search

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(160, 7)), columns=["a", "b", "c", "d", "e", "f", "g"])
Y = X.b + 0.5 * X.e + 0.3 * RNG.normal(size=160)
C = np.where(Y > 0, "yes", "no")
GRADE = np.digitize(Y, [-0.8, 0.8])
COUNT = RNG.poisson(np.exp(0.6 * X.b))

MODELS = {
    "lasso": (tamis.LinearRegressor(), Y),
    "ridge": (tamis.LinearRegressor("ridge"), Y),
    "subset": (tamis.LinearRegressor("subset", k=2), Y),
    "relaxed": (tamis.LinearRegressor(relax="cv"), Y),
    "poisson": (tamis.LinearRegressor(loss="poisson"), COUNT),
    "logistic": (tamis.LinearClassifier(), C),
    "hinge": (tamis.LinearClassifier(loss="hinge"), C),
    "cumulative logit": (tamis.LinearClassifier(loss="cumulative_logit"), GRADE),
    "tree": (tamis.TreeRegressor(max_depth=2), Y),
    "oblique tree": (tamis.TreeRegressor(max_depth=1, splits="oblique"), Y),
    "linear leaves": (tamis.TreeRegressor(max_depth=1, leaf="linear"), Y),
    "logistic leaves": (tamis.TreeClassifier(max_depth=1, leaf="logistic"), C),
    "tree of classes": (tamis.TreeClassifier(prune="cv"), C),
    "ordinal tree": (tamis.TreeClassifier(criterion="ordinal", max_depth=2), GRADE),
    "optimal tree": (tamis.TreeClassifier(search="optimal", max_depth=2), C),
    "tree of two targets": (tamis.TreeRegressor(max_depth=1), np.column_stack([Y, X.c])),
    "forest": (tamis.ForestRegressor(3, max_depth=1), Y),
    "forest of classes": (tamis.ForestClassifier(3, max_depth=1), C),
    "oblique forest": (tamis.ForestClassifier(1, max_depth=1, splits="oblique"), C),
    "ordinal forest": (tamis.ForestClassifier(3, criterion="ordinal", level_scores="normal", max_depth=1), GRADE),
    "forest of two targets": (tamis.ForestClassifier(2, max_depth=1), np.column_stack([C, GRADE])),
    "boosting": (tamis.BoostingRegressor(n_estimators=2, max_depth=1), Y),
    "boosting of classes": (tamis.BoostingClassifier(n_estimators=2, max_depth=1), C),
    "additive": (tamis.AdditiveRegressor(max_columns=2), Y),
    "score card": (linear.ScoreCard(max_terms=3, cv=None), C),
    "score card of numbers": (linear.ScoreCardRegressor(max_terms=3, cv=None), Y),
    "sifted forest": (search.MirrorSelector(tamis.ForestClassifier(20)), C),
}


@pytest.mark.parametrize("name", list(MODELS))
def test_other_columns_do_not_matter(name):
    """A column that the model uses would be left out of the list, or one it does not use would stand there."""
    model, y = MODELS[name]
    model.fit(X, y)
    used = model.selected_columns_
    assert isinstance(used, tuple)
    assert used == tuple(column for column in X.columns if column in used)  # in the order of the table
    assert len(used) > 0
    others = [column for column in X.columns if column not in used]
    shuffled = X.assign(**{column: RNG.permutation(X[column]) for column in others})
    np.testing.assert_array_equal(model.predict(shuffled), model.predict(X))
    if name in ("hinge", "oblique forest"):  # a class may stay where a probability moves
        return
    says = model.predict_proba if hasattr(model, "predict_proba") and "two targets" not in name else model.predict
    for column in used:
        moved = X.assign(**{column: RNG.permutation(X[column])})
        assert not np.array_equal(says(moved), says(X)), f"{column} changes nothing"


@pytest.mark.parametrize("name", ["lasso", "tree", "forest", "boosting", "additive", "score card"])
def test_without_names_they_are_numbered(name):
    """A program could not find the columns of a matrix: x0, x1, … stand for positions, in every estimator."""
    model, y = MODELS[name]
    named = model.fit(X, y).selected_columns_
    numbered = model.fit(X.to_numpy(), y).selected_columns_
    assert numbered == tuple(f"x{list(X.columns).index(column)}" for column in named)


def test_selectors_say_the_same():
    """A selector would name its columns otherwise than a model does."""
    for selector in (
        tamis.RankSelector(k=2),
        tamis.SubsetSelector(LogisticRegression(), k=2),
        tamis.StabilitySelector(tamis.RankSelector(k=2), n_resamples=10),
        tamis.ShadowSelector(),
        search.KnockoffSelector(fdr=0.4),
    ):
        used = selector.fit(X, C).selected_columns_
        assert used == tuple(X.columns[selector.get_support()])
