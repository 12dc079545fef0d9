"""Files of a study and of a forest that were damaged, or made up: one sentence, never a crash.

The nightly tests here are fuzzers. `TAMIS_FUZZ=10` gives each ten times its examples, and `--hypothesis-seed=7` makes a
run that can be repeated: `TAMIS_FUZZ=10 pytest -m nightly tests/study/test_damaged.py --hypothesis-seed=7`.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import struct
import zlib
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.study.tables import classes_table, numbers_table, write_table
from typer.testing import CliRunner

import tamis
from tamis import Study
from tamis.cli import app
from tamis.errors import TamisError
from tamis.forest import ForestClassifier, ForestRegressor
from tamis.forest.save import MAGIC
from tamis.linear import LinearClassifier
from tamis.lock import Ledger, Lock
from tamis.table import Table
from tamis.tree import TreeClassifier, TreeRegressor

#: What scikit-learn says of a model whose column names were changed, or are gone: whole, but made for another table.
OTHER_NAMES = ("The feature names should match", "X has feature names, but")

MODELS = ["baseline", "tree", "lasso", "forest"]


def examples(usual: int) -> settings:
    """Settings of a fuzzer: its usual number of examples, times TAMIS_FUZZ."""
    number = max(1, round(usual * float(os.environ.get("TAMIS_FUZZ", "1"))))
    return settings(max_examples=number, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def studies(tmp_path_factory) -> Path:
    """A finished study for each kind of model, with its ledger, and a table to predict."""
    folder = tmp_path_factory.mktemp("studies")
    table = write_table(folder / "table.csv", classes_table())
    write_table(folder / "new.csv", classes_table(300, seed=5))
    for name in MODELS:
        Study(table, target="outcome", folder=folder / name, procedures=[name], prefer="best", repeats=1).run()
    tamis.load(folder / "tree").open()
    return folder


@pytest.fixture
def folder(studies, tmp_path):
    def copy(name: str) -> Path:
        shutil.copytree(studies / name, tmp_path / name, dirs_exist_ok=True)
        return tmp_path / name

    return copy


def sentence(error: BaseException) -> str:
    """The error's words, checked to be one short sentence without Python's own."""
    said = str(error)
    assert isinstance(error, TamisError), f"{type(error).__name__}: {said}"
    assert "\n" not in said
    assert len(said) < 400, said
    for riddle in ("Traceback", "object is not", "has no attribute", "unhashable", "indices must be"):
        assert riddle not in said
    return said


def spoil(path: Path, change) -> None:
    facts = json.loads(path.read_text())
    change(facts)
    path.write_text(json.dumps(facts))


TREE_DAMAGE = {
    "a child outside": lambda t: t["left"].__setitem__(0, 10_000),
    "a cycle": lambda t: t["left"].__setitem__(0, 0),
    "a child before its parent": lambda t: t["left"].__setitem__(-1, 1),
    "a column outside": lambda t: t["feature"].__setitem__(0, 99),
    "a column below": lambda t: t["feature"].__setitem__(0, -7),
    "too few thresholds": lambda t: t["threshold"].pop(),
    "values of another width": lambda t: t.__setitem__("value", [[1.0]] * len(t["value"])),
    "a text among numbers": lambda t: t["left"].__setitem__(0, "1"),
    "a fraction": lambda t: t["left"].__setitem__(0, 1.5),
    "a number beyond its type": lambda t: t["left"].__setitem__(0, 2**40),
    "levels outside": lambda t: t.__setitem__("n_levels", [99] * len(t["n_levels"])),
    "surrogates outside": lambda t: t.__setitem__("n_surrogates", [99] * len(t["n_surrogates"])),
    "surrogates of no column": lambda t: [s.__setitem__(0, 99) for s in t["surrogate"]] or t.pop("surrogate"),
    "a value that is no number": lambda t: t["value"][0].__setitem__(0, float("nan")),
    "no nodes": lambda t: [t.__setitem__(k, []) for k in t if k not in ("names", "levels")],
}


@pytest.mark.parametrize("damage", TREE_DAMAGE)
def test_a_damaged_tree_is_refused(folder, damage):
    """If this fails, a file can make the kernels read outside their arrays, and the process dies."""
    study = folder("tree")
    spoil(study / "model.json", lambda facts: TREE_DAMAGE[damage](facts["state"]["tree"]))
    with pytest.raises(ValueError, match=r"model\.json of .* is damaged.*run\(\) writes it again") as found:
        tamis.load(study)
    sentence(found.value)


@pytest.mark.parametrize("model", ["lasso", "tree", "booster"])
def test_a_flipped_digit_of_a_model_is_noticed(studies, folder, tmp_path, model):
    """9 of 180 flipped digits changed predictions by over 5%, and nobody was told."""
    if model == "booster":
        quick = {"procedures": ["booster"], "prefer": "best", "folds": 2, "inner": 2, "repeats": 1, "black_box": False}
        Study(studies / "table.csv", target="outcome", folder=tmp_path / "booster", **quick).run()
        study = tmp_path / "booster"
    else:
        study = folder(model)
    whole = (study / "model.json").read_text()
    known = tamis.load(study).predict_proba(studies / "new.csv")
    digits = [at for at, letter in enumerate(whole) if letter.isdigit()]
    rng = np.random.default_rng(0)
    unnoticed = 0
    for at in rng.choice(digits, 60, replace=False):
        other = str((int(whole[at]) + rng.integers(1, 10)) % 10)
        (study / "model.json").write_text(whole[:at] + other + whole[at + 1 :])
        try:
            assert np.array_equal(tamis.load(study).predict_proba(studies / "new.csv"), known)
            unnoticed += 1
        except ValueError as error:
            sentence(error)
    assert unnoticed <= 3  # another spelling of the same number
    facts = json.loads(whole)
    del facts["check"]
    (study / "model.json").write_text(json.dumps(facts))
    assert np.array_equal(tamis.load(study).predict_proba(studies / "new.csv"), known)  # of before there was one


WITH_RESULTS = {
    "report": lambda study: study.report(),
    "cite": lambda study: study.cite(),
    "compare": lambda study: tamis.compare(study, study),
}


@pytest.mark.parametrize("act", WITH_RESULTS)
def test_an_error_of_the_package_is_not_called_a_damaged_results_json(folder, monkeypatch, act):
    """Any error of the code that makes the report, the methods paragraph or a comparison was said to be of the file."""

    def fail(*arguments, **options):
        raise KeyError("an error of our own")

    study = tamis.load(folder("tree"))
    for where in ("report.page page", "study.claims.methods methods", "study.comparison.studies _side"):
        module, name = where.split()
        monkeypatch.setattr(import_module(f"tamis.{module}"), name, fail)
    with pytest.raises(KeyError, match="an error of our own"):
        WITH_RESULTS[act](study)


def test_a_changed_number_of_results_json_is_noticed(folder):
    """A score that a failing disk changed was reported as it stood."""
    study = folder("tree")
    spoil(study / "results.json", lambda facts: facts["answer"].__setitem__("score", 0.99))
    with pytest.raises(
        TamisError, match=r"results\.json of .* is damaged: its checksum does not fit; .*again"
    ) as found:
        tamis.load(study)
    sentence(found.value)


def test_results_of_before_there_was_a_checksum_are_read(folder):
    """A folder of an earlier version is read; what such a file lacks is said of it."""
    study = folder("tree")
    whole = tamis.load(study).cite()
    spoil(study / "results.json", lambda facts: facts.pop("check"))
    assert tamis.load(study).cite() == whole
    spoil(study / "results.json", lambda facts: facts.pop("comparison"))
    for act in WITH_RESULTS.values():
        with pytest.raises(TamisError, match=r"results\.json of .* is damaged") as found:
            act(tamis.load(study))
        sentence(found.value)


@pytest.mark.parametrize("name", ["model.json", "results.json", "plan.json", "lock.json"])
def test_the_same_command_writes_a_damaged_file_anew(studies, folder, name):
    """The sentence said --fresh, which does everything again, where the same command is enough."""
    study = folder("tree")
    whole = (study / name).read_bytes()
    (study / name).write_bytes(whole[: len(whole) // 2])
    told = CliRunner().invoke(app, ["open", str(study)])
    assert "`tamis run` writes it again" in told.output
    again = {"target": "outcome", "folder": study, "procedures": ["tree"], "prefer": "best", "repeats": 1}
    Study(studies / "table.csv", **again).run()
    if name != "plan.json":  # which counts the studies beside
        assert (study / name).read_bytes() == whole
    assert tamis.load(study).selected_


@pytest.mark.parametrize("name", ["model.json", "results.json", "plan.json", "lock.json", "journal.jsonl"])
def test_a_damaged_file_is_not_echoed_whole(studies, folder, name):
    """1.4 MB on the screen hide what is wrong."""
    study = folder("tree")
    content = (study / name).read_text()
    huge = '"' + "x" * 500_000 + '"'
    for word in ('"classification"', '"tree"', '"outcome"', '"features"', '"best"'):
        content = content.replace(word, huge)
    (study / name).write_text(content)
    for words in (["open", str(study)], ["run", str(studies / "table.csv"), "-t", "outcome", "-f", str(study)]):
        assert len(CliRunner().invoke(app, words).stderr) < 2_100


@pytest.mark.parametrize("model", MODELS)
def test_a_model_that_lacks_anything_is_refused(folder, model):
    """If this fails, a part that is missing or of another kind is a traceback, now or when it predicts."""
    study = folder(model)
    whole = json.loads((study / "model.json").read_text())
    for where in [(), ("state",)]:
        inside = whole["state"] if where else whole
        for name in inside:
            for put in ("gone", None, 3, "text", [], {}, [[1]], {"a": 1}, [None]):
                facts = json.loads(json.dumps(whole))
                at = facts["state"] if where else facts
                if put == "gone":
                    del at[name]
                else:
                    at[name] = put
                (study / "model.json").write_text(json.dumps(facts))
                try:
                    tamis.load(study).predict(
                        study.parent / "new.csv" if (study.parent / "new.csv").exists() else _new()
                    )
                except Exception as error:
                    sentence(error)


def _new():
    import pandas as pd

    return pd.DataFrame(classes_table(20, seed=5))


def _fitted_forest(kind=ForestRegressor):
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    return kind(5, progress=False, random_state=0).fit(X, (X[:, 0] > 0) if kind is ForestClassifier else X[:, 0])


def _with_nodes(path: Path, change) -> bytes:
    """The bytes of a forest file whose nodes were changed."""
    content = bytearray(path.read_bytes())
    size = int.from_bytes(content[len(MAGIC) : len(MAGIC) + 8], "little")
    begin = len(MAGIC) + 8 + size
    header = json.loads(content[len(MAGIC) + 8 : begin])
    entry = next(entry for entry in header["arrays"] if entry["name"] == "trees.nodes")
    at = begin + entry["at"]
    nodes = [list(struct.unpack_from("<iid", content, at + 16 * k)) for k in range(entry["shape"][0])]
    change(nodes)
    for k, node in enumerate(nodes):
        struct.pack_into("<iid", content, at + 16 * k, *node)
    return bytes(content)


FOREST_DAMAGE = {
    "a child outside": lambda nodes: nodes[0].__setitem__(0, 2**30),
    "a cycle": lambda nodes: nodes[0].__setitem__(0, 0),
    "a column outside": lambda nodes: nodes[0].__setitem__(1, 2**20),
    "a sum that is not there": lambda nodes: nodes[0].__setitem__(1, 1 << 29),
    "levels of a number": lambda nodes: nodes[0].__setitem__(1, 1 << 28),
    "no threshold": lambda nodes: nodes[0].__setitem__(2, float("nan")),
}


@pytest.mark.parametrize("kind", [ForestRegressor, ForestClassifier])
@pytest.mark.parametrize("damage", FOREST_DAMAGE)
def test_a_damaged_forest_is_refused(tmp_path, kind, damage):
    """If this fails, a forest file can make the kernels read outside their arrays, and the process dies."""
    path = tmp_path / "forest"
    _fitted_forest(kind).save(path)
    path.write_bytes(_with_nodes(path, FOREST_DAMAGE[damage]))
    with pytest.raises(ValueError, match=r"the forest in .* is damaged: .*; save it again") as found:
        kind.load(path)
    sentence(found.value)


@pytest.mark.parametrize(("place", "size"), [("header", 2**60), ("shape", 2**40)])
def test_a_forest_file_does_not_ask_for_memory_it_has_no_bytes_for(tmp_path, place, size):
    """If this fails, a file of a kilobyte can take all memory."""
    path = tmp_path / "forest"
    _fitted_forest().save(path)
    content = path.read_bytes()
    length = int.from_bytes(content[len(MAGIC) : len(MAGIC) + 8], "little")
    header = json.loads(content[len(MAGIC) + 8 : len(MAGIC) + 8 + length])
    if place == "shape":
        header["arrays"][0]["shape"] = [size]
    text = json.dumps(header).encode()
    path.write_bytes(MAGIC + (size if place == "header" else len(text)).to_bytes(8, "little") + text)
    with pytest.raises(ValueError, match="is damaged") as found:
        ForestRegressor.load(path)
    sentence(found.value)


def test_a_packed_forest_unpacks_no_more_than_a_forest_holds(folder):
    """If this fails, 11 MB of model.json unpack into 8 GB of zeros."""
    study = folder("forest")
    facts = json.loads((study / "model.json").read_text())
    content = zlib.decompress(base64.b64decode(facts["state"]["forest"]))
    length = int.from_bytes(content[len(MAGIC) : len(MAGIC) + 8], "little")
    header = json.loads(content[len(MAGIC) + 8 : len(MAGIC) + 8 + length])
    header["arrays"][0]["shape"] = [2**33]
    text = json.dumps(header).encode()
    start = MAGIC + len(text).to_bytes(8, "little") + text
    facts["state"]["forest"] = base64.b64encode(zlib.compress(start + bytes(2**24))).decode()
    (study / "model.json").write_text(json.dumps(facts))
    with pytest.raises(ValueError, match=r"model\.json .*the packed forest is damaged") as found:
        tamis.load(study)
    sentence(found.value)


def test_a_forest_is_packed_in_memory(monkeypatch):
    """If this fails, models go through the system's temporary folder, where others may read them."""
    import tempfile

    def refuse(*args, **kwargs):
        raise AssertionError("the temporary folder was used")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = tamis.MirrorSelector().fit(Table.of(X), X[:, 0])
    again = tamis.MirrorSelector.from_dict(json.loads(json.dumps(model.to_dict())))
    assert np.array_equal(again.predict(Table.of(X)), model.predict(Table.of(X)))


