"""Leak checks: each planted leak is found and named, and clean tables stay silent."""

from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

import tamis
from tamis.errors import ParameterError
from tamis.evaluate.leakage.duplicates import duplicates, near_duplicates, row_keys
from tamis.evaluate.leakage.leaks import leaks
from tamis.split import folds
from tamis.study.fold import find_leaks
from tamis.table import Column, Table

N = 120


def clean(seed=0, n=N):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.normal(50, 10, n),
            "stage": rng.choice(["I", "II", "III"], n),
            "marker": rng.normal(size=n),
            "count": rng.poisson(3, n),
            "smoker": rng.random(n) < 0.3,
        }
    )
    return frame, rng.permutation(np.repeat(["ill", "well"], n // 2))


def kinds(found):
    return {(leak.kind, leak.columns) for leak in found}


@pytest.mark.parametrize("seed", range(20))
def test_a_clean_table_is_silent(seed):
    """Warnings that come without cause are not read."""
    frame, y = clean(seed)
    assert leaks(frame, y) == []
    assert leaks(frame, np.random.default_rng(1000 + seed).normal(size=N)) == []


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_diabetes])
def test_honest_public_tables_are_not_called_leaking(load):
    """Strong but honest columns are no leaks; iris has one pair of twins, and that is all."""
    X, y = load(return_X_y=True)
    assert {leak.kind for leak in leaks(X, y)} <= {"duplicates"}


def test_many_noise_columns_do_not_predict_by_chance():
    """Among 2,000 columns and 16 rows some separate the classes perfectly; that is chance, not a leak."""
    rng = np.random.default_rng(0)
    assert leaks(rng.normal(size=(16, 2000)), np.repeat([0, 1], 8)) == []


@pytest.mark.parametrize(
    "make",
    [
        lambda y, rng: (y == "ill") * 1.0,
        lambda y, rng: np.where(y == "ill", 3.0, 1.0) + 0.01 * rng.normal(size=len(y)),
        lambda y, rng: np.where(y == "ill", "treated", "discharged"),
        lambda y, rng: np.where(y == "ill", rng.integers(0, 3, len(y)), rng.integers(3, 6, len(y))),
    ],
)
def test_a_column_that_alone_tells_the_class_is_named(make):
    """A column made from the target makes any model perfect, and useless."""
    frame, y = clean()
    frame["treatment"] = make(y, np.random.default_rng(0))
    (found,) = [leak for leak in leaks(frame, y) if leak.kind == "predicts"]
    assert found.columns == ("treatment",)
    assert found.severity == "stop"
    assert "100% of the rows" in found.sentence


def test_almost_perfect_and_three_classes_are_found_too():
    """One wrong entry in 400 does not make a leak honest."""
    rng = np.random.default_rng(0)
    y = rng.permutation(np.repeat(["a", "b", "c"], 134))
    code = np.select([y == "a", y == "b"], [2.0, 9.0], 5.0) + 0.1 * rng.normal(size=402)
    code[0] = 100.0
    frame = pd.DataFrame({"x": rng.normal(size=402), "code": code})
    found = [leak for leak in leaks(frame, y) if leak.kind == "predicts"]
    assert [leak.columns for leak in found] == [("code",)]


@pytest.mark.parametrize("turn", [lambda y: 3 - 2 * y, np.exp, lambda y: np.round(y, 2)])
def test_a_column_that_tells_a_number_is_named(turn):
    """The target in other units is still the target."""
    frame, _ = clean()
    y = np.random.default_rng(1).normal(size=N)
    frame["total"] = turn(y)
    assert ("predicts", ("total",)) in kinds(leaks(frame, y))


def test_many_perfect_columns_are_one_sentence():
    """A wide table of an easy task must not give a thousand lines."""
    y = np.repeat([0, 1], 60)
    X = np.random.default_rng(0).normal(size=(120, 50)) + 100 * y[:, None]
    (found,) = [leak for leak in leaks(X, y) if leak.kind == "predicts"]
    assert len(found.columns) == 50
    assert found.severity == "warn"


