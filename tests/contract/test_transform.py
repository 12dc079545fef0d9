"""Every estimator check of scikit-learn, with no expected failure."""

import numpy as np
import pytest
from tests.contract.checks import assert_every_check_passes

from tamis.transform import (
    Center,
    Clip,
    Discretize,
    Encode,
    Impute,
    KernelFeatures,
    Log,
    Monomials,
    Normalize,
    Rank,
    Ratios,
    Shares,
    Sigmoid,
    Standardize,
    Symmetrize,
    Text,
    Transforms,
    Trim,
    UnitRange,
)


class Numbered(Discretize):
    """Intervals by their place: scikit-learn's checks subtract results, and words cannot be subtracted."""

    def transform(self, X):
        """The place of each word among those of its column."""
        return self._numbered(super().transform(X))

    def fit_transform(self, X, y=None):
        """The same of the rows of `fit`."""
        return self._numbered(super().fit_transform(X, y))

    def _numbered(self, made):
        if not isinstance(made, np.ndarray):
            return made
        places = [{word: place for place, word in enumerate(words)} | {None: np.nan} for words in self.intervals_]
        return np.array([[own[word] for own, word in zip(places, row)] for row in made], dtype=np.float64)


ESTIMATORS = [
    Center(),
    Standardize(),
    UnitRange(),
    Clip(),
    Clip(1.5),
    Clip(quantiles=(0.1, 0.9), floor=0.2),
    Log(),
    Log(1),
    Log(1, below="lowest"),
    Sigmoid(2),
    Rank(),
    Rank("normal", n_values=5),
    Symmetrize(),
    Symmetrize(0.5, tails=0.0),
    Discretize(),
    Discretize("count", 3),
    Discretize("kmeans"),
    Discretize("entropy"),
    Discretize("entropy", 3, target="numbers"),
    Numbered(encode="intervals"),
    Numbered("entropy", encode="intervals"),
    Impute(),
    Impute("median", indicator=True),
    Impute("most_frequent", categories="own"),
    Impute(1.0, by=0),
    Encode(),
    Encode("ordinal", columns=[0]),
    Encode("counts", rare=2),
    Encode("target"),
    Encode("one-hot", columns=[0], rare=3, similar=3),
    Encode("levels"),
    Normalize(),
    Normalize("l1"),
    Normalize("max"),
    Shares(),
    Trim(),
    Monomials(),
    Monomials(3, interactions_only=True),
    Monomials(3, most=2),
    Ratios(),
    Ratios(both=True, most=2),
    KernelFeatures(5),
    KernelFeatures(5, landmarks="kmeans", keep=True),
    Text(),
    Transforms(),
    Transforms("rank; x0: clip(2), center"),
    Transforms([("x*", [Center(), UnitRange()]), ("x0", Monomials())]),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_scikit_learn_accepts_it(estimator):
    """Pipelines, grid searches and clones would break."""
    assert_every_check_passes(estimator)
