"""Loss matrix: the decision of least expected cost, and one sentence for every matrix that cannot be used."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from tamis.errors import KindError, ParameterError
from tamis.evaluate import nested_score
from tamis.metrics.loss_matrix import LossMatrix

LABELS = np.array(["ham", "spam"])
COSTS = {"ham": {"spam": 10}, "spam": {"ham": 1}}


@pytest.mark.parametrize(
    "given",
    [
        COSTS,
        {("ham", "spam"): 10, ("spam", "ham"): 1},
        [[0, 10], [1, 0]],
        "ham>spam=10, spam>ham=1",
        LossMatrix(np.array([[0.0, 10], [1, 0]]), LABELS),
    ],
)
def test_every_form_gives_truth_by_answer(given):
    """A matrix read the wrong way round would lose ten hams to save one spam."""
    assert LossMatrix.of(given, LABELS).matrix.tolist() == [[0, 10], [1, 0]]


def test_a_csv_gives_the_same_whatever_the_order_of_its_rows_and_columns(tmp_path):
    """Costs go by name, not by place."""
    path = tmp_path / "loss.csv"
    path.write_text("truth,spam,ham\nspam,0,1\nham,10,0\n", encoding="utf-8")
    loss = LossMatrix.of(path, LABELS)
    assert loss.matrix.tolist() == [[0, 10], [1, 0]]
    assert loss.to_dict() == {"ham": {"ham": 0, "spam": 10}, "spam": {"ham": 1, "spam": 0}}
    assert LossMatrix.of(str(path), LABELS).matrix.tolist() == loss.matrix.tolist()


def test_decisions_minimise_expected_cost():
    """With ham lost costing ten times as much, spam must be more than 10/11 sure to be called spam."""
    loss = LossMatrix.of(COSTS, LABELS)
    p = np.array([0.5, 10 / 11 - 1e-6, 10 / 11, 10 / 11 + 1e-6, 1.0])
    assert loss.decide(np.column_stack([1 - p, p])).tolist() == ["ham", "ham", "ham", "spam", "spam"]
    rng = np.random.default_rng(0)
    costs = rng.random((3, 3)) * (1 - np.eye(3))
    probabilities = rng.dirichlet(np.ones(3), 200)
    decided = LossMatrix.of(costs, ["a", "b", "c"]).decide(probabilities)
    brute = [min(range(3), key=lambda a: sum(p[t] * costs[t, a] for t in range(3))) for p in probabilities]
    assert decided.tolist() == np.array(["a", "b", "c"])[brute].tolist()


def test_cost_is_the_mean_of_the_matrix_at_truth_and_answer():
    """The reported cost must be what the mistakes cost."""
    loss = LossMatrix.of(COSTS, LABELS)
    assert loss.cost(["ham", "ham", "spam", "spam"], ["ham", "spam", "ham", "spam"]) == (10 + 1) / 4
    with pytest.raises(ParameterError, match="row 1 is x"):
        loss.cost(["x"], ["ham"])


def test_nested_score_reports_the_cost_of_cost_aware_decisions():
    """Deciding by cost must cost less than deciding by probability one half, on rows never seen."""
    rng = np.random.default_rng(0)
    y = LABELS[rng.integers(0, 2, 400)]
    X = rng.normal(size=(400, 3)) + (y == "spam")[:, None] * 0.8
    aware = nested_score(LogisticRegression(), X, y, loss=COSTS)
    plain = nested_score(LogisticRegression(), X, y)
    answers = np.empty(400, dtype=y.dtype)
    for j in plain.judged:
        answers[j.rows] = j.answer
    assert aware.metric.name == "cost"
    assert aware.mean < 0.7 * LossMatrix.of(COSTS, LABELS).cost(y, answers)
    assert aware.interval.low < aware.mean < aware.interval.high


@pytest.mark.parametrize(
    ("given", "error", "says"),
    [
        ({"ham": {"spam": 10}}, ParameterError, "no cost for spam answered as ham"),
        ({"ham": {"spma": 10}, "spam": {"ham": 1}}, ParameterError, "did you mean 'spam'"),
        ({"ham": {"spam": -1}, "spam": {"ham": 1}}, ParameterError, "ham answered as spam is -1"),
        ({"ham": {"spam": "much"}, "spam": {"ham": 1}}, KindError, "is 'much'; give a number"),
        ({"ham": 3}, KindError, "the loss of 'ham' is 3"),
        ([[0, np.inf], [1, 0]], ParameterError, "ham answered as spam is inf"),
        ([[0, 0], [0, 0]], ParameterError, "every cost in the loss matrix is 0"),
        ([[0, 1, 2], [1, 0, 2]], ParameterError, "shape (2, 3) for 2 classes"),
        ([["a", "b"], ["c", "d"]], KindError, "no number"),
        ("ham>spam", ParameterError, "cannot be read; give truth>answer=cost"),
        ("nowhere.csv", ParameterError, "'nowhere.csv' cannot be read"),
    ],
)
def test_a_matrix_that_cannot_be_used_is_refused_in_one_sentence(given, error, says):
    """A cost silently missing or negative would turn decisions round."""
    with pytest.raises(error) as caught:
        LossMatrix.of(given, LABELS)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_ragged_or_empty_csv_is_refused(tmp_path):
    """A cell that slid to the left would be another cost."""
    path = tmp_path / "loss.csv"
    path.write_text("truth,ham,spam\nham,0\nspam,1,0\n", encoding="utf-8")
    with pytest.raises(ParameterError, match=r"row 2 of .* has 2 cells, its header 3"):
        LossMatrix.of(path, LABELS)
    path.write_text("", encoding="utf-8")
    with pytest.raises(ParameterError, match="is empty"):
        LossMatrix.of(path, LABELS)
