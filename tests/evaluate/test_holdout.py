"""The reusable holdout: adaptive questions do not overfit it, and the budget ends."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tamis.errors import ParameterError, StudyError
from tamis.evaluate.holdout import ReusableHoldout

TRAIN, HELD = np.arange(2000), np.arange(2000, 4000)


def attack(ask_train, ask_holdout, d):
    """Keep the columns whose sign agrees on both sides, then vote: the classical way to overfit a holdout."""
    train, held = np.array([ask_train(j) for j in range(d)]), np.array([ask_holdout(j) for j in range(d)])
    kept = (train - 0.5) * (held - 0.5) > 0
    return np.where(kept, np.sign(train - 0.5), 0)


def test_an_adaptive_analyst_fools_a_plain_holdout_but_not_this_one():
    """Without a relation, the vote of columns picked with the holdout looks good on it; here it must not."""
    rng = np.random.default_rng(0)
    d, train, held = 500, np.arange(1000), np.arange(1000, 2000)
    X, y = rng.choice([-1.0, 1.0], size=(2000, d)), rng.integers(0, 2, 2000)

    def right(j):
        return lambda X, y: (X[:, j] > 0) == (y == 1)

    def voting(weights):
        return lambda X, y: (X @ weights > 0) == (y == 1)

    def ask(rows):
        return lambda j: ((X[rows, j] > 0) == (y[rows] == 1)).mean()

    plain = attack(ask(train), ask(held), d)
    fooled = voting(plain)(X[held], y[held]).mean()
    assert fooled > 0.6
    holdout = ReusableHoldout(X, y, train=train, holdout=held, threshold=0.06, budget=50)
    careful = attack(ask(train), lambda j: holdout.query(right(j)), d)
    assert not holdout.spent
    assert holdout.asked == d
    answer = holdout.query(voting(careful))
    assert voting(careful)(X[train], y[train]).mean() > 0.65
    assert abs(answer - 0.5) < 0.04 < fooled - 0.5


def test_answers_come_from_training_until_the_two_disagree():
    """As long as the sides agree, nothing of the holdout may be told and nothing is spent."""
    X, y = np.zeros((4000, 1)), np.zeros(4000)
    holdout = ReusableHoldout(X, y, train=TRAIN, holdout=HELD, budget=2)
    assert all(holdout.query(lambda X, y: np.full(len(y), 0.3)) == pytest.approx(0.3) for _ in range(50))
    assert (holdout.asked, holdout.remaining) == (50, 2)
    X[HELD] = 1
    holdout = ReusableHoldout(X, y, train=TRAIN, holdout=HELD, budget=2)
    first = holdout.query(lambda X, y: X[:, 0])
    assert first == pytest.approx(1, abs=0.1)
    assert holdout.remaining == 1
    assert not holdout.spent
    holdout.query(lambda X, y: X[:, 0])
    assert holdout.spent
    with pytest.raises(StudyError, match="budget of 2 answers is spent after 2 questions"):
        holdout.query(lambda X, y: X[:, 0])


def test_a_model_can_be_asked_for_its_accuracy():
    """The common question must be one call."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=4000) > 0).astype(int)
    model = LogisticRegression().fit(X[TRAIN], y[TRAIN])
    holdout = ReusableHoldout(X, y, train=TRAIN, holdout=HELD)
    assert holdout.accuracy(model) == pytest.approx((model.predict(X[HELD]) == y[HELD]).mean(), abs=0.04)


def test_the_guarantee_holds_and_behaves():
    """Every answer must stay within the stated distance; more rows tighten it, more questions and budget loosen it."""

    def bound(n=2000, budget=20, m=100, **settings):
        X, y = np.zeros((2 * n, 1)), np.zeros(2 * n)
        rows = {"train": np.arange(n), "holdout": np.arange(n, 2 * n)}
        return ReusableHoldout(X, y, budget=budget, **rows, **settings).guarantee(m)

    assert bound(n=20000) < bound() < bound(m=1000) < 1
    assert bound(budget=2) < bound()
    assert bound(n=200_000, noise=1e-4, threshold=0.01) < 0.05
    assert bound(n=10) == 1
    rng = np.random.default_rng(0)
    n, d, worst = 20000, 60, 0.0
    X, y = rng.random((2 * n, d)) > 0.5, rng.integers(0, 2, 2 * n)
    holdout = ReusableHoldout(
        X, y, train=np.arange(n), holdout=np.arange(n, 2 * n), threshold=0.03, noise=0.001, budget=5
    )
    for j in range(d):
        worst = max(worst, abs(holdout.query(lambda X, y, j=j: X[:, j] == y) - 0.5))
    assert worst < holdout.guarantee(d)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"train": [0, 1], "holdout": [1, 2]}, "position 1 is in both"),
        ({"train": [], "holdout": [1, 2]}, "has no rows"),
        ({"threshold": 0}, "threshold=0 is out of range"),
        ({"noise": -1}, "noise=-1 is out of range"),
        ({"budget": 0}, "budget=0 is too small"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, says):
    """A holdout set up wrongly guards nothing."""
    with pytest.raises(ParameterError) as caught:
        ReusableHoldout(np.zeros((4000, 1)), np.zeros(4000), **{"train": TRAIN, "holdout": HELD, **settings})
    assert says in str(caught.value)


def test_questions_that_are_no_mean_of_bounded_values_are_refused():
    """The guarantee holds for values in [0, 1], one a row."""
    holdout = ReusableHoldout(np.zeros((4000, 1)), np.zeros(4000), train=TRAIN, holdout=HELD)
    with pytest.raises(ParameterError, match="give one value per row"):
        holdout.query(lambda X, y: 0.5)
    with pytest.raises(ParameterError, match=r"values in \[2, 2\]"):
        holdout.query(lambda X, y: np.full(len(y), 2.0))
