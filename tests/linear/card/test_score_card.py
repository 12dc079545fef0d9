"""Score cards: against enumeration, against cards that made the data, and as text, SQL and plain values."""

import itertools
import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from sklearn.base import clone

from tamis import _core
from tamis.errors import DamagedError, TableError
from tamis.linear import ScoreCard, ScoreCardRegressor
from tamis.linear.card.statement import short_number

RIDGE = 0.1  # of the curve's slope, in rows, as the core has it


def curve_loss(total, y, is_logistic):
    """The least loss of a + b · total, by a general minimiser."""
    centred = total - total.mean()

    def loss(parameters):
        eta = parameters[0] + parameters[1] * centred
        rows = np.logaddexp(0, eta) - y * eta if is_logistic else 0.5 * (y - eta) ** 2
        return rows.sum() + 0.5 * RIDGE * max(centred.var(), 1e-12) * parameters[1] ** 2

    return minimize(loss, [0.0, 0.0], method="BFGS", options={"gtol": 1e-9}).fun


@pytest.mark.parametrize("is_logistic", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_enumeration(seed, is_logistic):
    """No choice of points from -2 to 2 for two of four statements is clearly better than the card that is found."""
    rng = np.random.default_rng(seed)
    holds = (rng.random((4, 60)) < 0.4).astype(np.uint8)
    eta = 1.5 * holds[0] - 1.0 * holds[1] + 0.3 * holds[2] - 0.2
    y = (rng.random(60) < 1 / (1 + np.exp(-eta))).astype(float) if is_logistic else eta + 0.5 * rng.normal(size=60)
    _, _, _, _, found = _core.score_cards(holds, y, np.ones(60), is_logistic, 2, 2, np.zeros(0, np.int8))[1]
    best = min(
        curve_loss(p * holds[i].astype(float) + q * holds[j].astype(float), y, is_logistic)
        for i, j in itertools.combinations(range(4), 2)
        for p, q in itertools.product([1, 2], [-2, -1, 1, 2])
    )
    assert found <= best + 1e-3 * len(y)
    assert found >= best - 1e-6 * len(y)


def patients(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(20, 90, n).astype(float), "weight": rng.normal(75, 12, n).round(1)})
    frame["smoker"] = rng.choice(["yes", "no"], n, p=[0.3, 0.7])
    frame["pressure"] = np.where(rng.random(n) < 0.1, np.nan, rng.normal(130, 15, n).round())
    total = 3 * (frame.age > 60) + 2 * (frame.smoker == "yes") + 2 * frame.pressure.isna()
    return frame, total.to_numpy(), rng


def test_the_card_that_made_the_data_is_found():
    frame, total, rng = patients(6000)
    ill = rng.random(len(frame)) < 1 / (1 + np.exp(-(0.8 * total - 2.5)))
    card = ScoreCard(cv=None, max_terms=3).fit(frame, np.where(ill, "ill", "well"))
    assert {statement.column for statement in card.statements_} == {"age", "smoker", "pressure"}
    risk = card.predict_proba(frame)[:, list(card.classes_).index("ill")]
    assert np.abs(risk - 1 / (1 + np.exp(-(0.8 * total - 2.5)))).mean() < 0.02


def test_points_of_numbers():
    frame, total, rng = patients()
    numbers = 100.0 + 10.0 * total
    card = ScoreCardRegressor(cv=None, max_terms=3, n_cuts=80).fit(frame, numbers + rng.normal(size=len(frame)))
    assert card.score(frame, numbers) > 0.999
    assert ("age > 60", 3) in card.table_
    assert np.abs(card.points_).tolist() == [3, 2, 2]
    assert card.risk_["n_rows"].sum() == len(frame)
    assert np.array_equal(card.risk_["prediction"], card.intercept_ + card.slope_ * card.risk_["total"])


def test_at_most_max_terms_and_whole_points():
    frame, total, rng = patients(400)
    ill = rng.random(len(frame)) < 1 / (1 + np.exp(-(0.8 * total - 2.5)))
    for max_terms in (1, 2, 8):
        card = ScoreCard(max_terms, max_points=3, cv=None).fit(frame, ill)
        assert 1 <= len(card.points_) <= max_terms
        assert np.all(np.abs(card.points_) <= 3)
        assert np.all(card.points_ != 0)


