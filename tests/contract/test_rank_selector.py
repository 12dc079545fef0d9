"""RankSelector keeps scikit-learn's contract."""

import pytest
from sklearn.feature_selection import f_classif
from tests.contract.checks import assert_every_check_passes

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


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", SETTINGS, ids=repr)
def test_scikit_learns_checks(estimator):
    """The selector cannot be used as other scikit-learn transformers are."""
    assert_every_check_passes(estimator)


def test_takes_scikit_learns_own_score_functions():
    """A function that returns scores and p-values, as scikit-learn's do, is not taken as a criterion."""
    selector = RankSelector(f_classif, k=1).fit([[1, 5], [2, 5], [3, 4], [4, 5]], [0, 0, 1, 1])
    assert selector.get_support().tolist() == [True, False]
