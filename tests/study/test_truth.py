"""What the answer says is true in both directions: no signal denied, none invented, the right columns named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.study.tables import held_out

import tamis
from tamis.metrics.intervals.paired import difference, pairing_units, row_losses
from tamis.results.answer import Answer
from tamis.study.choose import choose
from tamis.study.claims.claim import claim
from tamis.study.claims.scoring import value
from tamis.study.claims.sentences import answer
from tamis.study.problem import NEVER_SEEN

SIMPLE = {"procedures": ["stump", "tree", "lasso"]}


def _noise(seed, n=80, d=8):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, d)), columns=[f"c{j}" for j in range(d)])
    return frame.assign(y=np.where(np.arange(n) % 2, "p", "q"))


def _unequal(seed, n=1200):
    """9% positives; columns b and e of six decide."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 6))
    p = 1 / (1 + np.exp(2.6 - 0.9 * x[:, 1] - 0.7 * x[:, 4]))
    return pd.DataFrame(x, columns=list("abcdef")).assign(y=np.where(rng.random(n) < p, "yes", "no"))


def _run(frame, folder, **options):
    return tamis.Study(frame, target="y", folder=folder, **{"repeats": 1, **options}).run()


def test_a_signal_is_hardly_ever_claimed_in_noise(tmp_path):
    """A column of noise would be said to tell the target; one claim in six is the most that a level of 5% leaves."""
    claimed = 0
    for seed in range(6):
        study = _run(_noise(seed), tmp_path / str(seed), lock=0, **SIMPLE)
        if study.results_["answer"]["signal"] != "none":
            claimed += 1
            continue
        assert study.selected_ == []
        assert study.score_ == study.results_["answer"]["baseline"]
        assert study.answer_.startswith("None of the 8 columns predicts y measurably better than chance")
    assert claimed <= 1


@pytest.mark.parametrize("seed", [0, 1])
def test_signal_in_unequal_classes_is_found(seed, tmp_path):
    """Accuracy cannot move on 9% positives, and the signal would be denied."""
    study = _run(_unequal(seed), tmp_path / "s", **SIMPLE)
    found = study.results_["answer"]
    assert found["signal"] == "captured"
    assert study.selected_[0] == "b"
    assert "e" in study.selected_[:3]
    assert found["metric"] == "roc_auc"
    assert 0.65 < study.score_ < 0.85
    assert "; 50 is chance." in study.answer_


