"""Forests of lazy tables: those of the rows in memory where every tree sees all, the same bits for any cut."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pytest
from tests.table.lazy.parts import lazy_table, write_parts

from tamis import ForestClassifier, ForestRegressor, read
from tamis.engine import use
from tamis.errors import KindError, ParameterError
from tamis.forest.lazy.draw import RowDraws, judged_rows
from tamis.views.lazy.mapped_codes import MappedCodes, map_codes
from tamis.views.lazy.target import target_of


def _rows(n: int = 2_500) -> pa.Table:
    """Whole numbers of at most 60 values, so that codes lose nothing; words; holes; classes and numbers to learn."""
    rng = np.random.default_rng(11)
    X = rng.integers(0, 60, size=(n, 4)).astype(float)
    word = rng.choice(np.array(["p", "q", "r"]), n)
    signal = X[:, 0] + 20.0 * (word == "q") + 0.3 * X[:, 1]
    holes = np.where(rng.random(n) < 0.1, np.nan, X[:, 2])
    noisy = signal + rng.normal(0, 10, n)
    return pa.table(
        {
            **{f"x{j}": X[:, j] for j in (3, 1, 0)},
            "holes": pa.array(holes, from_pandas=True),
            "w": pa.array(word),
            "class": pa.array(np.where(noisy > 50, "high", np.where(noisy > 30, "middle", "low"))),
            "y": np.round(noisy),
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("forest"), _rows(), (3, 30), row_group_size=190)


def _lazy(folder, target: str, parts: int = 3):
    return lazy_table(folder / str(parts), 128, target=target).drop(["y" if target == "class" else "class"])


def _mapped(table, target: str) -> MappedCodes:
    return map_codes(table, [name for name in table.names if name != target], target_of(table, target))[0]


ORDERED = {"criterion": "ordinal", "level_scores": "normal"}


@pytest.mark.parametrize(
    ("kind", "target", "more"),
    [(ForestClassifier, "class", {}), (ForestClassifier, "class", ORDERED), (ForestRegressor, "y", {})],
)
def test_trees_that_draw_all_rows_answer_as_those_in_memory(folder, kind, target, more):
    """The forest of a large table would be another than that of the same rows in memory."""
    whole = read(_rows(), target=target).drop(["y" if target == "class" else "class"])
    y = np.asarray(_rows()[target].to_pylist())
    X = whole.drop([target])
    options = {"bootstrap": False, "max_features": None, "min_samples_leaf": 3, **more}
    wanted = kind(3, **options).fit(X, y)
    found = kind(3, **options).fit(_lazy(folder, target), target)
    said = [model.predict_proba(X) if target == "class" else model.predict(X) for model in (found, wanted)]
    np.testing.assert_allclose(*said, rtol=1e-12)
    assert found.feature_names_in_.tolist() == wanted.feature_names_in_.tolist()
    np.testing.assert_allclose(found.feature_importances_, wanted.feature_importances_, rtol=1e-9)


def test_bits_do_not_depend_on_threads_or_on_the_cut_of_the_files(folder):
    """Two runs would give two forests, and nobody could say why."""
    digests, codes = set(), set()
    for parts in (3, 30):
        for threads in (1, 2):
            with use("local", n_jobs=threads):
                model = ForestClassifier(6, max_samples=900).fit(_lazy(folder, "class", parts), "class")
                codes.add(_mapped(_lazy(folder, "class", parts), "class").digest())
            found = (model.trees_.nodes, model.oob_decision_function_, model.impurity_importance_)
            digests.add(hashlib.sha256(b"".join(part.tobytes() for part in found)).hexdigest())
    assert len(digests) == len(codes) == 1


def test_codes_are_those_of_the_values(folder):
    """Every split would be one of other rows."""
    table = _lazy(folder, "class")
    mapped, rows = _mapped(table, "class"), _rows()
    for j, coding in enumerate(mapped.codings):
        given = rows[coding.name].to_pylist()
        if coding.levels is not None:
            assert [coding.levels[code] for code in mapped.codes[j]] == given
        else:
            values = np.array([np.nan if value is None else value for value in given])
            there = ~np.isnan(values)
            np.testing.assert_array_equal(coding.low[mapped.codes[j, there]], values[there])
            assert (mapped.codes[j, ~there] == coding.n_values).all()


def test_rows_out_of_the_bag_are_judged_by_trees_that_did_not_draw_them(tmp_path):
    """On pure noise a fully grown forest that judged its own rows would promise an accuracy near 1."""
    rng = np.random.default_rng(2)
    rows = pa.table({"x": rng.normal(size=3_000), "z": rng.normal(size=3_000), "c": rng.integers(0, 2, 3_000)})
    write_parts(tmp_path, rows, (2,), row_group_size=500)
    model = ForestClassifier(40, max_samples=1_500).fit(lazy_table(tmp_path / "2", 256, target="c"), "c")
    assert abs(model.oob_score_ - 0.5) < 0.05
    assert len(model.oob_rows_) == 3_000
    assert abs(model.oob_fraction_ - np.exp(-0.5)) < 0.02  # 1,500 draws of 3,000 rows


def test_only_rows_with_a_target_are_drawn_and_as_often_as_chance_has_it(tmp_path):
    """Rows without an answer would teach, or some rows teach more than others."""
    rng = np.random.default_rng(2)
    y = np.where(rng.random(4_000) < 0.3, np.nan, rng.normal(size=4_000))
    write_parts(tmp_path, pa.table({"x": rng.normal(size=4_000), "y": pa.array(y, from_pandas=True)}), (2,), 500)
    mapped = _mapped(lazy_table(tmp_path / "2", 256, target="y"), "y")
    there = ~np.isnan(y)
    assert set(judged_rows(mapped, 0)) == set(np.flatnonzero(there))
    times = np.zeros(4_000)
    for t in range(40):
        rows, counts = RowDraws(1_000, True, 0).of(t, mapped)
        assert counts.sum() == 1_000
        times[rows] += counts
        rows, counts = RowDraws(1_000, False, 0).of(t, mapped)
        assert len(rows) == 1_000
        assert (counts == 1).all()
    assert (times[~there] == 0).all()
    expected = 40_000 / there.sum()
    statistic = ((times[there] - expected) ** 2 / expected).sum()
    freedom = there.sum() - 1
    assert abs(statistic - freedom) < 4 * np.sqrt(2 * freedom)


def test_more_levels_than_a_byte_holds_share_a_code(tmp_path):
    """A column of 400 towns would end in a wrong answer, or in none."""
    rng = np.random.default_rng(4)
    town = rng.integers(0, 400, 6_000)
    rows = pa.table({"town": pa.array([f"t{k:03d}" for k in town]), "y": np.where(town % 2, 3.0, -3.0)})
    write_parts(tmp_path, rows, (2,), row_group_size=900)
    model = ForestRegressor(10, max_features=None).fit(lazy_table(tmp_path / "2", 512, target="y"), "y")
    answers = model.predict(read(rows, target="y").drop(["y"]))
    assert np.mean(np.sign(answers) == np.sign(rows["y"].to_numpy())) > 0.75


def test_tuning_stopping_and_files_work_as_in_memory(folder, tmp_path):
    """A forest of a large table could not be tuned, stopped or kept."""
    model = ForestClassifier(60, tune={"min_samples_leaf": [1, 5]}, stop_when_stable=True, max_samples=500)
    model.fit(_lazy(folder, "class"), "class")
    assert {setting.min_samples_leaf for setting in model.tuning_} == {1, 5}
    model.save(tmp_path / "forest")
    X = read(_rows(), target="class").drop(["class", "y"])
    np.testing.assert_array_equal(ForestClassifier.load(tmp_path / "forest").predict_proba(X), model.predict_proba(X))


def test_what_needs_rows_in_memory_says_so(folder):
    """A parameter would be passed over without a word."""
    table = _lazy(folder, "class")
    for options in ({"splits": "oblique"}, {"thresholds": "random"}, {"bootstrap": "balanced"}):
        with pytest.raises(ParameterError, match=r"or a sample: table\.sample"):
            ForestClassifier(2, **options).fit(table, "class")
    with pytest.raises(KindError, match="give its name"):
        ForestClassifier(2).fit(table, np.zeros(3))
    with pytest.raises(ParameterError, match="sample_weight has one value a row"):
        ForestClassifier(2).fit(table, "class", sample_weight=np.ones(3))
    with pytest.raises(ParameterError, match="without replacement there are only 2,500 rows"):
        ForestClassifier(2, bootstrap=False, max_samples=9_999).fit(table, "class")
    with pytest.raises(ParameterError, match="looks at rows left out"):
        ForestClassifier(2, stop_when_stable=True, oob_score=False).fit(table, "class")
