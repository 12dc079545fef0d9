"""Trees of lazy tables: those of the rows in memory, the same bits for any cut of the files."""

from __future__ import annotations

import hashlib
from dataclasses import fields

import numpy as np
import pyarrow as pa
import pytest
from tests.table.lazy.parts import lazy_table, write_parts

from tamis import ForestClassifier, TreeClassifier, TreeRegressor, read
from tamis.engine import use
from tamis.errors import KindError, ParameterError, TableError
from tamis.tree.estimator import BaseTree
from tamis.views.lazy.fold_moments import RowFolds


def _rows(n: int = 1_500) -> pa.Table:
    """Whole numbers of at most 60 values, so that codes lose nothing; a column that decides and has holes; words."""
    rng = np.random.default_rng(11)
    X = rng.integers(0, 60, size=(n, 4)).astype(float)
    word = rng.choice(np.array(list("pqrstuvwxyza")), n)
    signal = X[:, 0] + 20.0 * np.isin(word, ["q", "t", "w"]) + 0.3 * X[:, 1]
    holes = np.where(rng.random(n) < 0.2, np.nan, X[:, 0])
    noisy = signal + rng.normal(0, 8, n)
    return pa.table(
        {
            "x3": X[:, 3],
            "x1": X[:, 1],
            "like": np.round(X[:, 0] / 4 + rng.normal(0, 1, n)),
            "holes": pa.array(holes, from_pandas=True),
            "w": pa.array(word),
            "class": pa.array(np.where(noisy > 50, "high", np.where(noisy > 30, "middle", "low"))),
            "two": pa.array(np.where(noisy > 40, "yes", "no")),
            "y": np.round(noisy) + 1e6,
        }
    )


TARGETS = ("class", "two", "y")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("tree"), _rows(), (3, 30), row_group_size=110)


def _lazy(folder, target: str, parts: int = 3):
    table = lazy_table(folder / str(parts), 128, target=target)
    return table.drop([name for name in TARGETS if name != target])


def _in_memory(target: str):
    table = read(_rows(), target=target)
    return table.drop(list(TARGETS)), np.asarray(_rows()[target].to_pylist())


KINDS = [
    (TreeClassifier, "two", {}),
    (TreeClassifier, "class", {"criterion": "entropy"}),
    (TreeClassifier, "class", {"criterion": "gain_ratio", "max_depth": 5}),
    (TreeClassifier, "class", {"criterion": "chi2"}),
    (TreeClassifier, "class", {"missing": "category"}),
    (TreeClassifier, "two", {"missing": "majority", "min_impurity_decrease": 0.002}),
    (TreeClassifier, "two", {"class_weight": "balanced", "missing": "majority"}),
    (TreeClassifier, "class", {"loss_matrix": [[0, 1, 5], [1, 0, 1], [2, 1, 0]], "prune": 0.003}),
    (TreeClassifier, "class", {"priors": [0.2, 0.2, 0.6], "prune": "chi2"}),
    (TreeRegressor, "y", {}),
    (TreeRegressor, "y", {"missing": "category", "min_weight_fraction_leaf": 0.02}),
    (TreeRegressor, "y", {"prune": 0.003}),
]