def test_identifiers_are_found_by_values_and_by_name():
    """A row number is no property of a patient."""
    frame, y = clean()
    rng = np.random.default_rng(0)
    frame["record"] = [f"r{i:05d}" for i in rng.permutation(N)]
    frame["line"] = rng.permutation(N) + 1
    frame["patient_id"] = rng.permutation(10**6)[:N]
    found = {leak.columns for leak in leaks(frame, y) if leak.kind == "identifier"}
    assert found == {("record",), ("line",), ("patient_id",)}


def test_duplicates_are_counted_also_across_folds():
    """A model judged on a row it has seen is judged on memory."""
    frame, y = clean()
    frame, y = pd.concat([frame, frame[:10]], ignore_index=True), np.r_[y, y[:10]]
    pairs = folds(5, y)
    (found,) = leaks(frame, y, folds=pairs)
    assert found.kind == "duplicates"
    assert found.rows == 20
    torn = 0
    fold_of = np.empty(130, dtype=int)
    for fold, (_, test) in enumerate(pairs):
        fold_of[test] = fold
    torn = 2 * sum(fold_of[i] != fold_of[120 + i] for i in range(10))
    assert f", {torn} of them judged by a model that saw their twin" in found.sentence
    assert leaks(frame, y, groups=np.r_[np.arange(120), np.arange(10)]) == []


def test_near_duplicates_are_found_and_groups_settle_them():
    """The same sample measured twice is not two samples."""
    frame, y = clean()
    copies = frame[:8].copy()
    copies["marker"] += 1e-5
    frame, y = pd.concat([frame, copies], ignore_index=True), np.r_[y, y[:8]]
    (found,) = leaks(frame, y)
    assert (found.kind, found.rows) == ("near-duplicates", 16)
    assert near_duplicates(Table.of(frame)) == [(i, 120 + i) for i in range(8)]
    assert leaks(frame, y, groups=np.r_[np.arange(120), np.arange(8)]) == []


def test_keys_tell_rows_apart_as_equality_does():
    """A key that confused zeros, or missing values, would miss twins."""
    rows = np.array([[0.0, np.nan], [-0.0, np.nan], [0.0, 1.0], [1.0, 0.0], [np.nan, 0.0]])
    assert duplicates(row_keys(Table.of(rows))).tolist() == [0, 0, -1, -1, -1]
    rng = np.random.default_rng(0)
    grid = rng.integers(0, 4, (3000, 4)).astype(float)
    expected = np.unique(grid, axis=0, return_inverse=True, return_counts=True)
    assert len(np.unique(row_keys(Table.of(grid)))) == len(expected[0])


def test_an_entity_that_repeats_is_named_unless_given_as_groups():
    """Four visits of a patient in training and judged rows are the same patient."""
    frame, _ = clean()
    patient = np.repeat(np.arange(30), 4)
    frame["patient"] = [f"p{i}" for i in patient]
    y = np.random.default_rng(0).permutation(np.repeat(["ill", "well"], 15))[patient]
    (found,) = [leak for leak in leaks(frame, y) if leak.kind == "entity"]
    assert found.columns == ("patient",)
    assert found.severity == "stop"
    assert "give it as groups" in found.sentence
    assert all(leak.kind != "entity" for leak in leaks(frame, y, groups=patient))


@pytest.mark.parametrize(
    ("name", "names_it"),
    [
        ("patient", True),
        ("Patient_ID", True),
        ("customer number", True),
        ("Patients_year", False),
        ("Age_of_patient", False),
    ],
)
def test_what_is_known_of_an_entity_is_no_entity(name, names_it):
    """The age of a patient would be called a patient, for a word in its name."""
    frame, y = clean()
    frame[name] = np.random.default_rng(0).permutation(np.repeat(np.arange(30), 4)).astype(float)
    assert any(leak.kind == "entity" for leak in leaks(frame, y)) == names_it


def test_a_date_with_random_folds_is_named_unless_given_as_time():
    """Folds drawn at random know the future."""
    frame, y = clean()
    frame["visit"] = [datetime(2020, 1, 1) + timedelta(days=int(i)) for i in np.arange(N)]
    (found,) = leaks(frame, y)
    assert (found.kind, found.columns, found.severity) == ("time", ("visit",), "note")
    (drifting,) = leaks(frame, np.repeat(["ill", "well"], 60)[np.r_[0:50, 60:70, 50:60, 70:120]])
    assert drifting.severity == "warn"
    assert "drifts with it" in drifting.sentence
    assert leaks(frame, y, time=np.arange(N)) == []


