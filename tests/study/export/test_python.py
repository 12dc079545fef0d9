"""The exported Python file answers what the study predicts."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from tests.study.export.tables import QUICK, messy, mixed, rows_of
from tests.study.tables import write_table

import tamis
from tamis.errors import StudyError
from tamis.linear import LinearClassifier, LinearRegressor
from tamis.study.export import runtime
from tamis.table.inference.missing import SOFT_TOKENS, TOKENS

PROCEDURES = ["baseline", "stump", "tree", "lasso", "forest", "booster"]


def test_texts_that_mean_missing_are_those_of_tables():
    """A text that one reads as missing and the other as a level changes answers."""
    assert runtime.MISSING == TOKENS
    assert runtime.MISSING_NUMBERS == SOFT_TOKENS


def _module(study):
    space: dict = {}
    exec(compile(study.export("python"), "exported", "exec"), space)
    return space


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_numbers_are_those_of_predict(studies, procedure):
    """On rows with holes and unseen levels."""
    study, new = studies("number", procedure), mixed(200, seed=3, new=True)
    predict = _module(study)["predict"]
    np.testing.assert_allclose([predict(row) for row in rows_of(new)], study.predict(new), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("target", ["two", "three", "grade"])
@pytest.mark.parametrize("procedure", PROCEDURES)
def test_classes_and_probabilities_are_those_of_predict(studies, target, procedure):
    """Two classes have one sum, three have three; labels hold quotes."""
    study, new = studies(target, procedure), mixed(200, seed=3, new=True)
    made = _module(study)
    shares = np.array([list(made["predict_proba"](row).values()) for row in rows_of(new)])
    np.testing.assert_allclose(shares, study.predict_proba(new), rtol=1e-9, atol=1e-12)
    assert [made["predict"](row) for row in rows_of(new)] == study.predict(new).tolist()


def test_the_cheapest_answer_is_that_of_predict(studies):
    """A loss matrix moves the threshold in the exported file, too."""
    study = studies("two", "lasso", loss="it's high>low=8, low>it's high=1")
    new = mixed(300, seed=3, new=True)
    plain = np.array(study.model_.labels, dtype=object)[study.predict_proba(new).argmax(axis=1)]
    found = [_module(study)["predict"](row) for row in rows_of(new)[:50]]
    assert found == study.predict(new).tolist()[:50]
    assert (plain != study.predict(new)).any()


@pytest.mark.parametrize(
    ("target", "model"),
    [
        ("number", LinearRegressor("ridge", loss="huber", missing="mean")),
        ("two", LinearClassifier(loss="squared_hinge", missing="mean")),
        ("three", LinearClassifier("lasso", loss="squared_hinge", missing="mean")),
        ("number", tamis.TreeRegressor(missing="category", max_depth=4)),
        ("number", tamis.TreeRegressor(missing="majority", max_depth=4)),
        ("two", tamis.TreeClassifier(splits="oblique", max_depth=3)),
    ],
    ids=["huber", "hinge", "hinge of three", "missing is a category", "majority", "oblique"],
)
def test_models_given_by_the_user_are_exported_too(tmp_path, target, model):
    """Every loss, every way of missing, every kind of split."""
    drop = [name for name in ("number", "two", "three") if name != target]
    settings = {**QUICK, "procedures": {"own": model}}
    study = tamis.Study(mixed().drop(columns=drop), target=target, folder=tmp_path / "s", **settings).run()
    assert study.model_.fitted.procedure == "own"
    new, predict = mixed(150, seed=3, new=True), _module(study)["predict"]
    found = [predict(row) for row in rows_of(new)]
    if target == "number":
        np.testing.assert_allclose(found, study.predict(new), rtol=1e-9, atol=1e-12)
    else:
        assert found == study.predict(new).tolist()


def test_the_file_needs_nothing_but_python(studies, tmp_path):
    """It runs in an interpreter without any site-packages."""
    study = studies("two", "tree")
    path = study.export("python", tmp_path / "model.py")
    row = rows_of(mixed(1, seed=5))[0]
    code = f"import model; print(model.predict({row!r}))"
    done = subprocess.run(
        [sys.executable, "-S", "-I", "-c", f"import sys; sys.path.insert(0, {str(path.parent)!r}); {code}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == study.predict(mixed(1, seed=5))[0]


def test_an_absent_column_and_a_text_for_a_number_are_named(studies):
    """A typing error in a name would pass for a missing value."""
    predict = _module(studies("number", "lasso"))["predict"]
    row = rows_of(mixed(1))[0]
    with pytest.raises(KeyError, match="kind"):
        predict({name: value for name, value in row.items() if name != "kind"})
    with pytest.raises(ValueError, match="'size' is 'big'"):
        predict({**row, "size": "big"})


def test_what_cannot_be_exported_is_said_with_a_way_out(tmp_path, studies):
    """Transforms and models of others."""
    behind = studies("number", "lasso", transform="standardize")
    with pytest.raises(StudyError, match="run the study without transforms"):
        behind.export("python")
    data = mixed().drop(columns=["number", "three", "kind"]).fillna(0.0)
    own = {"near": KNeighborsClassifier()}
    study = tamis.Study(data, target="two", folder=tmp_path / "s", **{**QUICK, "procedures": own}).run()
    with pytest.raises(StudyError, match="KNeighborsClassifier is not exported; take another"):
        study.export("sql")
    with pytest.raises(ValueError, match="to='pmml' is not known"):
        study.export("pmml")


@pytest.mark.parametrize("procedure", ["tree", "lasso"])
def test_parts_of_dates_are_taken_from_the_date(tmp_path, procedure):
    """The model knows months and weekdays; whoever calls it has a date."""
    rng = np.random.default_rng(0)
    days = np.datetime64("2020-01-01") + rng.integers(0, 2000, size=240)
    month = days.astype("datetime64[M]").astype(int) % 12
    y = (days - np.datetime64("2020-01-01")).astype(float) / 100 + 2.0 * (month == 6) + rng.normal(size=240) / 10
    table = {"when": days.astype(str).tolist(), "smoker": rng.choice(["yes", "no"], 240).tolist()}
    path = write_table(tmp_path / "t.csv", {**table, "y": (y + 3 * (np.array(table["smoker"]) == "yes")).tolist()})
    study = tamis.Study(path, target="y", folder=tmp_path / "s", **{**QUICK, "procedures": (procedure,)}).run()
    predict = _module(study)["predict"]
    found = [predict({"when": when, "smoker": word}) for when, word in zip(*table.values())]
    np.testing.assert_allclose(found, study.predict(path), rtol=1e-9)
    assert predict({"when": None, "smoker": "yes"}) == pytest.approx(
        study.predict(write_table(tmp_path / "n.csv", {"when": ["", "2020-01-01"], "smoker": ["yes", "no"]}))[0]
    )


@pytest.mark.parametrize("procedure", PROCEDURES[1:])
def test_texts_with_space_around_them_and_booleans_in_words(studies, procedure):
    """predict trims texts and reads 'TRUE'; a file that does not answers something else."""
    study, new = studies("number", procedure), messy(200)
    predict = _module(study)["predict"]
    np.testing.assert_allclose([predict(row) for row in rows_of(new)], study.predict(new), rtol=1e-9, atol=1e-12)
