"""RankSelector keeps scikit-learn's contract."""

from functools import partial

import pytest
from sklearn.feature_selection import f_classif
from sklearn.utils.estimator_checks import estimator_checks_generator

from tamis import RankSelector

SETTINGS = [
    RankSelector(),
    RankSelector("anova", k=1),
    RankSelector("variance", share=0.7),
    RankSelector("pearson", threshold=0.0),
    RankSelector(["gini", "chi2", "stump"], combine="reciprocal", share=0.5),
    RankSelector(["mutual_information", "dispersion"], combine="standardised", n_jobs=2),
    RankSelector("symmetric_uncertainty", alpha=0.9, n_permutations=19),
]


def _checks():
    for place, selector in enumerate(SETTINGS):
        for estimator, check in estimator_checks_generator(selector):
            function = check.func if isinstance(check, partial) else check
            yield pytest.param(estimator, check, id=f"{place}-{function.__name__}")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), list(_checks()))
def test_scikit_learns_checks(estimator, check):
    """The selector cannot be used as other scikit-learn transformers are."""
    check(estimator)


def test_takes_scikit_learns_own_score_functions():
    """A function that returns scores and p-values, as scikit-learn's do, is not taken as a criterion."""
    selector = RankSelector(f_classif, k=1).fit([[1, 5], [2, 5], [3, 4], [4, 5]], [0, 0, 1, 1])
    assert selector.get_support().tolist() == [True, False]
