"""Metrics: scikit-learn's values, the right direction, and one sentence for what cannot be judged."""

import ast
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as sk

import tamis
from tamis.errors import KindError, ParameterError, TamisWarning
from tamis.metrics import METRICS, confusion, find, precision_recall, prepare, roc, score, utility

RNG = np.random.default_rng(0)
N = 60
TWO = RNG.permutation(np.repeat(["ham", "spam"], [40, 20]))
THREE = RNG.permutation(np.repeat(["a", "b", "c"], 20))


def probabilities(k):
    raw = RNG.random((N, k)) + 0.05
    return raw / raw.sum(axis=1, keepdims=True)


P2, P3 = probabilities(2), probabilities(3)
L2, L3 = np.array(["ham", "spam"])[P2.argmax(axis=1)], np.array(["a", "b", "c"])[P3.argmax(axis=1)]
T, A = RNG.gamma(2.0, size=N), RNG.gamma(2.0, size=N)


@pytest.mark.parametrize(
    ("name", "mine", "theirs"),
    [
        ("accuracy", (TWO, L2), sk.accuracy_score(TWO, L2)),
        ("error", (TWO, L2), 1 - sk.accuracy_score(TWO, L2)),
        ("balanced_accuracy", (THREE, L3), sk.balanced_accuracy_score(THREE, L3)),
        ("precision", (TWO, L2), sk.precision_score(TWO, L2, pos_label="spam")),
        ("recall", (TWO, L2), sk.recall_score(TWO, L2, pos_label="spam")),
        ("f1", (TWO, L2), sk.f1_score(TWO, L2, pos_label="spam")),
        ("f1", (THREE, L3), sk.f1_score(THREE, L3, average="macro")),
        ("f1_weighted", (THREE, L3), sk.f1_score(THREE, L3, average="weighted")),
        ("recall_micro", (THREE, L3), sk.recall_score(THREE, L3, average="micro")),
        ("precision_macro", (TWO, L2), sk.precision_score(TWO, L2, average="macro")),
        ("matthews", (THREE, L3), sk.matthews_corrcoef(THREE, L3)),
        ("kappa", (TWO, L2), sk.cohen_kappa_score(TWO, L2)),
        ("kappa", (THREE, L3), sk.cohen_kappa_score(THREE, L3)),
        ("roc_auc", (TWO, P2), sk.roc_auc_score(TWO, P2[:, 1])),
        ("roc_auc", (TWO, P2[:, 1]), sk.roc_auc_score(TWO, P2[:, 1])),
        ("roc_auc", (THREE, P3), sk.roc_auc_score(THREE, P3, multi_class="ovr")),
        ("average_precision", (TWO, P2), sk.average_precision_score(TWO, P2[:, 1], pos_label="spam")),
        ("average_precision", (THREE, P3), sk.average_precision_score(THREE, P3)),
        ("log_loss", (TWO, P2), sk.log_loss(TWO, P2)),
        ("log_loss", (TWO, P2[:, 1]), sk.log_loss(TWO, P2)),
        ("log_loss", (THREE, P3), sk.log_loss(THREE, P3)),
        ("brier", (TWO, P2), sk.brier_score_loss(TWO, P2[:, 1], pos_label="spam")),
        ("brier", (THREE, P3), np.mean(((THREE[:, None] == ["a", "b", "c"]) - P3) ** 2) * 3),
        ("r2", (T, A), sk.r2_score(T, A)),
        ("mse", (T, A), sk.mean_squared_error(T, A)),
        ("rmse", (T, A), sk.root_mean_squared_error(T, A)),
        ("mae", (T, A), sk.mean_absolute_error(T, A)),
        ("mape", (T, A), sk.mean_absolute_percentage_error(T, A)),
        ("poisson_deviance", (T, A), sk.mean_poisson_deviance(T, A)),
        ("weighted_kappa", (THREE, L3), sk.cohen_kappa_score(THREE, L3, weights="quadratic")),
        ("weighted_kappa", (TWO, L2), sk.cohen_kappa_score(TWO, L2)),
        ("mean_rank_error", (TWO, L2), np.mean(TWO != L2)),
        ("ranked_probability_score", (TWO, P2), sk.brier_score_loss(TWO, P2[:, 1], pos_label="spam")),
        ("neg_mean_squared_error", (T, A), -sk.mean_squared_error(T, A)),
        ("neg_log_loss", (THREE, P3), -sk.log_loss(THREE, P3)),
    ],
)
def test_every_metric_is_scikit_learns(name, mine, theirs):
    """A metric that differs from the one everybody knows by that name would mislead every reader."""
    assert score(name, *mine) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("name", [m.name for m in METRICS.values() if m.each is not None])
def test_a_mean_over_rows_is_the_metric(name):
    """If the parts of rows did not make the score, a bootstrap interval would be of another number."""
    metric = METRICS[name]
    answer = {"labels": L2, "probabilities": P2}[metric.needs] if metric.task == "classification" else A
    truth = TWO if metric.task == "classification" else T
    parts = metric.each(*prepare(metric, truth, answer))
    assert parts.shape == (N,)
    assert parts.mean() == pytest.approx(score(name, truth, answer), rel=1e-12)


@pytest.mark.parametrize("name", list(METRICS))
def test_larger_utility_is_better_for_every_metric(name):
    """A direction read the wrong way round would choose the worst model."""
    metric = METRICS[name]
    if metric.task == "regression":
        truth, good, bad = T, T + 0.01, A
    else:
        truth = TWO
        certain = (TWO[:, None] == ["ham", "spam"]).astype(float) * 0.8 + 0.1
        good, bad = (TWO, L2) if metric.needs == "labels" else (certain, P2)
    assert utility(metric, score(name, truth, good)) > utility(metric, score(name, truth, bad))
    negated = find(f"neg_{name}", classes=metric.task == "classification")
    assert negated.larger != metric.larger
    assert utility(negated, score(negated, truth, good)) > utility(negated, score(negated, truth, bad))


