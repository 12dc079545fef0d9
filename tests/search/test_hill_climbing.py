"""Hill climbing with random starts: local optima, exchanges where the size is fixed."""

import numpy as np
from sklearn.linear_model import LinearRegression

from tamis.search import HillClimbing, SubsetSelector

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 7))
Y = X[:, 1] - X[:, 4] + 0.2 * RNG.normal(size=80)


def test_every_neighbour_of_the_chosen_set_scores_no_more():
    """The climb would end before a summit."""
    selector = SubsetSelector(LinearRegression(), search="hill-climbing").fit(X, Y)
    scores = {frozenset(trial.columns): trial.score for trial in selector.history_}
    chosen = frozenset(selector.selected_)
    neighbours = [chosen ^ {j} for j in range(7) if chosen ^ {j}]
    assert all(scores[near] <= selector.score_ + 1e-12 for near in neighbours)
    assert {1, 4} <= chosen


def test_a_fixed_size_is_kept_by_exchanges():
    """Climbing at one size would leave it."""
    selector = SubsetSelector(LinearRegression(), search=HillClimbing(n_starts=3), k=2).fit(X, Y)
    assert sorted(selector.selected_) == [1, 4]
    assert {len(trial.columns) for trial in selector.history_} == {2}