def test_longer_cards_never_lose_on_the_training_rows():
    frame, total, rng = patients(500, seed=3)
    ill = (rng.random(len(frame)) < 1 / (1 + np.exp(-(0.8 * total - 2.5)))).astype(float)
    losses = []
    for max_terms in range(1, 7):
        risk = ScoreCard(max_terms, cv=None).fit(frame, ill).predict_proba(frame)[:, 1]
        losses.append(-np.mean(ill * np.log(risk) + (1 - ill) * np.log(1 - risk)))
    assert np.all(np.diff(losses) < 2e-3)
    assert losses[-1] < losses[0]


def test_noise_gets_few_statements():
    rng = np.random.default_rng(4)
    sizes = [len(ScoreCard(rule="1se").fit(rng.normal(size=(150, 6)), rng.random(150) < 0.4).points_) for _ in range(8)]
    assert sizes.count(0) >= 6


def test_a_row_without_a_value_fulfils_only_missing():
    frame, total, rng = patients()
    ill = rng.random(len(frame)) < 1 / (1 + np.exp(-(0.8 * total - 2.5)))
    card = ScoreCard(cv=None).fit(frame, ill)
    empty = pd.DataFrame({"age": [np.nan], "weight": [np.nan], "smoker": [None], "pressure": [np.nan]})
    missing = [points for s, points in zip(card.statements_, card.points_) if s.kind == "missing"]
    assert card.totals(empty)[0] == sum(missing)


def test_the_order_of_columns_does_not_matter():
    frame, total, rng = patients(600)
    ill = rng.random(len(frame)) < 1 / (1 + np.exp(-(0.8 * total - 2.5)))
    one = ScoreCard().fit(frame, ill)
    other = ScoreCard().fit(frame[frame.columns[::-1]], ill)
    assert one.table_ == other.table_
    same = clone(one).set_params(n_jobs=2).fit(frame, ill)
    assert np.array_equal(same.predict_proba(frame), one.predict_proba(frame))


def test_contributions_add_up():
    frame, total, rng = patients(600)
    card = ScoreCardRegressor().fit(frame, total + rng.normal(size=len(frame)))
    assert np.allclose(card.intercept_ + card.contributions(frame).sum(axis=1), card.predict(frame))
    assert set(card.selected_columns_) == {s.column for s in card.statements_}


def test_saved_exactly():
    frame, total, rng = patients(600)
    ill = rng.random(len(frame)) < 1 / (1 + np.exp(-(0.8 * total - 2.5)))
    card = ScoreCard().fit(frame, np.where(ill, "ill", "well"))
    again = ScoreCard.from_dict(json.loads(json.dumps(card.to_dict())))
    assert np.array_equal(again.predict_proba(frame), card.predict_proba(frame))
    assert again.to_text() == card.to_text()
    damaged = card.to_dict() | {"statements": [["age", "around", 3.0]], "points": [1]}
    with pytest.raises(DamagedError, match="around"):
        ScoreCard.from_dict(damaged)


def test_sql_gives_the_same_predictions():
    frame, total, rng = patients(300)
    ill = rng.random(len(frame)) < 1 / (1 + np.exp(-(0.8 * total - 2.5)))
    card = ScoreCard(cv=None).fit(frame, ill)
    with sqlite3.connect(":memory:") as database:
        database.create_function("EXP", 1, np.exp)
        frame.to_sql("patients", database, index=False)
        answers = pd.read_sql(f"SELECT {card.to_sql()} FROM patients", database)["prediction"]
    assert np.allclose(answers, card.predict_proba(frame)[:, 1], atol=1e-12)


def test_three_classes_are_refused():
    with pytest.raises(TableError, match="two classes"):
        ScoreCard().fit([[0.0], [1.0], [2.0]] * 5, ["a", "b", "c"] * 5)


