"""Every estimator check of scikit-learn, with no expected failure."""

import inspect

import pytest
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier
from tests.contract.checks import assert_every_check_passes

from tamis import (
    ForestClassifier,
    ForestRegressor,
    KnockoffSelector,
    MirrorSelector,
    ShadowSelector,
    StabilitySelector,
    SubsetSelector,
)
from tamis.errors import ParameterError

ESTIMATORS = [
    SubsetSelector(LinearRegression(), k=1, cv=2),
    SubsetSelector(Ridge(), search="backward", cv=2, rule="1se"),
    SubsetSelector(LinearRegression(), search="branch-and-bound", k=1, cv="train"),
    SubsetSelector(DecisionTreeClassifier(random_state=0), search="floating", k=1, cv=2),
    SubsetSelector(LogisticRegression(), search="elimination", k=1, cv=2),
    SubsetSelector("mrmr", k=1),
    SubsetSelector(LinearRegression(), search="annealing", k=1, cv=2, max_evaluations=8),
    StabilitySelector(Lasso(alpha=1e-3), n_resamples=4, combine="union"),
    StabilitySelector(SelectKBest(f_classif, k=1), n_resamples=4, threshold=0.5, resample="bootstrap"),
    ShadowSelector(max_rounds=2, keep="undecided"),
    KnockoffSelector(fdr=0.9, offset=0),
    KnockoffSelector(Ridge(), fdr=0.9, offset=0),
    MirrorSelector(),
    MirrorSelector(ForestClassifier(20), leaves=1),
    MirrorSelector(ForestRegressor(20), leaves=(1, 5), features=1),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_scikit_learn_accepts_it(estimator):
    """Pipelines, grid searches and clones would break."""
    assert_every_check_passes(estimator)


@pytest.mark.parametrize(
    "selector", [MirrorSelector(), ShadowSelector(), StabilitySelector(Lasso()), KnockoffSelector()], ids=repr
)
def test_weights_are_refused_in_a_sentence(selector):
    """Python's words about a keyword do not say why, nor which selectors take weights."""
    X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    with pytest.raises(ParameterError, match=r"takes no sample_weight, .* RankSelector or SubsetSelector"):
        selector.fit(X, y, sample_weight=[1, 2, 3])
    with pytest.raises(TypeError, match=r"fit takes X and y, but not 'groups'; leave it out"):
        selector.fit(X, y, groups=[1, 2, 3])
    request = getattr(selector, "set_fit_request", None)  # of the forest its exposure, and no weights
    asked = set() if request is None else set(inspect.signature(request).parameters) - {"self"}
    assert asked == ({"exposure"} if isinstance(selector, MirrorSelector) else set())