def test_percentage_error_leaves_zeros_out_and_says_so():
    """scikit-learn's answer for a zero target is of the order 1e15; that number helps nobody."""
    with pytest.warns(TamisWarning, match="1 of 3 rows have a target of 0 and are left out"):
        assert score("mape", [0.0, 2.0, 4.0], [1.0, 1.0, 5.0]) == pytest.approx((0.5 + 0.25) / 2)
    with pytest.warns(TamisWarning), pytest.raises(ParameterError, match="every target is 0"):
        score("mape", [0.0], [1.0])


def test_an_impossible_answer_costs_a_finite_log_loss():
    """A probability of exactly 0 for the truth must not turn a whole study into infinity."""
    assert score("log_loss", [0, 1], [[1.0, 0.0], [1.0, 0.0]]) == pytest.approx(sk.log_loss([0, 1], [[1, 0], [1, 0.0]]))


def test_classes_absent_from_the_judged_rows_keep_their_place():
    """A fold without a class must still read the probabilities of the right columns."""
    assert score("log_loss", ["b", "c"], P3[:2], ["a", "b", "c"]) == pytest.approx(-np.log([P3[0, 1], P3[1, 2]]).mean())


def test_curves_and_confusion_are_scikit_learns():
    """A report's curves must be those of its scores."""
    curve = roc(TWO, P2)
    area = np.trapezoid(curve["true_positive"], curve["false_positive"])
    assert area == pytest.approx(score("roc_auc", TWO, P2))
    precision, recall, _ = sk.precision_recall_curve(TWO, P2[:, 1], pos_label="spam")
    assert np.array_equal(precision_recall(TWO, P2)["precision"], precision)
    assert np.array_equal(precision_recall(TWO, P2)["recall"], recall)
    assert np.array_equal(confusion(TWO, L2), sk.confusion_matrix(TWO, L2))
    with pytest.raises(ParameterError, match="two classes, but there are 3"):
        roc(THREE, P3)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: find("acuracy", classes=True), ParameterError, "did you mean 'accuracy'"),
        (lambda: find("mse", classes=True), ParameterError, "the target holds classes; give one of accuracy"),
        (lambda: find("roc_auc", classes=False), ParameterError, "the target holds numbers; give one of r2"),
        (lambda: find(3, classes=True), KindError, "scoring=3 is no name of a metric"),
        (lambda: score("nonsense", [1], [1]), ParameterError, "scoring='nonsense' is not known"),
        (lambda: score("roc_auc", ["a", "a"], [0.1, 0.2], ["a", "b"]), ParameterError, "class 'b' is in none"),
        (lambda: score("r2", [1.0], [1.0]), ParameterError, "r2 needs at least 2 rows"),
        (lambda: score("mse", [1.0, 2.0], [1.0]), ParameterError, "1 answers for 2 rows"),
        (lambda: score("accuracy", ["a", "b"], ["a", "x"]), ParameterError, "'x' in row 2 is none of 'a', 'b'"),
        (lambda: score("log_loss", ["a", "b"], np.ones((2, 3))), ParameterError, "3 columns for 2 classes"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_one_sentence(call, error, says):
    """A metric on the wrong target must be refused, not computed."""
    with pytest.raises(error) as caught:
        call()
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_only_metrics_knows_scikit_learns_metrics():
    """A score computed elsewhere would escape the rules that hold here."""
    package = Path(tamis.__file__).parent
    found = {
        path.relative_to(package).parts[0]
        for path in package.rglob("*.py")
        if any(name == "sklearn.metrics" or name.startswith("sklearn.metrics.") for name in imports_of(path))
    }
    assert found == {"metrics"}


@pytest.mark.parametrize("name", ["", "acuracy", "x" * 3000])
def test_a_name_that_is_not_known_gets_one_short_sentence(name):
    """A list of all names beside a long path, or a damaged file's own words, would be a page instead of a sentence."""
    with pytest.raises(ParameterError, match="is not known") as caught:
        find(name, classes=True)
    assert len(str(caught.value)) <= 320


def test_the_ranked_probability_score_knows_the_order():
    """A probability one class off would cost as much as one at the other end."""
    near, far = score("rps", [0, 1, 2], np.eye(3)[[0, 1, 1]]), score("rps", [0, 1, 2], np.eye(3)[[0, 1, 0]])
    assert (near, far) == pytest.approx((1 / 6, 1 / 3))  # one, and both, of two cuts wrong in one of three rows
    third = score("rps", [1], np.full((1, 3), 1 / 3), [0, 1, 2])
    assert third == pytest.approx((1 / 9 + 1 / 9) / 2)


def test_ranks_of_classes_are_compared():
    """The error of ranks would count classes missed, not how far."""
    assert score("mean_rank_error", ["a", "b", "c"], ["c", "b", "b"]) == pytest.approx(1.0)
    with pytest.raises(ParameterError, match="for counts, but a target is -1"):
        score("poisson_deviance", [-1.0], [1.0])


@pytest.mark.parametrize(
    ("y", "answer", "what"), [(["a", "b"], [1.0, 2.0], "y"), ([1.0, 2.0], ["a", "b"], "the answers")]
)
def test_words_are_no_numbers_and_a_sentence_says_so(y, answer, what):
    """A metric of numbers would end in NumPy's words about a string."""
    with pytest.raises(ParameterError, match=f"mae is of numbers, but {what} holds 'a'; give numbers"):
        score("mae", y, answer)