def test_columns_are_named_in_the_order_of_what_they_contribute(tmp_path):
    """Columns listed by the alphabet would hide which of them matter."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 12))
    y = x @ np.array([0.2, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0]) + 0.3 * rng.normal(size=300)
    frame = pd.DataFrame(x, columns=[f"c{j:02d}" for j in range(12)]).assign(y=y)
    study = _run(frame, tmp_path / "s", procedures=["lasso"])
    assert study.selected_[:3] == ["c03", "c07", "c00"]
    shares = study.results_["answer"]["contributions"]
    assert sum(shares.values()) == pytest.approx(1)
    assert shares["c03"] == pytest.approx(3 * x[:, 3].std() / (3 * x[:, 3].std() + x[:, 7].std() + 0.2), abs=0.08)


def test_few_columns_are_named_and_the_rest_counted():
    """A sentence with thirty names, most of which contribute nothing, would be no answer."""
    shares = {"a": 0.5, "b": 0.3, "c": 0.1, **{f"z{j}": 0.1 / 27 for j in range(27)}}
    facts = {"contributions": shares, "n_columns": 30, "metric": "accuracy", "score": 0.9, "interval": [0.8, 0.95]}
    more = {
        "baseline": 0.6,
        "task": "classification",
        "signal": "captured",
        "procedure": "forest",
        "tried": [],
        "interval_note": "",
    }
    words = answer(Answer(**{**facts, **more, "accuracy": [0.9, 0.6]}))
    assert words.startswith("30 columns together predict the target, most of all a, b, c, z0, ")
    assert words.count("z") == 5


def test_a_class_with_one_row_is_learned_and_counted(tmp_path):
    """A single row of a class would stop the whole study."""
    rng = np.random.default_rng(0)
    y = np.array([*["a"] * 33, *["b"] * 33, "odd"])
    x = rng.normal(size=(67, 4)) + 2.0 * (y == "b")[:, None]
    frame = pd.DataFrame(x, columns=list("pqrs")).assign(y=y)
    study = _run(frame, tmp_path / "s", **SIMPLE)
    assert study.results_["comparison"]["n_unlearned"] == 1
    assert "odd" in study.model_.labels
    baseline = study.results_["comparison"]["procedures"][0]["metrics"]
    assert baseline["accuracy"] <= 33 / 67
    assert baseline["log_loss"] < 1.2  # the row that could not be learned is left out, not infinitely wrong
    assert "had a class that the training part lacked" in (tmp_path / "s" / "report.html").read_text()


@pytest.mark.parametrize(("rare", "labels"), [("merge", ("a", "b", "other")), ("drop", ("a", "b"))])
def test_rare_classes_are_merged_or_dropped(rare, labels, tmp_path):
    """What was asked for rare classes would not be done."""
    rng = np.random.default_rng(0)
    y = np.array([*["a"] * 40, *["b"] * 40, "odd", "queer", "queer"])
    frame = pd.DataFrame(rng.normal(size=(83, 3)), columns=list("pqr")).assign(y=y)
    study = _run(frame, tmp_path / "s", rare=rare, lock=0, procedures=["stump"])
    data = study.results_["data"]
    assert tuple(row["label"] for row in data["classes"]) == labels
    assert data["rare"]["classes"] == [{"label": "odd", "rows": 1}, {"label": "queer", "rows": 2}]
    assert data["learned"] == (83 if rare == "merge" else 80)


def test_rows_of_a_class_never_learned_are_wrong_labels_and_no_probabilities():
    """A class the model cannot answer would vanish from the score, or make it infinite."""
    from tamis.metrics import METRICS

    y, answers = np.array([0, 0, 1, NEVER_SEEN]), np.array([[0.9, 0.1], [0.8, 0.2], [0.1, 0.9], [0.5, 0.5]])
    learned = np.array([True, True])
    assert value(METRICS["accuracy"], "classification", y, answers, ("a", "b"), learned) == 0.75
    brier = value(METRICS["brier"], "classification", y, answers, ("a", "b"), learned)
    assert brier == pytest.approx(np.mean([0.01, 0.04, 0.01]))
    assert value(METRICS["balanced_accuracy"], "classification", y, answers, ("a", "b"), learned) == pytest.approx(
        2 / 3
    )


def test_paired_difference_is_the_t_test_of_rows():
    """The error of a difference would not be that of paired rows."""
    from scipy import stats

    rng = np.random.default_rng(0)
    first, second = rng.normal(1, 1, 50), rng.normal(0.8, 1, 50)
    found = difference(first, second, np.ones(50))
    known = stats.ttest_rel(first, second, alternative="greater")
    assert found.mean / found.error == pytest.approx(known.statistic)
    assert found.error == pytest.approx((first - second).std(ddof=1) / np.sqrt(50))
    assert known.pvalue < found.p_value < 1.5 * known.pvalue  # normal rows are worth a third of their number


def test_a_few_rows_that_tell_count_as_few():
    """Four rows of the rare class among forty would pass for forty rows of evidence."""
    from scipy import stats

    first, second = np.full(40, 0.01), np.full(40, 0.011)
    first[:4], second[:4] = 0.81, [0.70, 0.72, 0.74, 0.76]
    found = difference(first, second, np.ones(40))
    assert stats.ttest_rel(first, second, alternative="greater").pvalue < 0.05
    assert found.p_value > 0.05


def test_losses_are_proper_and_finite():
    """A pure leaf that is wrong would cost infinity."""
    sure = np.array([[1.0, 0.0]])
    assert row_losses("log_loss", np.array([1]), sure, n_train=98)[0] == pytest.approx(np.log(100))
    assert row_losses("brier", np.array([1]), sure)[0] == 1.0
    three = np.array([[0.2, 0.3, 0.5]])
    assert row_losses("brier", np.array([2]), three)[0] == pytest.approx(0.04 + 0.09 + 0.25)


def test_groups_and_times_are_units():
    """Rows that belong together would be counted as independent evidence."""
    assert len(np.unique(pairing_units(6, groups=np.array([1, 1, 2, 2, 3, 3])))) == 3
    many = pairing_units(5000)
    assert len(np.unique(many)) == 1000
    assert np.bincount(many).max() == 5
    ordered = pairing_units(3000, time=np.arange(3000.0))
    assert (np.diff(ordered) >= 0).all()


def test_the_choice_keeps_nearly_all_of_the_gain():
    """A stump within a wide standard error would be taken though it gives the accuracy away."""
    rng = np.random.default_rng(0)
    base = np.ones(40)
    best = 0.2 + 0.01 * rng.normal(size=40)
    stump = 0.4 + 1.5 * rng.normal(size=40)
    stump += 0.4 - stump.mean()
    losses, rows = [base, stump, best], np.ones(40)
    assert difference(stump, best, rows).mean < difference(stump, best, rows).error
    assert choose(losses, rows, "simplest") == 1
    assert choose(losses, rows, "balanced") == 2
    nearly = best + 0.001
    assert choose([base, nearly, best], rows, "balanced") == 2  # a sure difference, however small, counts
    assert choose([base, nearly + 0.01 * rng.normal(size=40), best], rows, "balanced") == 1
    assert choose([base, nearly, best], rows, "best") == 2


def test_the_three_answers():
    """A signal that only one procedure shows would be denied, or claimed of the choice."""
    rng = np.random.default_rng(1)
    base = held_out(np.ones(200))
    good, bad = held_out(0.7 + 0.5 * rng.normal(size=200)), held_out(1.1 + 0.5 * rng.normal(size=200))
    assert claim(base, [bad, good], good).signal == "captured"
    assert claim(base, [bad, good], base).signal == "uncaptured"
    assert claim(base, [bad], bad).signal == "none"


def _target(rng, n, kind):
    if kind == "numbers":
        return rng.normal(size=n)
    share = {"balanced": 0.5, "90/10": 0.1}[kind]
    return rng.permutation(np.where(np.arange(n) < round(share * n), "p", "q"))


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["balanced", "90/10", "numbers"])
@pytest.mark.parametrize(("n", "d"), [(80, 8), (40, 1000)])
def test_a_signal_is_claimed_in_at_most_a_twentieth_of_noise(n, d, kind, tmp_path):
    """Claims in noise would be more frequent than the level of the tests; two of 30 are the most that 5% allows."""
    claimed = 0
    for seed in range(30):
        rng = np.random.default_rng([seed, n])
        frame = pd.DataFrame(rng.normal(size=(n, d)), columns=[f"c{j}" for j in range(d)])
        study = _run(frame.assign(y=_target(rng, n, kind)), tmp_path / str(seed), repeats=None)
        claimed += study.results_["answer"]["signal"] != "none"
    assert claimed <= 2


@pytest.mark.nightly
def test_a_signal_of_rare_positives_is_found_in_nineteen_of_twenty_tables(tmp_path):
    """9% positives and a population AUC of 0.75 would be called noise."""
    found = 0
    for seed in range(20):
        rng = np.random.default_rng([seed, 7])
        x = rng.normal(size=(1500, 6))
        p = 1 / (1 + np.exp(2.72 - 0.8 * x[:, 1] - 0.62 * x[:, 4]))
        frame = pd.DataFrame(x, columns=list("abcdef")).assign(y=np.where(rng.random(1500) < p, "yes", "no"))
        found += _run(frame, tmp_path / str(seed), **SIMPLE).results_["answer"]["signal"] != "none"
    assert found >= 19


def test_a_column_without_a_name_is_seen_in_the_sentence(tmp_path):
    """The sentence would end in "columns: ." where the name is empty."""
    x = np.random.default_rng(0).normal(size=60)
    frame = pd.DataFrame({"": x, "b": np.cos(40 * x), "y": np.where(x > 0, "p", "q")})
    study = _run(frame, tmp_path / "s", procedures=["stump"], folds=3, black_box=False)
    assert "One column predicts y: '' (a tree of 2 leaves)." in study.answer_


def test_columns_that_do_not_stand_out_are_not_listed():
    """Eight of ten thousand columns, "which make up 0% of what they contribute", would look like a finding."""
    shares = {f"g{j}": 1 / 5000 for j in range(5000)}
    facts = {"contributions": shares, "n_columns": 5000, "metric": "accuracy", "score": 0.9, "interval": [0.8, 0.95]}
    more = {"baseline": 0.6, "task": "classification", "signal": "captured", "procedure": "ridge", "tried": []}
    words = answer(Answer(**{**facts, **more, "interval_note": "", "accuracy": [0.9, 0.6]}))
    assert words.startswith("5,000 columns together predict the target, and none stands out (the ridge).")