@pytest.mark.parametrize("name", ["model.json", "plan.json", "results.json", "lock.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"{}", b"\xff\xfe\x00", b"[" * 100_000, b'{"a": 1}'])
def test_a_file_that_holds_something_else_is_named(folder, name, content):
    """If this fails, a user does not learn which file is damaged."""
    study = folder("tree")
    (study / name).write_bytes(content)
    with pytest.raises(ValueError, match=name.replace(".", r"\.")) as found:
        tamis.load(study).open()
    sentence(found.value)


def test_a_changed_result_in_the_journal_is_noticed(folder, studies):
    """If this fails, a number that a failing disk changed becomes part of the answer."""
    study = folder("tree")
    lines = (study / "journal.jsonl").read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if '"inner_score": 0.' in line)
    lines[at] = lines[at].replace('"inner_score": 0.', '"inner_score": 0.1', 1)
    (study / "journal.jsonl").write_text("\n".join(lines) + "\n")
    again = Study(studies / "table.csv", target="outcome", folder=study, procedures=["tree"], prefer="best", repeats=1)
    with pytest.raises(ValueError, match=rf"line {at + 1} of .*journal\.jsonl.* is damaged") as found:
        again.run()
    sentence(found.value)


def test_a_line_of_the_ledger_of_another_kind_counts_as_an_opening(folder):
    """If this fails, spoiling a line makes the report fail, or hides an opening."""
    study = folder("tree")
    line = json.loads((study / "ledger.jsonl").read_text())
    for name, put in (("score", "high"), ("interval", 3), ("rows", [1]), ("kind", None), ("digest", 5)):
        (study / "ledger.jsonl").write_text(json.dumps({**line, name: put}) + "\n")
        assert [look["kind"] for look in Ledger(study).looks()] == ["damaged"]
        tamis.load(study).report()


@pytest.mark.parametrize("kind", ["predicted", "validated"])
@pytest.mark.parametrize("name", ["metric", "rows"])
def test_a_score_without_its_metric_or_rows_is_a_damaged_line(folder, kind, name):
    """The report showed the score of a line that has no metric, and ended in a traceback."""
    study = folder("tree")
    line = json.loads((study / "ledger.jsonl").read_text())
    (study / "ledger.jsonl").write_text(json.dumps({**line, "kind": kind, name: None}) + "\n")
    assert [look["kind"] for look in Ledger(study).looks()] == ["damaged"]
    tamis.load(study).report()


LOCK_DAMAGE = {
    "rows outside": lambda lock: lock["rows"].__setitem__(-1, 10**9),
    "rows twice": lambda lock: lock["rows"].__setitem__(1, lock["rows"][0]),
    "a row too few": lambda lock: lock["rows"].pop(),
    "a key that is none": lambda lock: lock["keys"].__setitem__(0, "zz"),
    "no list of columns": lambda lock: lock.__setitem__("columns", 3),
    "an unknown part": lambda lock: lock.__setitem__("more", 3),
}


@pytest.mark.parametrize("damage", LOCK_DAMAGE)
def test_a_damaged_lock_is_refused(folder, damage):
    """If this fails, other rows than those locked could be scored."""
    study = folder("tree")
    spoil(study / "lock.json", LOCK_DAMAGE[damage])
    with pytest.raises(ValueError, match=r"lock\.json of .* is damaged.*run\(\) writes it again") as found:
        Lock.read(study)
    sentence(found.value)


def test_labels_do_not_take_the_memory_their_dtype_asks_for():
    """If this fails, a saved model of two labels can ask for a gigabyte each."""
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.where(X[:, 0] > 0, "a", "b")
    tree, linear = TreeClassifier().fit(X, y).to_dict(), LinearClassifier().fit(X, y).to_dict()
    tree["classes"]["dtype"] = linear["classes_dtype"] = "<U500000000"
    assert TreeClassifier.from_dict(tree).classes_.nbytes < 100
    assert LinearClassifier.from_dict(linear).classes_.nbytes < 100


def places(value, here=()):
    """The way to every value within a value."""
    yield here
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from places(child, (*here, key))


STRANGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.integers(-3, 300),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(-3, 300), max_size=3),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["model.json", "plan.json", "results.json", "lock.json", "ledger.jsonl"])
@pytest.mark.parametrize("model", MODELS)
def test_no_change_of_a_value_is_a_crash(studies, tmp_path_factory, model, name):
    """If this fails, some damage of a file is a crash, a traceback or a riddle."""
    folder = tmp_path_factory.mktemp("fuzz") / "study"
    shutil.copytree(studies / model, folder)
    if not (folder / name).exists():
        pytest.skip("it has none")
    kept = (folder / name).read_bytes()
    whole = json.loads(kept)
    ways = [way for way in places(whole) if way]

    @examples(150)
    @given(way=st.sampled_from(ways), put=STRANGE)
    def change(way, put):
        facts = json.loads(kept)
        inside = facts
        for key in way[:-1]:
            inside = inside[key]
        inside[way[-1]] = put
        (folder / name).write_text(json.dumps(facts))
        use(folder, studies)

    change()


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name", ["model.json", "plan.json", "results.json", "lock.json", "ledger.jsonl", "journal.jsonl"]
)
@pytest.mark.parametrize("model", MODELS)
def test_no_change_of_a_byte_is_a_crash(studies, tmp_path_factory, model, name):
    """If this fails, some damage of the disk is a crash, a traceback or a riddle."""
    folder = tmp_path_factory.mktemp("fuzz") / "study"
    shutil.copytree(studies / model, folder)
    if not (folder / name).exists():
        pytest.skip("it has none")
    kept = (folder / name).read_bytes()

    @examples(100)
    @given(at=st.integers(0, len(kept) - 1), put=st.binary(max_size=3), gone=st.integers(0, 20))
    def change(at, put, gone):
        (folder / name).write_bytes(kept[:at] + put + kept[at + gone :])
        use(folder, studies)
        if name == "journal.jsonl":
            shutil.copy(folder / name, folder / "kept")
            try:
                Study(
                    studies / "table.csv", target="outcome", folder=folder, procedures=[model], prefer="best", repeats=1
                ).run()
            except Exception as error:
                sentence(error)

    change()


