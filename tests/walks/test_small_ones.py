"""Small things that new users stumbled over; each stays mended."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import tamis
from tamis.cli import app
from tamis.cli.words import CRITERIA, PROCEDURES, SCORINGS
from tamis.errors import KindError, TableError

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(60, 3)), columns=list("abc"))
Y = pd.Series(np.where(X["a"] > 0, "u", "v"), name="y")


@pytest.mark.parametrize("values", [Y, Y.to_numpy()], ids=["series", "array"])
def test_values_where_a_name_is_meant_get_a_sentence(values, tmp_path):
    """pandas' "truth value of a Series is ambiguous" tells nobody what to do."""
    with pytest.raises(KindError, match=r"target= takes the name of a column, not a \w+ of 60 values; call Study\(\)"):
        tamis.Study(X, target=values, folder=tmp_path / "s")
    with pytest.raises(KindError, match=r"takes the name of a column.*RankSelector\(\).fit\(X, y\)"):
        tamis.score.rank(X, values)


def test_numbers_in_errors_are_written_as_numbers():
    """`np.float64(1.5)` is a name of a library, not a number."""
    for model in (tamis.LinearRegressor(alpha=np.float64(-1.0)), tamis.RankSelector(k=np.float64(1.5))):
        with pytest.raises((ValueError, TypeError), match=r"=-1\.0 is out|=1\.5 must be") as error:
            model.fit(X, X["b"])
        assert "np." not in str(error.value)


def test_the_error_on_holes_names_the_transform_of_tamis():
    """A newcomer would be sent to another library for what Tamis has."""
    with pytest.raises(TableError, match=r"tamis\.transform\.Impute in a pipeline, or give missing='mean'"):
        tamis.LinearClassifier().fit(X.mask(RNG.random(X.shape) < 0.1), Y)


def test_a_stability_that_has_no_value_is_not_printed():
    """ "stability nan" says nothing: no fold chose a column."""
    score = tamis.nested_score(tamis.LinearClassifier("lasso", alpha=10.0), X, Y)
    assert score.selected is not None
    assert "0 columns" in str(score)
    assert "nan" not in str(score)


def _words(text):
    return set(text.replace(",", " ").replace(";", " ").split())


def test_help_names_procedures_scorings_and_criteria():
    """Which words an option takes was found out by wrong ones only; the lists must be those that exist."""
    from tamis.metrics import METRICS
    from tamis.score.criteria import criterion_names
    from tamis.study.procedures import all_procedures

    assert _words(PROCEDURES) == set(all_procedures()) - {"baseline"}
    assert _words(CRITERIA) == set(criterion_names())
    plain = {name for name in METRICS if not name.endswith(("_macro", "_micro", "_weighted"))}
    assert plain <= _words(SCORINGS)
    assert {word for word in _words(SCORINGS) if word in METRICS} - plain == {"precision_macro"}
    for command, names in (("run", ("log-lasso", "roc_auc")), ("rank", ("gain_ratio",))):
        shown = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200"}).output
        assert all(name in shown for name in names)


