"""RankSelector: limits, ties, combinations, names, and a sentence for bad input."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from tamis import RankSelector, score
from tamis.errors import KindError, ParameterError, TamisWarning


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = rng.normal(size=(200, 6)) + np.array([0, 2, 0, 1, 0, 0.5]) * y[:, None]
    return pd.DataFrame(X, columns=list("fedcba")), y


def kept(selector):
    return selector.get_feature_names_out().tolist()


def test_each_limit_keeps_what_it_says(table):
    """k, threshold, share or alpha would keep other columns than the best, or than those above the limit."""
    X, y = table
    scores = score.anova(X, y)
    assert kept(RankSelector("anova", k=2).fit(X, y)) == ["e", "c"]
    assert kept(RankSelector("anova", threshold=scores[5]).fit(X, y)) == ["e", "c", "a"]
    assert kept(RankSelector("anova", share=1 / 6).fit(X, y)) == ["e"]
    assert kept(RankSelector("anova", alpha=0.05, n_permutations=500).fit(X, y)) == ["e", "c", "a"]
    assert kept(RankSelector("anova").fit(X, y)) == ["e", "c", "a"]
    assert kept(RankSelector("anova", k=2, threshold=scores[1]).fit(X, y)) == ["e"]


def test_attributes_belong_together(table):
    """ranking_, order_, scores_ and adjusted p-values would contradict each other."""
    X, y = table
    selector = RankSelector("gini", n_permutations=50).fit(X, y)
    assert np.array_equal(selector.order_, np.argsort(-selector.scores_))
    assert np.array_equal(selector.ranking_[selector.order_], np.arange(1, 7))
    assert np.array_equal(selector.adjusted_pvalues_, score.benjamini_hochberg(selector.pvalues_))
    assert RankSelector("gini").fit(X, y).pvalues_ is None


def test_ties_go_by_name_or_by_position_without_names():
    """Equal columns would be ranked by where they stand although they have names."""
    X, y = np.repeat([[0.0], [1.0]], 3, axis=1)[[0, 1] * 5], [0, 1] * 5
    assert RankSelector("gini").fit(pd.DataFrame(X, columns=["b", "c", "a"]), y).ranking_.tolist() == [2, 3, 1]
    assert RankSelector("gini").fit(X, y).ranking_.tolist() == [1, 2, 3]


def test_the_sign_stands_beside_pearson(table):
    """The direction of a correlation would be lost, or be part of the score."""
    X, y = table
    X = X.assign(e=-X["e"], word=np.where(y > 0, "p", "n"))
    selector = RankSelector(["pearson", "anova"]).fit(X, y.astype(float))
    assert selector.signs_[[1, 3, 6]].tolist() == [-1, 1, 0]
    assert (selector.criterion_scores_["pearson"] >= 0).all()
    assert RankSelector("anova").fit(X, y).signs_ is None


def test_several_criteria_are_combined(table):
    """A list of criteria would not be combined as asked."""
    X, y = table
    lists = [score.anova(X, y), score.relief(X, y), score.stump(X, y)]
    for how in ("borda", "median", "standardised"):
        selector = RankSelector(["anova", "relief", "stump"], combine=how).fit(X, y)
        assert selector.scores_ == pytest.approx(score.combine(lists, how))
        assert list(selector.criterion_scores_) == ["anova", "relief", "stump"]
    null = RankSelector(["anova", "stump"], n_permutations=40).fit(X, y)
    assert null.pvalues_[[1, 3]].tolist() == [1 / 41, 1 / 41]


def test_a_constant_column_comes_last_in_a_combination():
    """A constant column's 0 would outrank columns that relief finds harmful."""
    rng = np.random.default_rng(1)
    X = np.column_stack([np.ones(80), rng.normal(size=(80, 4))])
    selector = RankSelector(["relief", "anova"]).fit(X, rng.integers(0, 2, 80))
    assert selector.criterion_scores_["relief"].min() < 0
    assert selector.ranking_[0] == 5


def test_functions_are_criteria_too(table):
    """A user's own function would not be called, or its NaN would come first."""
    X, y = table

    def spread(X, y):
        return np.where(np.arange(6) == 4, np.nan, np.asarray(X).std(axis=0))

    selector = RankSelector([spread, spread, "gini"], n_permutations=5).fit(X, y)
    assert list(selector.criterion_scores_) == ["spread", "spread#2", "gini"]
    assert selector.criterion_scores_["spread"][4] == 0
    assert selector.ranking_[4] == 6
    with pytest.raises(ParameterError, match=r"<lambda> gave scores of shape \(2,\); it must give one for each column"):
        RankSelector(lambda X, y: [1.0, 2.0]).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "error", "sentence"),
    [
        ({"by": "mutal_information"}, ParameterError, "did you mean 'mutual_information'.*give one of anova, chi2"),
        ({"by": []}, ParameterError, r"by=\[\] names no criterion; give one or more of anova"),
        ({"k": 50}, ParameterError, "k=50, but there are only 6 columns; give k between 1 and 6"),
        ({"k": 2.5}, KindError, "k=2.5 must be a whole number"),
        ({"share": 1.5}, ParameterError, "share=1.5 is out of range"),
        ({"alpha": -1}, ParameterError, "alpha=-1 is out of range"),
        ({"combine": "vote"}, ParameterError, "combine='vote' is not known"),
        ({"by": "variance", "alpha": 0.1}, ParameterError, "variance does not look at the target"),
        ({"n_permutations": -3}, ParameterError, "n_permutations=-3 is too small"),
    ],
)
def test_bad_parameters_get_a_sentence(table, parameters, error, sentence):
    """The user would not be told which parameter to change, and to what."""
    with pytest.raises(error, match=sentence):
        RankSelector(**parameters).fit(*table)