def use(folder: Path, studies: Path) -> None:
    """All that can be done with a study that is there."""
    for act in (
        lambda: tamis.load(folder).predict(studies / "new.csv"),
        lambda: tamis.load(folder).report(),
        lambda: tamis.load(folder).locked_rows_,
        lambda: Ledger(folder).openings(),
    ):
        try:
            act()
        except Exception as error:
            sentence(error)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", [ForestRegressor, ForestClassifier])
def test_no_change_of_a_forest_file_is_a_crash(tmp_path, kind):
    """If this fails, some damage of a forest file is a crash, a traceback or a riddle."""
    path = tmp_path / "forest"
    random = np.random.default_rng(0)
    import pandas as pd

    X = pd.DataFrame({"a": random.normal(size=90), "b": pd.Categorical(random.choice(list("uvwxyz"), 90))})
    y = (X["a"] + X["b"].isin(["u", "v"])).to_numpy()
    kind(4, progress=False, random_state=0).fit(X, y > 0.5 if kind is ForestClassifier else y).save(path)
    kept = path.read_bytes()
    many = X.sample(600, replace=True, random_state=0)

    @examples(2_000)
    @given(at=st.integers(0, len(kept) - 1), put=st.binary(min_size=1, max_size=4))
    def change(at, put):
        path.write_bytes(kept[:at] + put + kept[at + len(put) :])
        try:
            found = kind.load(path)
            found.predict(X), found.predict(many)
        except Exception as error:
            if not str(error).startswith(OTHER_NAMES):
                sentence(error)

    change()