@pytest.mark.parametrize(("kind", "target", "options"), KINDS)
def test_the_tree_is_that_of_the_rows_in_memory(folder, kind, target, options):
    """The tree of a large table would be another than that of the same rows in memory."""
    X, y = _in_memory(target)
    options = {"min_samples_leaf": 6, **options}
    wanted, found = kind(**options).fit(X, y), kind(**options).fit(_lazy(folder, target), target)
    assert found.get_n_leaves() == wanted.get_n_leaves() > 5
    said = [m.predict_proba(X) if target != "y" else m.predict(X) for m in (found, wanted)]
    np.testing.assert_allclose(*said, rtol=1e-9)
    np.testing.assert_allclose(found.feature_importances_, wanted.feature_importances_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(found.cost_complexity_["risk"], wanted.cost_complexity_["risk"], rtol=1e-6, atol=1e-9)
    assert found.tree_.names == wanted.tree_.names
    assert found.to_text().splitlines()[0] == wanted.to_text().splitlines()[0]


def test_surrogates_of_large_nodes_are_those_of_memory(folder):
    """Rows without the value that a split asks for would go another way."""
    X, y = _in_memory("two")
    wanted = TreeClassifier(max_depth=2).fit(X, y).tree_
    found = TreeClassifier(max_depth=2).fit(_lazy(folder, "two"), "two").tree_
    assert wanted.n_surrogates.sum() > 0
    names = [[tree.names[j] for j in tree.surrogate[:, 0]] for tree in (found, wanted)]
    assert sorted(names[0]) == sorted(names[1])
    np.testing.assert_allclose(np.sort(found.agreement, axis=0), np.sort(wanted.agreement, axis=0), rtol=1e-12)


def _bits(model) -> bytes:
    parts = [np.ascontiguousarray(getattr(model.tree_, field.name)).tobytes() for field in fields(model.tree_)[2:]]
    return hashlib.sha256(b"".join(parts)).digest()


@pytest.mark.parametrize(("kind", "target"), [(TreeClassifier, "class"), (TreeRegressor, "y")])
def test_bits_do_not_depend_on_threads_or_on_the_cut_of_the_files(folder, kind, target):
    """Two runs would give two trees, and nobody could say why."""
    digests = set()
    for parts in (3, 30):
        for threads in (1, 2):
            with use("local", n_jobs=threads):
                digests.add(_bits(kind(prune="cv", cv=4).fit(_lazy(folder, target, parts), target)))
    assert len(digests) == 1


def _fold_tree(monkeypatch, folder, target: str, part: int):
    """The tree that a fit with four folds grows on the rows outside one of them."""
    grown = {}

    def kept(model, problem, X, rows, limits, folds):
        grown[part] = problem.grow_on(folds[part][0], limits)[0]
        return pruned(model, problem, X, rows, limits, folds)

    pruned = BaseTree._pruned
    monkeypatch.setattr(BaseTree, "_pruned", kept)
    kind = TreeRegressor if target == "y" else TreeClassifier
    options = {} if target == "y" else {"class_weight": "balanced"}
    model = kind(prune="cv", cv=4, rule="min", **options).fit(_lazy(folder, target, 2), target)
    monkeypatch.setattr(BaseTree, "_pruned", pruned)
    return grown[part], model


@pytest.mark.parametrize("target", ["two", "y"])
def test_rows_held_out_have_no_say_in_the_tree_of_their_fold_and_choose_the_size(tmp_path, monkeypatch, target):
    """The rows that judge a tree would be ones that its edges, splits, values or weights were learned from."""
    rows, held = _rows(), RowFolds(4, 0).of(np.arange(1_500)) == 1
    changed = rows
    for name in ("x1", "like"):
        there = rows[name].to_numpy()
        changed = changed.set_column(rows.schema.get_field_index(name), name, pa.array(np.where(held, 7.0, there)))
    other = "no" if target == "two" else -5e7
    turned = np.where(held, other, np.asarray(rows[target].to_pylist()))
    changed = changed.set_column(rows.schema.get_field_index(target), target, pa.array(turned))
    found = []
    for k, table in enumerate((rows, changed)):
        (tmp_path / str(k)).mkdir()
        write_parts(tmp_path / str(k), table, (2,), row_group_size=300)
        found.append(_fold_tree(monkeypatch, tmp_path / str(k), target, 1))
    (one, first), (two, second) = found
    for field in fields(one)[2:]:  # beyond names and levels
        np.testing.assert_array_equal(getattr(one, field.name), getattr(two, field.name))
    assert not np.array_equal(first.cost_complexity_["cv_risk"], second.cost_complexity_["cv_risk"])


@pytest.mark.parametrize(
    ("kind", "target", "options"),
    [
        (TreeClassifier, "two", {}),
        (TreeClassifier, "two", {"prune_by": "brier", "missing": "category"}),
        (TreeClassifier, "class", {"prune_by": "log_loss"}),
        (TreeClassifier, "class", {"loss_matrix": [[0, 1, 5], [1, 0, 1], [2, 1, 0]]}),
        (TreeClassifier, "class", {"priors": [0.2, 0.2, 0.6], "missing": "majority"}),
        (TreeRegressor, "y", {}),
    ],
)
def test_risks_and_choice_are_those_of_the_same_folds_in_memory(folder, kind, target, options):
    """Pruning by cross-validation would mean one thing for a large table and another in memory."""
    X, y = _in_memory(target)
    fold = RowFolds(4, 0).of(np.arange(1_500))
    pairs = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]  # the fourth gives the edges
    lazy = kind(prune="cv", cv=4, min_samples_leaf=5, **options).fit(_lazy(folder, target), target)
    known = kind(prune="cv", cv=pairs, min_samples_leaf=5, **options).fit(X, y)
    assert lazy.get_n_leaves() == known.get_n_leaves()
    assert lazy.alpha_ == pytest.approx(known.alpha_, rel=1e-9)
    assert set(lazy.cost_complexity_) == set(known.cost_complexity_)
    for name, values in known.cost_complexity_.items():
        np.testing.assert_allclose(lazy.cost_complexity_[name], values, rtol=1e-8, atol=1e-12)