def test_too_few_permutations_are_warned_of(table):
    """No column could ever pass, and the user would not know why."""
    with pytest.warns(TamisWarning, match="n_permutations=19 is too few to keep a single column of 6 at alpha=0.05"):
        RankSelector(alpha=0.05, n_permutations=19).fit(*table)


def test_frames_come_out_as_they_went_in(table):
    """Kept columns of a mixed frame would lose their names or their types."""
    X, y = table
    mixed = X.assign(word=np.where(y > 0, "p", "n"))
    out = RankSelector("gini", k=2).set_output(transform="pandas").fit(mixed, y).transform(mixed)
    assert out.columns.tolist() == ["e", "word"]
    assert out["word"].tolist() == mixed["word"].tolist()
    numbers = RankSelector("gini", k=2).set_output(transform="polars").fit(pl.from_pandas(X), y)
    assert numbers.transform(pl.from_pandas(X)).columns == ["e", "c"]


def test_works_inside_a_pipeline_and_clones(table):
    """The selector could not be a step of a scikit-learn pipeline."""
    X, y = table
    pipe = make_pipeline(RankSelector("relief", k=2), LogisticRegression())
    assert clone(pipe).fit(X, y).score(X, y) > 0.8


def test_held_out_rows_cannot_matter(table):
    """Groups or ranges would be learned from rows that were not given."""
    X, y = table
    changed = X.copy()
    changed.iloc[100:] *= -7
    for name in ("mutual_information", "relief", "anova"):
        one, two = (RankSelector(name).fit(frame.iloc[:100], y[:100]).scores_ for frame in (X, changed))
        assert one.tobytes() == two.tobytes()


def test_a_ranking_lists_columns_with_their_numbers(table, tmp_path):
    """`tamis rank` would print or write something else than the selector found."""
    X, y = table
    frame = X.assign(outcome=np.where(y > 0, "ill", "well"))
    ranking = score.rank(frame, "outcome", by="anova, gini", n_permutations=20)
    selector = RankSelector(["anova", "gini"], n_permutations=20, share=1.0).fit(X, frame["outcome"])
    assert ranking.columns == X.columns[selector.order_].tolist()
    first = ranking.table()[0]
    assert list(first) == ["rank", "column", "score", "anova", "gini", "pvalue", "adjusted"]
    assert (first["rank"], first["column"], first["anova"]) == (1, "e", selector.criterion_scores_["anova"][1])
    ranking.to_csv(tmp_path / "r.csv")
    ranking.to_json(tmp_path / "r.json")
    written = pd.read_csv(tmp_path / "r.csv")
    assert written["column"].tolist() == ranking.columns
    assert written["score"].tolist() == [line["score"] for line in ranking.table()]
    facts = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert (facts["target"], facts["by"], facts["rows"]) == ("outcome", ["anova", "gini"], 200)
    assert facts["columns"] == ranking.table()


def test_the_bars_follow_the_scores(table):
    """The printed bars would not be as long as the scores are large."""
    X, y = table
    ranking = score.rank(X.assign(y=y.astype(str)), "y", by="anova")
    lines = ranking.to_text(width=20, top=3).splitlines()
    assert lines[0].split() == ["rank", "column", "score"]
    assert [line.count("█") for line in lines[1:]] == [
        round(20 * line["score"] / ranking.table()[0]["score"]) for line in ranking.table()[:3]
    ]
    worst = score.rank(X.assign(y=y.astype(str)), "y", by="anova,gini", combine="mean").to_text().splitlines()
    assert worst[1].count("█") == 24
    assert worst[-1].count("█") == 0


def test_rows_without_a_target_are_left_out(table):
    """Rows whose target is missing would be ranked as a class of their own, or stop the ranking."""
    X, y = table
    frame = X.assign(y=np.where(np.arange(200) < 10, np.nan, y))
    ranking = score.rank(frame, "y", by="gini")
    assert ranking.rows == 190
    assert ranking.columns == score.rank(frame.iloc[10:], "y", by="gini").columns


def test_raw_pvalues_keep_columns_that_adjusted_ones_do_not():
    """The level of a single test would be adjusted for the number of columns though it was asked not to be."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 40)), rng.integers(0, 2, 60)
    raw = RankSelector("anova", alpha=0.05, pvalues="raw", n_permutations=99).fit(X, y)
    assert np.array_equal(raw.get_support(), raw.pvalues_ <= 0.05)
    assert raw.get_support().any()
    with pytest.warns(TamisWarning):
        assert not RankSelector("anova", alpha=0.05, n_permutations=99).fit(X, y).get_support().any()


def test_weights_of_criteria_decide_their_combination():
    """A criterion of weight 0 would have a say in the order."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 6))
    y = X[:, 2] + rng.normal(size=60)
    alone = RankSelector("pearson", share=1.0).fit(X, y)
    both = RankSelector(["pearson", "relief"], weights=[1, 0], share=1.0).fit(X, y)
    assert np.array_equal(both.order_, alone.order_)
    with pytest.raises(ParameterError, match="2 criteria"):
        RankSelector(["pearson", "relief"], weights=[1]).fit(X, y)


def test_select_from_model_keeps_the_columns_of_a_lasso():
    """scikit-learn reads coefficients of columns in different units: of ten columns it would keep four."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.feature_selection import SelectFromModel

    from tamis import LinearClassifier

    X, y = load_breast_cancer(return_X_y=True)
    chosen = SelectFromModel(LinearClassifier(), importance_getter="feature_importances_", threshold=1e-12).fit(X, y)
    assert int(chosen.get_support().sum()) == len(chosen.estimator_.selected_columns_)
