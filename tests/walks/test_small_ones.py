"""Small things that new users stumbled over; each stays mended."""

from __future__ import annotations

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