def test_a_formula_names_its_target(tmp_path):
    """ "target = −214.7" leaves the reader to guess what is predicted."""
    table = {**{name: X[name].to_numpy() for name in X}, "price": 50 * X["a"].to_numpy() - 214.7}
    settings = {"folds": 3, "repeats": 1, "procedures": ["formula"], "black_box": False, "n_jobs": 1}
    study = tamis.Study(table, target="price", folder=tmp_path / "s", **settings).run()
    assert study.model_.to_text().startswith("price = -214.7\n")
    assert "target = " not in study.report(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "price = -214.7" in str(study.export("python"))


def _dated(n=90):
    day = np.datetime64("2018-01-01") + 14 * np.arange(n)
    level = np.where(np.arange(n) % 3 == 0, "low", "high")
    y = np.where((np.arange(n) > n / 2) ^ (RNG.random(n) < 0.05), "yes", "no")
    return {"begun": day.astype(str), "grade": level, "a": RNG.normal(size=n), "churned": y}


def test_a_date_is_one_column_to_the_reader(tmp_path):
    """ "17 columns are used" and "all 18 columns" in the next sentence: which are they?"""
    pd.DataFrame(_dated()).to_csv(tmp_path / "t.csv", index=False)
    words = ["run", tmp_path / "t.csv", "--target", "churned", "--folder", tmp_path / "s", "--procedures", "formula"]
    shown = CliRunner().invoke(app, [*map(str, words), "--folds", "3", "--repeats", "1", "--no-black-box"])
    said = " ".join(shown.output.split())
    study = tamis.load(tmp_path / "s")
    seen = study.results_["data"]["columns"]
    assert seen > 3
    parts = f"Models see {seen} columns: a date counts by its parts, such as year and elapsed days."
    assert "3 columns are used: " in said
    assert parts in said
    assert "Target: churned (2 classes)." in said
    assert "3 columns to learn from." in (page := study.report(tmp_path / "r.html").read_text(encoding="utf-8"))
    assert parts in page


def test_years_and_days_are_written_as_such(tmp_path):
    """A year of 2,018, and an odds ratio "per 0.5" of a year, or a range of 17,500 to 19,000 days since 1970."""
    from tamis.report.facts.picture.formula import formula

    columns = [
        {"name": "begun (year)", "kind": "numeric", "levels": None, "low": 2018.0, "high": 2022.0, "whole": True},
        {"name": "begun (elapsed days)", "kind": "numeric", "levels": None, "low": 17532.0, "high": 19031.0},
    ]
    terms = [{"column": k, "level": None, "coef": [0.1]} for k in (0, 1)]
    readable = {"link": "logistic", "labels": ["n", "y"], "classes": [1], "intercept": [0.0]}
    rows = {row["name"]: row for row in formula({**readable, "columns": columns, "terms": terms}, "t")["rows"]}
    assert rows["begun (year)"]["range"] == "2018 to 2022"
    assert rows["begun (year)"]["odds"].endswith(" per 1")
    assert rows["begun (elapsed days)"]["range"] == "2018-01 to 2022-02"


def test_plain_cross_validation_is_called_optimistic_only_where_it_was():
    """ "0.728 … which is too optimistic", below the nested 0.734."""
    from tamis.report.screen import _choice

    def said(inner, nested):
        scores = {"inner_score": inner, "score": nested, "optimism": inner - nested}
        compared = SimpleNamespace(chosen="tree", chosen_by="rule", **scores)
        answer = SimpleNamespace(metric="accuracy", kind="a tree", interval_note="")
        return _choice(SimpleNamespace(comparison=compared, answer=answer))

    assert said(0.75, 0.74).endswith("(0.750 by plain cross-validation, which is too optimistic).")
    assert said(0.728, 0.734).endswith("(0.728 by plain cross-validation).")
    assert said(1.0, 1.0).endswith("(1.000 by plain cross-validation).")


def test_words_of_the_command_line_can_be_hidden():
    """Inside the app nobody types `--missing`."""
    from tamis.report.facts import warnings

    row = {"name": "bp", "value": 999.0, "rows": 3, "range": [90, 180]}
    shared = {"shared": 0.0, "shared_without": 0.2, "fraction_shared": 0.0, "fraction_shared_without": 0.2}
    reading = ["Sheet 'A' is read; the workbook also holds 'B'; give sheet= to read another."]
    results = SimpleNamespace(sentinels=[row | shared], reading=reading)
    for listed, end in (
        (warnings._sentinels(results), 'treat it as missing and run again. On the command line: --missing "bp=999".'),
        (warnings._reading(results), "the workbook also holds 'B'. Give --sheet to read another."),
    ):
        ((_, sentence, command),) = listed
        assert "--" not in sentence
        assert "--" in command
        assert f"{sentence} {command}".endswith(end)


def test_objects_show_themselves_in_a_notebook():
    """A table, importances, a ranking and a path would be a line of text in Jupyter; a name would be read as markup."""
    frame = X.assign(**{"<b>": np.where(X["a"] > 0, "u<", "v")})
    table = tamis.read(frame)
    forest = tamis.ForestClassifier(20, random_state=0).fit(X, Y)
    path = tamis.LinearClassifier("lasso").fit(X, Y).path_
    ranking = tamis.score.rank(frame.assign(y=Y), "y", by="gini")
    shown = {
        "60 rows × 4 columns": table,
        "Permutation importance of 3 columns": forest.permutation_importance(),
        f"Path of {len(path.alphas)} models": path,
        "by gini": ranking,
    }
    for words, one in shown.items():
        html = one._repr_html_()
        assert words in html
        assert html.count("<tr>") > 3
        assert "<b>" not in html
    assert "&lt;b&gt;</td><td>categorical</td>" in table._repr_html_()
    assert "u&lt;, v" in table._repr_html_()
    wide = tamis.read(RNG.normal(size=(5, 50)))
    assert "5 rows × 50 columns, the first 30 of them" in wide._repr_html_()
