"""The exported SQL, run by SQLite, answers what the study predicts."""

from __future__ import annotations

import itertools
import math
import sqlite3
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests.study.export.tables import QUICK, messy, mixed, rows_of

import tamis
from tamis.errors import StudyError
from tamis.study.export.program import Program
from tamis.study.export.sql import sql_of


def _asked(study, frame, steps=None):
    """The rows that the statement gives, as dicts; interrupted after so many thousand steps of the database."""
    base = sqlite3.connect(":memory:")
    base.create_function("EXP", 1, lambda value: None if value is None else math.exp(value))
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in frame.columns)
    base.execute(f"CREATE TABLE new_rows ({names})")
    marks = ", ".join("?" * frame.shape[1])
    base.executemany(f"INSERT INTO new_rows VALUES ({marks})", [tuple(row.values()) for row in rows_of(frame)])
    if steps is not None:
        called = itertools.count()
        base.setlimit(sqlite3.SQLITE_LIMIT_VDBE_OP, 100_000)
        base.set_progress_handler(lambda: next(called) >= steps, 1000)
    found = base.execute(study.export("sql"))
    heads = [head[0] for head in found.description]
    return [dict(zip(heads, row)) for row in found.fetchall()]


@pytest.mark.parametrize("procedure", ["baseline", "stump", "tree", "lasso"])
def test_numbers_are_those_of_predict(studies, procedure):
    """On rows with holes and unseen levels."""
    study, new = studies("number", procedure), mixed(200, seed=3, new=True)
    found = [row["prediction"] for row in _asked(study, new)]
    np.testing.assert_allclose(found, study.predict(new), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("target", ["two", "three", "grade"])
@pytest.mark.parametrize("procedure", ["baseline", "stump", "tree", "lasso", "svm"])
def test_classes_and_probabilities_are_those_of_predict(studies, target, procedure):
    """Quotes in names, levels and labels stay what they are."""
    study, new = studies(target, procedure), mixed(200, seed=3, new=True)
    rows = _asked(study, new)
    assert [row["prediction"] for row in rows] == study.predict(new).tolist()
    shares = [[row[f"p({label})"] for label in study.model_.labels] for row in rows]
    np.testing.assert_allclose(shares, study.predict_proba(new), rtol=1e-9, atol=1e-12)


def test_the_cheapest_answer_is_that_of_predict(studies):
    """Costs are in the statement."""
    study = studies("two", "lasso", loss="it's high>low=8, low>it's high=1")
    new = mixed(300, seed=3, new=True)
    assert [row["prediction"] for row in _asked(study, new)] == study.predict(new).tolist()


@pytest.mark.parametrize(
    ("procedure", "words"), [("forest", "a forest of 200 trees"), ("booster", "a sum of .* trees")]
)
def test_many_trees_are_refused_with_a_way_out(studies, procedure, words):
    """No database takes 200 nested expressions."""
    with pytest.raises(StudyError, match=f"{words} is no SQL .* `tamis choose STUDY --procedure tree`"):
        studies("two", procedure).export("sql")


def test_dates_are_compared_with_dates_and_other_parts_are_refused(tmp_path):
    """A database holds the date, not the days since 1970; a month is written differently in each."""
    rng = np.random.default_rng(0)
    days = np.datetime64("2020-01-01") + rng.integers(0, 2000, size=240)
    y = np.where(days > np.datetime64("2022-06-01"), "late", "early")
    frame = pd.DataFrame({"when": days.astype(str), "x": rng.normal(size=240), "y": y})
    settings = {**QUICK, "procedures": ("stump",)}
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", **settings).run()
    assert study.selected_ == ["when (elapsed days)"]
    assert [row["prediction"] for row in _asked(study, frame)] == study.predict(frame).tolist() == y.tolist()
    sums = tamis.Study(frame, target="y", folder=tmp_path / "l", **{**QUICK, "procedures": ("lasso",)}).run()
    with pytest.raises(StudyError, match="made of a date"):
        sums.export("sql")


def test_an_absent_column_is_an_error_of_the_database(studies):
    """SQLite takes an unknown name between quotes for a text, and would answer something."""
    study = studies("number", "tree")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        _asked(study, mixed(5).drop(columns=["kind"]))


@pytest.fixture(scope="module")
def many_classes(tmp_path_factory):
    """(number of classes, of columns, procedure) -> a table and its study."""
    known = {}

    def get(n_classes, n_columns, procedure, **more):
        key = n_classes, n_columns, procedure, *more
        if key not in known:
            rng = np.random.default_rng(0)
            X = rng.normal(size=(40 * n_classes, n_columns))
            y = (X @ rng.normal(size=(n_columns, n_classes))).argmax(axis=1)
            frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(n_columns)]).assign(y=[f"c{k}" for k in y])
            settings = {**QUICK, "procedures": (procedure,), **more}
            folder = tmp_path_factory.mktemp("many") / "study"
            known[key] = frame, tamis.Study(frame, target="y", folder=folder, **settings).run()
        return known[key]

    return get