@pytest.mark.parametrize("classes", [True, False])
def test_missingness_that_tells_the_target_is_named(classes):
    """A value measured only in the ill tells who is ill."""
    frame, y = clean()
    ill = y == "ill"
    frame.loc[ill, "marker"] = np.nan
    target = y if classes else ill * 2.0 + np.random.default_rng(0).normal(size=N)
    (found,) = [leak for leak in leaks(frame, target) if leak.kind == "missingness"]
    assert found.columns == ("marker",)
    assert found.severity == ("stop" if classes else "warn")
    frame, y = clean()
    frame.loc[np.arange(N) % 3 == 0, "marker"] = np.nan
    assert leaks(frame, y) == []


def test_locked_rows_repeated_in_training_are_counted_in_any_column_order():
    """A locked row that was trained on is not locked."""
    frame, y = clean()
    locked = pd.concat([frame[:3], clean(9)[0][:10]])[list(frame.columns[::-1])]
    (found,) = leaks(frame, y, locked=locked)
    assert (found.kind, found.rows, found.severity) == ("locked", 3, "stop")
    assert leaks(frame, y, locked=clean(9)[0]) == []


def thirty_classes(seed=0):
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.repeat(np.arange(30), 20))
    frame, _ = clean(seed, n=600)
    return frame, codes, rng.permutation(30)[codes], rng


@pytest.mark.parametrize("given", ["text", "codes"])
@pytest.mark.parametrize("column", ["numbers", "words", "measured"])
def test_a_code_of_one_of_thirty_classes_is_named(given, column):
    """More than twenty classes must not be read as numbers, nor a code of the class as an entity."""
    frame, codes, other, rng = thirty_classes()
    frame["ward"] = {
        "numbers": other.astype(float),
        "words": np.array([f"w{k:02d}" for k in other]),
        "measured": other + 0.01 * rng.normal(size=600),
    }[column]
    y = np.array([f"c{k:02d}" for k in codes]) if given == "text" else codes
    (found,) = leaks(frame, y, task="classification")
    assert (found.kind, found.columns, found.severity) == ("predicts", ("ward",), "stop")
    assert "100% of the rows" in found.sentence


def test_a_study_of_thirty_classes_names_the_code_of_the_class(tmp_path):
    """The study hands codes on; that they are classes must go with them."""
    frame, codes, other, rng = thirty_classes()
    frame["ward"] = other + 0.01 * rng.normal(size=600)
    frame["diagnosis"] = [f"c{k:02d}" for k in codes]
    frame.to_csv(tmp_path / "table.csv", index=False)
    study = tamis.Study(tmp_path / "table.csv", target="diagnosis", folder=tmp_path / "study", procedures=["tree"])
    found = find_leaks(study.problem, seed=0)
    assert ("predicts", ["ward"]) in [(leak["kind"], leak["columns"]) for leak in found]


def test_counts_are_numbers_when_they_were_decided_to_be():
    """A count that was asked for as a number must not be called a class."""
    frame, _ = clean()
    y = np.random.default_rng(3).poisson(3, N).astype(float)
    frame["total"] = 2 * y + 1
    (as_numbers,) = leaks(frame, y, task="regression")
    assert "of the target's variance" in as_numbers.sentence
    (as_classes,) = leaks(frame, y)
    assert "of the rows" in as_classes.sentence
    with pytest.raises(ParameterError, match="task='number' is not known"):
        leaks(frame, y, task="number")


