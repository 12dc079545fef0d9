"""Forests of ordered classes: splits by the ranked probability score, or by scores of the classes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import check_estimator

from tamis import ForestClassifier
from tamis.errors import KindError, ParameterError
from tamis.forest.level_scores import _candidates, codes_of, level_scores
from tamis.metrics import score
from tamis.search import MirrorSelector

LEVELS = ["none", "mild", "moderate", "severe"]
CODES = {
    None: codes_of(None, 4),
    "equal": codes_of(np.arange(4) / 3, 4),
    "given": codes_of(np.array([0, 0.1, 0.4, 1]), 4),
}


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(1)
    height = X[:, 0] + 0.5 * X[:, 1] + 0.4 * rng.normal(size=n)
    codes = np.digitize(height, [-1.0, 0.0, 1.0])
    return X, pd.Categorical.from_codes(codes, LEVELS, ordered=True), codes


def fitted(kind, **params):
    given = [0, 1, 4, 10] if kind == "given" else kind
    return ForestClassifier(criterion="ordinal", level_scores=given, **params)


def spread(rows, codes):
    """Σ over the codes of their squared distances from the mean."""
    values = codes[rows]
    return float(((values - values.mean(axis=0)) ** 2).sum()) if len(rows) else 0.0


@pytest.mark.parametrize("kind", list(CODES))
def test_the_first_split_lowers_the_variance_of_the_codes_most(kind):
    """A split would be chosen by something else than it says; compared with every cut of every column."""
    X, y, codes = table()
    forest = fitted(kind, n_estimators=1, max_depth=1, max_features=None, bootstrap=False, oob_score=False).fit(X, y)
    falls = {}
    for j in range(X.shape[1]):
        for cut in np.unique(X[:, j])[:-1]:
            left = X[:, j] <= cut
            falls[j, cut] = spread(codes, CODES[kind]) - sum(spread(codes[side], CODES[kind]) for side in (left, ~left))
    column, cut = max(falls, key=falls.get)
    root = forest.trees_.nodes[0]
    assert root["column"] & (2**28 - 1) == column
    assert cut < root["threshold"] < cut + 0.11
    assert forest.impurity_importance_[column] == pytest.approx(falls[column, cut])


@pytest.mark.parametrize("kind", [*CODES, "normal", "oob"])
def test_leaves_hold_shares_of_classes(kind):
    """Probabilities would be those of thresholds or scores, not what a reader counts in the leaf."""
    X, y, codes = table()
    forest = fitted(kind, n_estimators=1, max_depth=3, bootstrap=kind == "oob").fit(X, y)
    assert forest.classes_.tolist() == LEVELS
    if kind == "oob":  # which needs rows left out
        np.testing.assert_allclose(forest.predict_proba(X).sum(axis=1), 1)
        return
    leaf, shares = forest.apply(X)[:, 0], forest.predict_proba(X)
    for node in np.unique(leaf):
        own = np.bincount(codes[leaf == node], minlength=4) / (leaf == node).sum()
        np.testing.assert_allclose(shares[leaf == node][0], own, atol=1e-12)


def test_scores_are_what_they_say():
    """Scores of a name would be other numbers, or not within 0 and 1."""
    from scipy.stats import norm

    middle = norm.ppf([0.1, 0.35, 0.65, 0.9])  # shares 0.2, 0.3, 0.3, 0.2
    normal = level_scores("normal", np.array([20.0, 30.0, 30.0, 20.0]))
    np.testing.assert_allclose(normal, (middle - middle[0]) / (middle[-1] - middle[0]))
    X, y, _ = table()
    assert fitted("given", n_estimators=5).fit(X, y).level_scores_.tolist() == [0, 0.1, 0.4, 1]
    assert fitted("equal", n_estimators=5).fit(X, y).level_scores_ == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert fitted(None, n_estimators=5).fit(X, y).level_scores_ is None


def test_chosen_scores_have_the_least_loss_out_of_the_bag():
    """The choice would be made by something else than the ranked probability score of rows left out."""
    X, y, codes = table(400, 1)
    chosen = fitted("oob", n_estimators=50).fit(X, y)
    tried = []
    for scores in _candidates(np.bincount(codes).astype(float), chosen.seed_):
        forest = ForestClassifier(50, criterion="ordinal", level_scores=scores, tune={"min_samples_leaf": [1]})
        tried.append((forest.fit(X, y).tuning_[0].score, tuple(scores)))
    assert tuple(chosen.level_scores_) == min(tried)[1]


@pytest.mark.parametrize("kind", [*CODES, "oob"])
def test_threads_files_and_weights(kind, tmp_path):
    """Bits would depend on threads, a file would lose the scores, or a weight of 2 would not be two rows."""
    X, y, _ = table()
    weight = np.random.default_rng(3).integers(1, 3, 300)
    one = fitted(kind, n_estimators=30, n_jobs=1, calibration="temperature").fit(X, y, weight)
    two = fitted(kind, n_estimators=30, n_jobs=2, calibration="temperature").fit(X, y, weight)
    shares = one.predict_proba(X)
    np.testing.assert_array_equal(two.predict_proba(X), shares)
    one.save(tmp_path / "forest")
    again = ForestClassifier.load(tmp_path / "forest")
    np.testing.assert_array_equal(again.predict_proba(X), shares)
    assert again.classes_.tolist() == LEVELS
    assert again.get_params()["criterion"] == "ordinal"
    np.testing.assert_array_equal(again.level_scores_, one.level_scores_)
    assert again.permutation_importance(X, y, sample_weight=weight).ranking[0] == 0
    rows = np.repeat(np.arange(300), weight)
    plain = fitted(kind, n_estimators=30).fit(X, y, weight).predict_proba(X)
    np.testing.assert_allclose(fitted(kind, n_estimators=30).fit(X[rows], y[rows]).predict_proba(X), plain, atol=1e-9)


def test_holes_and_categories():
    """A column of words, or a missing value, would stop an ordinal forest, or tell it nothing."""
    X, y, codes = table(600)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["word"] = np.array(["v", "z", "w", "y"])[codes]  # tells the class, in another order than its own
    frame.loc[::7, "word"] = None
    forest = fitted("equal", n_estimators=50).fit(frame, y)
    assert forest.oob_score_ > 0.9
    assert frame.columns[np.argmax(forest.feature_importances_)] == "word"
    shares = forest.predict_proba(pd.DataFrame({**{c: [0.0] for c in "abcd"}, "word": ["w"]}))
    assert shares.argmax() == 2


def test_noise_has_no_importance_on_average():
    """Importances of ordered classes would favour a column of noise: their mean over tables is 0 within its error."""
    gains = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 5)), rng.integers(4, size=80)
        gains += fitted("equal", n_estimators=30, random_state=seed).fit(X, y).impurity_importance_.tolist()
    assert abs(np.mean(gains)) < 4 * np.std(gains) / np.sqrt(len(gains))


def test_two_classes_are_those_of_gini():
    """Of two classes there is one threshold, and any two scores are the same up to a factor."""
    X, _, codes = table()
    gini = ForestClassifier(20).fit(X, codes > 1).predict_proba(X)
    for kind in (None, "equal", "oob"):
        np.testing.assert_array_equal(fitted(kind, n_estimators=20).fit(X, codes > 1).predict_proba(X), gini)


def test_what_makes_no_sense_is_refused():
    """Scores that fall, or scores of classes without an order, would be taken."""
    X, y, codes = table()
    for wrong, said in (([0, 1], "4 classes"), ([0, 2, 1, 3], "must rise"), ("odd", "not known")):
        with pytest.raises(ParameterError, match=said):
            ForestClassifier(5, criterion="ordinal", level_scores=wrong).fit(X, y)
    with pytest.raises(KindError, match="must hold numbers"):
        ForestClassifier(5, criterion="ordinal", level_scores=["a", 1, 2, 3]).fit(X, y)
    with pytest.raises(ParameterError, match="criterion='ordinal'"):
        ForestClassifier(5, level_scores="equal").fit(X, y)
    with pytest.raises(ParameterError, match="level_scores='oob' looks at rows left out"):
        ForestClassifier(5, criterion="ordinal", level_scores="oob", bootstrap=False).fit(X, y)
    with pytest.raises(ParameterError, match="level_scores"):
        ForestClassifier(5, level_scores="equal").fit(X, np.column_stack([codes, codes]))


@pytest.mark.parametrize("criterion", ["gini", "ordinal"])
def test_importances_of_the_rows_given_keep_their_order(criterion):
    """The order of the classes was lost: permutation_importance() of an ordered target raised an error."""
    X, y, _ = table()
    assert ForestClassifier(30, criterion=criterion).fit(X, y).permutation_importance().ranking[0] == 0


def test_a_selector_keeps_the_order():
    """Parts of the rows lost the order of the classes: halves were split by the alphabet."""
    X, y, codes = table(400)
    X = np.column_stack([X, np.random.default_rng(1).normal(size=(400, 21))])
    forest = ForestClassifier(60, criterion="ordinal", level_scores="equal", calibration="temperature", random_state=0)
    by_words = MirrorSelector(forest, halvings="auto").fit(X, y)
    by_codes = MirrorSelector(forest, halvings="auto").fit(X, codes)
    assert by_words.classes_.tolist() == LEVELS
    assert by_words.selected_columns_ == by_codes.selected_columns_
    np.testing.assert_array_equal(by_words.predict_proba(X), by_codes.predict_proba(X))
    again = MirrorSelector.from_dict(by_words.to_dict())
    np.testing.assert_array_equal(again.predict_proba(X), by_words.predict_proba(X))
    assert again.predict(X).tolist() == by_words.predict(X).tolist()


@pytest.mark.parametrize("kind", ["equal", "oob"])
def test_scores_rank_no_worse_than_no_order(kind):
    """The option would make probabilities of ordered classes worse: ranked probability score of new rows."""
    losses = {"ordinal": [], "gini": []}
    for seed in range(5):
        (X, y, _), (new, _, truth) = table(150, seed), table(1000, seed + 100)
        for name, forest in (("ordinal", fitted(kind, n_estimators=60)), ("gini", ForestClassifier(60))):
            shares = forest.fit(X, y).predict_proba(new)
            losses[name].append(score("ranked_probability_score", np.array(LEVELS)[truth], shares, labels=LEVELS))
    assert np.mean(losses["ordinal"]) < np.mean(losses["gini"])


def test_scikit_learns_checks():
    """A forest by chosen scores would not be an estimator like the others."""
    check_estimator(ForestClassifier(8, criterion="ordinal", level_scores="oob"), on_skip=None)