@pytest.mark.parametrize(
    ("n_classes", "n_columns", "procedure"), [(8, 60, "ridge"), (8, 60, "tree"), (12, 10, "svm"), (30, 10, "ridge")]
)
def test_many_classes_are_answered_in_few_steps(many_classes, n_classes, n_columns, procedure):
    """A sum that later steps name is computed once a row; copied into each of them, SQLite runs out of memory.

    Eight classes and 60 columns: a row takes 480 products, 8 powers, less than 200 comparisons
    and 60 columns that are read as numbers.
    """
    frame, study = many_classes(n_classes, n_columns, procedure)
    new = frame.head(20)
    rows = _asked(study, new, steps=200)
    assert [row["prediction"] for row in rows] == study.predict(new).tolist()
    shares = [[row[f"p({label})"] for label in study.model_.labels] for row in rows]
    np.testing.assert_allclose(shares, study.predict_proba(new), rtol=1e-9, atol=1e-12)


def test_the_statement_grows_with_classes_times_columns(many_classes):
    """Its length is linear in the coefficients, and in columns: twice the classes are at most 2.2 times the text."""
    few, many = (many_classes(k, 10, "ridge")[1].export("sql") for k in (15, 30))
    assert len(many) < 2.2 * len(few) + 1000
    assert len(many) < 150 * 30 * (10 + 1) + 600 * 10


def test_the_cheapest_of_three_answers_is_that_of_predict(studies):
    """The first of those whose expected cost is the least."""
    study = studies("three", "lasso", loss="a>b=3, a>c=1, b>a=2, b>c=5, c>a=4, c>b=1")
    new = mixed(300, seed=3, new=True)
    assert [row["prediction"] for row in _asked(study, new)] == study.predict(new).tolist()