@pytest.mark.parametrize("seed", range(5))
def test_twins_that_chance_explains_are_not_reported(seed):
    """Twelve kinds of row in 241 rows must repeat: to keep one of each would throw the table away."""
    rng = np.random.default_rng(seed)
    few = pd.DataFrame({"sex": rng.choice(["f", "m"], 241), "band": rng.choice(list("abcdef"), 241)})
    y = rng.choice(["no", "yes"], 241)
    assert leaks(few, y) == []
    bound = few.assign(title=np.where(few.sex == "f", "Ms", "Mr"), half=np.where(few.band < "d", 1.0, 2.0))
    assert leaks(bound, y) == []  # columns that hang together repeat more often, and are no copies either
    mood = rng.normal(size=(300, 1))
    items = np.clip(np.round(2 * mood + 0.7 * rng.normal(size=(300, 5))), -2, 2)
    assert leaks(items, rng.permutation(np.repeat([0, 1], 150))) == []
    dense = pd.DataFrame({"x": rng.normal(size=2000), "z": rng.choice(list("abc"), 2000)})
    assert leaks(dense, rng.permutation(np.repeat([0, 1], 1000))) == []  # one column, so close that rows almost meet


@pytest.mark.parametrize("copies", [10, 241])
def test_copies_are_reported_beside_few_categories(copies):
    """One measured column is enough to tell a copy from a row that is alike by chance."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sex": rng.choice(["f", "m"], 241), "band": rng.choice(list("abcdef"), 241)})
    frame["x"] = rng.normal(size=241)
    frame = pd.concat([frame, frame[:copies]], ignore_index=True)
    (found,) = leaks(frame, rng.choice(["no", "yes"], len(frame)))
    assert (found.kind, found.rows) == ("duplicates", 2 * copies)


def test_copies_among_coarse_rows_are_reported_with_what_chance_gives():
    """Where twins come by chance too, many more than that are still copies, and the sentence says both numbers."""
    rng = np.random.default_rng(0)
    grid = rng.integers(0, 8, (600, 4)).astype(float)
    y = rng.permutation(np.repeat([0, 1], 300))
    assert leaks(grid, y) == []
    (found,) = leaks(np.vstack([grid, grid[:300]]), np.r_[y, y[:300]])
    assert found.kind == "duplicates"
    assert "chance would give about" in found.sentence


def test_copies_in_a_wide_table_of_rare_ones_are_reported():
    """Twenty words of two thousand in a text are not repeated by chance, though each word is rare."""
    rng = np.random.default_rng(0)
    texts = (rng.random((200, 2000)) < 0.01) * 1.0
    (found,) = leaks(np.vstack([texts, texts[:3]]), rng.permutation(np.arange(203) % 2))
    assert (found.kind, found.rows) == ("duplicates", 6)


def test_locked_rows_that_chance_repeats_are_not_reported():
    """With twelve kinds of row every locked row has an equal among the training rows; to lock again changes nothing."""
    rng = np.random.default_rng(0)
    few = pd.DataFrame({"sex": rng.choice(["f", "m"], 241), "band": rng.choice(list("abcdef"), 241)})
    assert leaks(few[:200], rng.choice(["no", "yes"], 200), locked=few[200:]) == []


def test_worst_comes_first():
    """A reader stops after a line or two."""
    frame, y = clean()
    frame["visit"] = [datetime(2020, 1, 1) + timedelta(days=int(i)) for i in np.arange(N)]
    frame["code"] = (y == "ill") * 1
    assert [leak.severity for leak in leaks(frame, y)] == ["stop", "note"]


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize(("n", "d"), [(20, 3000), (60, 500)])
def test_a_wide_table_has_the_leaks_of_its_columns(n, d, classes, monkeypatch):
    """Looking at many columns at once would miss a leak that looking at each would find."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, d))
    y = rng.integers(0, 2, n).astype(float) if classes else rng.normal(size=n)
    X[:, 1], X[:, 2], X[:, 3] = y, y + 1e-3 * rng.normal(size=n), np.arange(n)
    X[:, 4] = np.where(y > np.median(y), np.nan, X[:, 4])
    X[:, 5], X[:, 6] = rng.integers(0, 9, n) + 0.5, np.exp(3 * y)

    def found():
        return leaks(Table([Column(f"c{j}", "numeric", X[:, j].copy()) for j in range(d)]), y)

    wide = found()
    monkeypatch.setattr("tamis.table.table.WIDE", 10**9)
    assert wide == found()
    assert wide
