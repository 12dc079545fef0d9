"""Every estimator check of scikit-learn, with no expected failure."""

import pytest
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

from tamis import ShadowSelector, StabilitySelector, SubsetSelector

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
]


def _cases():
    for number, estimator in enumerate(ESTIMATORS):
        for instance, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            yield pytest.param(instance, check, id=f"{number}-{type(estimator).__name__}-{name}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list(_cases()))
def test_scikit_learn_accepts_it(estimator, check):
    """Pipelines, grid searches and clones would break."""
    check(estimator)