@pytest.mark.nightly
def test_no_change_of_a_tree_of_numbers_is_a_crash():
    """If this fails, some damage of a saved tree is a crash, a traceback or a riddle."""
    table = numbers_table()
    import pandas as pd

    X = pd.DataFrame(table)
    y = X.pop("y").to_numpy(dtype=float)
    X = X.apply(pd.to_numeric, errors="coerce").select_dtypes("number").dropna(axis=1, how="all")
    for how in ({}, {"leaf": "linear"}, {"splits": "oblique"}):
        _fuzz_tree(TreeRegressor(max_depth=4, **how).fit(X, y), X)


def _fuzz_tree(model: TreeRegressor, X) -> None:
    kept = model.to_dict()
    ways = [way for way in places(kept) if way]

    @examples(500)
    @given(way=st.sampled_from(ways), put=STRANGE)
    def change(way, put):
        facts = json.loads(json.dumps(kept))
        inside = facts
        for key in way[:-1]:
            inside = inside[key]
        inside[way[-1]] = put
        try:
            TreeRegressor.from_dict(facts).predict(X)
        except Exception as error:
            if not str(error).startswith(OTHER_NAMES):
                sentence(error)

    change()


@pytest.mark.parametrize("entry", ["ime", "Seed", ""])
def test_a_setting_that_no_study_has_is_said_of_its_file(folder, entry):
    """A flipped letter in the name of a setting was an error of Python's own."""
    place = folder("tree")
    plan = place / "plan.json"
    facts = json.loads(plan.read_text(encoding="utf-8"))
    facts["settings"][entry] = facts["settings"].pop("time")
    plan.write_text(json.dumps(facts), encoding="utf-8")
    with pytest.raises(TamisError, match=r"plan\.json of .* is damaged; "):
        tamis.load(place).cite()