@pytest.mark.parametrize(
    ("low", "high", "number"),
    [(59.0, 61.0, 60.0), (1.2345, 1.2361, 1.235), (-0.3, 0.4, 0.0), (-61.0, -59.0, -60.0), (1e-9, 2e-9, 1e-9)],
)
def test_cuts_have_few_digits(low, high, number):
    assert short_number(low, high) == pytest.approx(number, rel=1e-12)
    assert low <= short_number(low, high) < high


def test_thresholds_near_the_largest_number():
    """A threshold that would be rounded up beyond the largest number ended in an OverflowError."""
    x = np.linspace(0.9, 1.0, 60) * 1.79e308
    card = ScoreCardRegressor().fit(x[:, None], np.arange(60) > 30)
    assert np.isfinite(card.predict(x[:, None])).all()


@pytest.mark.parametrize("scale", [0.1, 1e-3, 100.0])
def test_a_row_at_the_cut_is_at_most_the_cut_in_every_unit(scale):
    """0.3 comes as 3 × 0.1 = 0.30000000000000004 from another unit, and such rows changed sides."""
    x = np.array([1.0, 2.0, 4.0, 5.0] * 10)[:, None]
    asked = np.arange(0.5, 6.0, 0.5).round(1)[:, None]
    card, other = (ScoreCard(cv=None, max_terms=1).fit(x * unit, x[:, 0] > 3) for unit in (1.0, scale))
    assert card.totals([[3.0]]) == card.totals([[2.0]])
    assert other.totals(asked * scale).tolist() == card.totals(asked).tolist()
    with sqlite3.connect(":memory:") as database:
        database.create_function("EXP", 1, np.exp)
        pd.DataFrame(asked * scale, columns=["x0"]).to_sql("rows", database, index=False)
        answers = pd.read_sql(f"SELECT {other.to_sql()} FROM rows", database)["prediction"]
    assert np.allclose(answers, card.predict_proba(asked)[:, 1])


@pytest.mark.parametrize("direction", [1, -1])
@pytest.mark.parametrize("kind", [ScoreCard, ScoreCardRegressor])
def test_a_monotone_column_never_turns_the_answer_the_other_way(kind, direction):
    """No two rows that differ in the column alone may be answered against its direction, whatever the data say."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 3))
    X[::17, 0] = np.nan
    bent = np.where(X[:, 0] > 0, 2.0 - 2 * X[:, 0], X[:, 0])  # rises, then falls
    eta = np.nan_to_num(bent) - X[:, 1] + 0.3 * rng.normal(size=400)
    y = np.where(eta > 0.3, "ill", "well") if kind is ScoreCard else eta
    names = ["age", "b", "c"]
    frame = pd.DataFrame(X, columns=names)
    free = kind(cv=3).fit(frame, y)
    bound = kind(cv=3, monotone={"age": direction}).fit(frame, y)

    def answers(card):
        grid = pd.DataFrame({"age": np.linspace(-4, 4, 200), "b": 0.0, "c": 0.0})
        return -card.predict_proba(grid)[:, 1] if kind is ScoreCard else card.predict(grid)  # "well" comes last

    towards = direction if kind is ScoreCardRegressor else -direction  # the direction is of the last class
    assert np.all(towards * np.diff(answers(bound)) >= 0)
    assert np.any(np.diff(answers(free)) > 0)
    assert np.any(np.diff(answers(free)) < 0)
    again = kind.from_dict(bound.to_dict())
    assert again.monotone == {"age": direction}
    if kind is ScoreCardRegressor and direction == 1:
        assert "age" in bound.selected_columns_


def test_a_direction_of_a_category_or_of_no_column_is_refused():
    """A misspelt column would leave the card free without a word."""
    frame = pd.DataFrame({"age": np.arange(60.0), "sex": np.resize(["f", "m"], 60)})
    for given, says in (({"ages": 1}, "did you mean 'age'"), ({"sex": 1}, "categories"), ({"age": "+"}, "give 1")):
        with pytest.raises(ValueError, match=says):
            ScoreCard(monotone=given).fit(frame, np.resize([0, 1, 1], 60))