def test_a_sum_of_a_thousand_columns_is_no_deeper_than_databases_take(tmp_path):
    """SQLite takes expressions of depth 1,000, and a + b + c … is as deep as it is long."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1_100))
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]).assign(y=X[:, :30].sum(axis=1))
    settings = {**QUICK, "procedures": ("ridge",)}
    study = tamis.Study(frame, target="y", folder=tmp_path / "s", **settings).run()
    found = [row["prediction"] for row in _asked(study, frame)]
    np.testing.assert_allclose(found, study.predict(frame), rtol=1e-9)


def test_earlier_probabilities_in_the_table_are_not_taken_for_those_of_the_model(studies):
    """A table to which answers were added once may be asked again."""
    study = studies("three", "lasso")
    new = mixed(50, seed=3, new=True)
    rows = _asked(study, new.assign(**{"p(a)": 1.0, "p(b)": 0.0, "p(c)": 0.0}))
    assert [row["prediction"] for row in rows] == study.predict(new).tolist()


def test_a_sum_of_one_tree_is_no_linear_model():
    """Its tree would be left out, and the constant before it answered."""
    program = Program("regression", "y", (), None, (), "identity", (), (0.5,), (), ([{"leaf": [1.0]}],))
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE new_rows (x)")
    base.execute("INSERT INTO new_rows VALUES (7)")
    assert base.execute(sql_of(program)).fetchall()[0][-1] == 1.5


@pytest.mark.parametrize("procedure", ["tree", "lasso"])
def test_texts_with_space_around_them_and_booleans_held_as_text(studies, procedure):
    """SQLite holds booleans as it is given them; predict trims texts, so the statement must."""
    study, new = studies("number", procedure), messy(200)
    found = [row["prediction"] for row in _asked(study, new)]
    np.testing.assert_allclose(found, study.predict(new), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("procedure", ["tree", "lasso", "score-card", "additive"])
def test_numbers_held_as_texts_are_numbers(tmp_path, procedure):
    """SQLite takes every text for larger than every number; what `.import` reads from a file are texts."""
    rng = np.random.default_rng(2)
    x, whole = rng.normal(size=200), rng.integers(0, 4, 200)
    frame = pd.DataFrame({"x": x, "whole": whole, "y": np.where(x + whole + rng.normal(size=200) > 1.5, "in", "out")})
    study = tamis.Study(frame, target="y", folder=tmp_path / procedure, procedures=[procedure], **QUICK).run()
    new = pd.DataFrame({"x": rng.normal(size=60), "whole": rng.integers(0, 4, 60)})
    expected = study.predict(new).tolist()
    pads = rng.choice(["", " ", "\t", "\xa0"], (2, 60))
    texts = new.astype(object).apply(lambda column: [a + repr(float(v)) + b for v, a, b in zip(column, *pads)])
    assert [row["prediction"] for row in _asked(study, texts)] == expected
    assert [row["prediction"] for row in _asked(study, texts.map(lambda t: t.strip().replace("e-", "E-")))] == expected


def test_words_in_a_column_of_numbers_are_missing():
    """SQLite would take them for 0, and a code such as 5e for 5."""
    program = Program(
        *("regression", "y", (), None, (), "identity", (), (0.5,)),
        *((), ([{"tests": [["le", 0, 1.0, 1]], "default": 0, "left": 1}, {"leaf": [1.0]}, {"leaf": [2.0]}],)),
    )
    program = replace(program, inputs=({"name": "x", "kind": "number", "levels": None, "missing": ["999"]},))
    words = [
        "",
        "-",
        "--",
        ".",
        "+",
        "e",
        "5e",
        "e5",
        "1-2",
        "1.2.3",
        "2020-01-02",
        "1,5",
        "abc",
        "NA",
        "999",
        " 999.0",
    ]
    numbers = ["1", " 1.0\t", "-3", "+1", "1e0", ".5", "5e-1", "-1.5E+3", "1.", 1, 1.0, -3, 0.1 + 0.2]
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE new_rows (x)")
    base.executemany("INSERT INTO new_rows VALUES (?)", [(value,) for value in [*words, *numbers, "1.1", " 7", 999.5]])
    known = [row[2:4] for row in base.execute(sql_of(program)).fetchall()]
    values, leaves = [row[0] for row in known], [row[1] for row in known]
    assert values[: len(words)] == [None] * len(words)
    assert values[len(words) :] == [1, 1, -3, 1, 1, 0.5, 0.5, -1500, 1, 1, 1, -3, 0.1 + 0.2, 1.1, 7, 999.5]
    assert len(set(leaves[len(words) : -3])) == 1
    assert set(leaves[-3:]).isdisjoint(leaves[len(words) : -3])


def test_a_word_among_levels_that_are_numbers_is_a_level_never_seen():
    """It was taken for a missing value, which has a coefficient of its own."""
    levels = {"0": [1.0], "1": [2.0]}
    program = Program(
        *("regression", "y", (), None, ({"name": "x", "kind": "category", "levels": [3, 7]},), "identity", (), (0.5,)),
        *(({"column": 0, "levels": levels, "missing": [9.0]},), ()),
    )
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE new_rows (x)")
    cells = [3, 7.0, "3", " 7\t", "7.0", 8, "abc", "NA", "", None]
    base.executemany("INSERT INTO new_rows VALUES (?)", [(cell,) for cell in cells])
    found = [row[-1] for row in base.execute(sql_of(program)).fetchall()]
    assert found == [1.5, 2.5, 1.5, 2.5, 2.5, 0.5, 0.5, 9.5, 9.5, 9.5]


def test_control_characters_do_not_reach_the_terminal(tmp_path):
    """A level could colour, erase or type on the reader's terminal."""
    import numpy as np
    from typer.testing import CliRunner

    import tamis
    from tamis.cli import app

    rng = np.random.default_rng(0)
    kind = rng.choice(["plain", "\x1b[31mred"], 120)
    columns = {"kind": kind.tolist(), "x": rng.normal(size=120), "y": np.where(kind == "plain", "p", "q").tolist()}
    quick = {"procedures": ["stump"], "folds": 2, "inner": 2, "repeats": 1, "black_box": False, "n_jobs": 1}
    tamis.Study(columns, target="y", folder=tmp_path / "s", **quick).run()
    told = CliRunner().invoke(app, ["export", str(tmp_path / "s"), "--to", "sql"])
    assert told.exit_code == 1
    assert "\x1b" not in told.output
    assert "write to a file, with -o" in told.output
    written = CliRunner().invoke(app, ["export", str(tmp_path / "s"), "--to", "sql", "-o", str(tmp_path / "m.sql")])
    assert written.exit_code == 0
