"""Every strategy finds the true set where it must, and the textbook's traps are traps."""

import itertools

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier

from tamis import SubsetSelector
from tamis.errors import ParameterError
from tamis.search import Backward, Elimination, Forward, Genetic
from tamis.search.strategy import strategy_names

FAST = [word for word in strategy_names() if word not in ("branch-and-bound",)]


@pytest.mark.parametrize("search", FAST)
def test_the_true_columns_of_a_clear_problem_are_found(search):
    """A strategy would miss three strong, additive, independent columns among seven: greedy is enough there."""
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 7))
    y = X[:, 1] - 2 * X[:, 3] + X[:, 6] + 0.5 * random.normal(size=120)
    found = SubsetSelector(LinearRegression(), search=search, k=3).fit(X, y)
    assert found.selected_ == [1, 3, 6]
    assert found.score_ == max(trial.score for trial in found.history_ if len(trial.columns) == 3)


def test_forward_misses_the_xor_pair_and_backward_keeps_it(xor_data):
    """Each of the pair is useless alone, so forward has no reason to take it; backward sees what its loss costs."""
    X, y = xor_data
    model = KNeighborsClassifier(7)
    assert SubsetSelector(model, search="backward", k=2).fit(X, y).selected_ == [1, 4]
    forward = SubsetSelector(model, search="forward", k=2).fit(X, y)
    assert set(forward.selected_) != {1, 4}
    assert forward.score_ < 0.65


def test_best_first_escapes_where_greedy_stops():
    """The set {0, 1} is worth more, but only beyond a step that loses: greedy stops, backtracking goes on."""
    worth = {(0,): 0.5, (1,): 0.1, (2,): 0.2, (0, 1): 0.45, (0, 2): 0.4, (1, 2): 0.3, (0, 1, 2): 0.9}

    def value(X, y):
        return worth[tuple(int(v) for v in X[0])]

    X = np.tile(np.arange(3.0), (10, 1))
    y = np.arange(10.0)
    assert SubsetSelector(value, search="forward").fit(X, y).selected_ == [0]
    assert SubsetSelector(value, search="best-first").fit(X, y).selected_ == [0, 1, 2]


def test_variable_3_is_best_alone_but_1_and_2_together_are_perfect():
    """Forward takes the best single column and never gets rid of it; floating and exhaustive find the perfect pair."""
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 200))
    X = np.column_stack([a, b, a + b + 0.6 * random.normal(size=200)])
    y = a + b
    model = LinearRegression()
    assert SubsetSelector(model, k=1).fit(X, y).selected_ == [2]
    assert 2 in SubsetSelector(model, search="forward", k=2).fit(X, y).selected_
    for search in ("exhaustive", "backward", "best-first"):
        assert SubsetSelector(model, search=search, k=2).fit(X, y).selected_ == [0, 1]
    floating = SubsetSelector(model, search="floating", k=(1, 3)).fit(X, y)
    assert floating.selected_ == [0, 1]
    assert floating.score_ == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(6))
def test_branch_and_bound_equals_exhaustive_enumeration(seed):
    """The set said to be proved best would not be the best, at some size."""
    random = np.random.default_rng(seed)
    d = 8
    X = random.normal(size=(40, d)) @ random.normal(size=(d, d))
    y = X @ random.normal(size=d) + 6 * random.normal(size=40)
    found = SubsetSelector(LinearRegression(), search="branch-and-bound", k=(1, d), cv="train").fit(X, y)
    assert found.optimal_
    for size in range(1, d + 1):
        best = max(LinearRegression().fit(X[:, s], y).score(X[:, s], y) for s in itertools.combinations(range(d), size))
        assert found.history_.best[size].score == pytest.approx(best, abs=1e-10)


def test_branch_and_bound_keeps_what_is_fixed_grouped_and_paid_for():
    """Proof would be claimed for sets that are not allowed, or the best allowed set be cut off."""
    random = np.random.default_rng(9)
    X = random.normal(size=(50, 7))
    y = X @ random.normal(size=7) + random.normal(size=50)
    for options in (
        {"fixed": [2], "k": 3},
        {"groups": {"pair": [0, 5]}, "k": 3},
        {"costs": [3, 1, 2, 1, 4, 1, 2], "budget": 5, "k": (1, 7)},
    ):
        exact, slow = (
            SubsetSelector(LinearRegression(), search=search, cv="train", **options).fit(X, y)
            for search in ("branch-and-bound", "exhaustive")
        )
        assert exact.optimal_
        assert exact.selected_ == slow.selected_


def test_branch_and_bound_refuses_scores_that_may_fall(linear_data):
    """A proof that does not hold would be given."""
    with pytest.raises(ParameterError, match="never falls"):
        SubsetSelector(LinearRegression(), search="branch-and-bound", k=2, cv=5).fit(*linear_data)


def test_branch_and_bound_on_consistency(xor_data):
    """The generic tree, on a monotone criterion that is no least squares, would miss the best set."""
    X, y = xor_data
    X = (X > 0).astype(float)
    found = SubsetSelector("consistency", search="branch-and-bound", k=2).fit(X, y)
    assert (found.selected_, found.score_, found.optimal_) == ([1, 4], 1.0, True)


def test_elimination_takes_out_the_lightest_first(linear_data):
    """Recursive elimination would not follow the model's own weights, or depend on the units of the columns."""
    X, y = linear_data
    plain = SubsetSelector(LinearRegression(), search="elimination", k=(1, 7)).fit(X, y)
    units = SubsetSelector(LinearRegression(), search="elimination", k=(1, 7)).fit(X * 2.0 ** np.arange(-3, 4), y)
    assert [t.columns for t in plain.history_] == [t.columns for t in units.history_]
    weight = np.abs(LinearRegression().fit(X, y).coef_) * X.std(axis=0)
    assert set(range(7)) - set(plain.history_[1].columns) == {int(np.argmin(weight))}


def test_several_columns_at_a_time(linear_data):
    """`step` would be ignored."""
    X, y = linear_data
    forward = SubsetSelector(LinearRegression(), search=Forward(step=2), k=4).fit(X, y)
    assert len(forward.selected_) == 4
    backward = SubsetSelector(LinearRegression(), search=Backward(step=3), k=1).fit(X, y)
    assert sorted({len(t.columns) for t in backward.history_ if len(t.columns) != 6}) == [1, 3, 4, 7]
    half = SubsetSelector(LinearRegression(), search=Elimination(step=0.5), k=1).fit(X, y)
    assert [len(t.columns) for t in half.history_] == [7, 4, 2, 1]


def test_random_strategies_repeat_themselves(linear_data):
    """The same seed would give another history."""
    for search in ("random", "annealing", Genetic(population=8, generations=3)):
        one, two, other = (
            SubsetSelector(LinearRegression(), search=search, max_evaluations=20, random_state=seed).fit(*linear_data)
            for seed in (3, 3, 4)
        )
        assert list(one.history_) == list(two.history_)
        assert [t.columns for t in one.history_] != [t.columns for t in other.history_]