def test_a_class_of_one_fold_alone_is_judged_and_kept(tmp_path):
    """A rare class would end the fit because all of its rows were held out together."""
    rows, fold = _rows(), RowFolds(4, 0).of(np.arange(1_500))
    rare = np.flatnonzero(fold == 0)[:3]
    words = np.asarray(rows["two"].to_pylist(), dtype=object)
    words[rare] = "perhaps"
    rows = rows.set_column(rows.schema.get_field_index("two"), "two", pa.array(words))
    write_parts(tmp_path, rows, (3,), row_group_size=300)
    for options in ({}, {"prune_by": "log_loss"}, {"class_weight": "balanced"}):
        model = TreeClassifier(prune="cv", cv=4, **options).fit(_lazy(tmp_path, "two"), "two")
        assert model.classes_.tolist() == ["no", "perhaps", "yes"]
        assert np.isfinite(model.cost_complexity_["cv_risk"]).all()


def test_no_room_for_the_codes_is_said_in_a_sentence(folder, monkeypatch):
    """A disk that fills up would end in a traceback."""
    import os

    def full(file, offset, size):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(TableError, match="no room left on the disk"):
        TreeClassifier().fit(_lazy(folder, "two"), "two")


def test_noise_is_pruned_to_the_root_by_any_risk(tmp_path):
    """A large table of noise would give a large tree."""
    rng = np.random.default_rng(2)
    rows = pa.table({"x": rng.normal(size=3_000), "z": rng.normal(size=3_000), "c": (rng.random(3_000) < 0.3) * 1})
    write_parts(tmp_path, rows, (2,), row_group_size=500)
    for options in ({}, {"prune_by": "brier"}, {"prune_by": "log_loss"}):
        model = TreeClassifier(prune="cv", **options).fit(lazy_table(tmp_path / "2", 256, target="c"), "c")
        assert model.get_n_leaves() <= 2


def test_more_levels_than_a_byte_holds_share_a_code(tmp_path):
    """A column of 400 towns would end in a wrong answer, or in none."""
    rng = np.random.default_rng(4)
    town = rng.integers(0, 400, 6_000)
    rows = pa.table({"town": pa.array([f"t{k:03d}" for k in town]), "y": np.where(town % 2, 3.0, -3.0)})
    write_parts(tmp_path, rows, (2,), row_group_size=900)
    model = TreeRegressor(min_samples_leaf=5).fit(lazy_table(tmp_path / "2", 512, target="y"), "y")
    answers = model.predict(read(rows, target="y").drop(["y"]))
    assert np.mean(np.sign(answers) == np.sign(rows["y"].to_numpy())) > 0.75


def test_a_table_of_one_cell_is_that_of_its_rows_in_memory(tmp_path):
    """A small table would be pruned by fewer rows because it comes in several files."""
    write_parts(tmp_path, _rows(), (3,), row_group_size=400)
    X, y = _in_memory("two")
    for kind, options in ((TreeClassifier, {"prune": "cv"}), (ForestClassifier, {"n_estimators": 5})):
        wanted = kind(**options).fit(X, y)
        found = kind(**options).fit(read(tmp_path / "3", target="two").drop(["class", "y"]), "two")
        np.testing.assert_array_equal(found.predict_proba(X), wanted.predict_proba(X))
        assert found.classes_.tolist() == wanted.classes_.tolist()


def test_what_needs_rows_in_memory_says_so(folder):
    """A parameter would be passed over without a word."""
    table = _lazy(folder, "y")
    for options in (
        {"splits": "oblique"},
        {"leaf": "linear"},
        {"max_leaf_nodes": 9},
        {"criterion": "poisson"},
        {"search": "optimal", "max_depth": 2},
    ):
        with pytest.raises(ParameterError, match=r"or a sample: table\.sample"):
            TreeRegressor(**options).fit(table, "y")
    with pytest.raises(KindError, match="give its name"):
        TreeRegressor().fit(table, np.zeros(3))
    with pytest.raises(ParameterError, match="sample_weight has one value a row"):
        TreeRegressor().fit(table, "y", sample_weight=np.ones(3))
    with pytest.raises(ParameterError, match="give a number of folds"):
        TreeRegressor(prune="cv", cv=[([0], [1])]).fit(table, "y")
