"""Tables of every kind end in an answer or in one sentence: what benchmarks/fuzz found, by the public path."""

import sqlite3
import warnings
from contextlib import suppress
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tamis
from tamis import transform
from tamis.errors import KindError, TableError
from tamis.forest import ForestRegressor
from tamis.linear import LinearClassifier, LinearRegressor
from tamis.study.source import refuse_unknown
from tamis.tree import TreeClassifier, TreeRegressor

QUICK = {"folds": 2, "inner": 2, "repeats": 1, "black_box": False, "n_jobs": 1, "procedures": ["tree"]}


def frame(n=60, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=n)
    return pd.DataFrame({"a": a, "b": rng.normal(size=n), "y": np.where(a > 0, "p", "q")})


def test_a_target_with_pandas_own_missing_value_is_refused_by_its_row():
    """Neither like nor unlike itself, pd.NA was an error of Python's own."""
    y = pd.array([1, 0] * 30, dtype="Int64")
    y[7] = pd.NA
    with pytest.raises(ValueError, match="Input y contains NaN"):
        TreeClassifier().fit(frame()[["a", "b"]], y)
    with pytest.raises(TableError, match=r"no value in 1 row.*first in row 8"):
        TreeClassifier().fit(frame()[["a", "b"]], y.astype(object))
    with pytest.raises(TableError, match=r"no value in 1 row.*first in row 8"):
        TreeRegressor().fit(frame()[["a", "b"]], y.astype(object))


def test_a_target_of_words_is_named_where_numbers_are_asked_for():
    """NumPy's words for it name neither the value nor a way out."""
    with pytest.raises(TableError, match="must hold numbers, but has 'p'; give numbers, or a classifier"):
        TreeRegressor().fit(frame()[["a", "b"]], ["1", "p"] * 30)


@pytest.mark.parametrize("kind", [object, "S1"])
def test_a_target_of_bytes_is_refused(kind):
    """scikit-learn's words for it came through."""
    with pytest.raises(KindError, match=r"the target holds b'p'.*y.astype\(str\)"):
        TreeClassifier().fit(frame()[["a", "b"]], np.array([b"p", b"q"] * 30, dtype=kind))


def test_a_target_of_texts_and_numbers_is_refused():
    """Python's words about their order came through."""
    with pytest.raises(KindError, match=r"the target holds 'p' and 1; .*y.astype\(str\)"):
        TreeClassifier().fit(frame()[["a", "b"]], np.array(["p", 1] * 30, dtype=object))


def test_both_infinities_in_one_column():
    """Their sum has no value, and NumPy warned of it."""
    rows = frame().assign(c=["inf", "-inf", *["1.5"] * 58])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(TableError, match=r"column 'c' holds an infinite value \(inf\) in row 1"):
            tamis.read(rows)


def test_json_lines_that_are_no_utf_8(tmp_path):
    """Arrow reads them, and Python's words about codecs came later."""
    lines = "".join(f'{{"a": {i}, "c": "{"uv"[i % 2]}"}}\n' for i in range(30)).encode()
    (tmp_path / "t.jsonl").write_bytes(lines.replace(b'"u"', b'"\xd0"', 1))
    with pytest.raises(TableError, match=r"is not UTF-8 text \(byte 15\); JSON must be UTF-8"):
        tamis.read(tmp_path / "t.jsonl")


def test_a_name_in_json_lines_that_is_no_utf_8(tmp_path):
    """Arrow reads it, and the name of the column ended in Python's words about codecs."""
    lines = b"".join(b'{"a": %d, "c\xe6": %d}\n' % (i, i % 2) for i in range(30))
    (tmp_path / "t.jsonl").write_bytes(lines)
    with pytest.raises(TableError, match=r"is not UTF-8 text \(byte 11\); JSON must be UTF-8"):
        tamis.read(tmp_path / "t.jsonl")


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("compression", ["uncompressed", "lz4"])
def test_a_feather_file_with_damaged_bytes_is_read_or_refused(tmp_path, lazy, compression):
    """Damaged offsets of texts, codes and names of columns ended in a crash of the process or in Arrow's words."""
    file = tmp_path / "t.feather"
    frame().assign(k=pd.Categorical(["p", "q"] * 30), long_name="two words").to_feather(file, compression=compression)
    whole, sentences = file.read_bytes(), []
    for place in range(0, len(whole), 37):
        damaged = bytearray(whole)
        damaged[place] ^= 0x90
        file.write_bytes(bytes(damaged))
        try:
            len(tamis.read(file, lazy=lazy).decisions)
        except TableError as error:
            sentences.append(str(error))
    assert len(sentences) > 10
    assert not any("codec" in sentence for sentence in sentences)
    file.write_bytes(whole.replace(b"long_name", b"long\xffname"))
    with pytest.raises(TableError, match="the name of a column is not UTF-8"):
        tamis.read(file, lazy=lazy)


def test_a_feather_file_that_claims_more_memory_than_there_is(tmp_path):
    """A damaged length ended in Arrow's MemoryError."""
    frame().to_feather(tmp_path / "t.feather")
    whole = (tmp_path / "t.feather").read_bytes()
    for place in range(0, len(whole), 23):
        damaged = bytearray(whole)
        damaged[place : place + 8] = b"\xff\xff\xff\xff\xff\xff\xff\x12"
        (tmp_path / "t.feather").write_bytes(bytes(damaged))
        with suppress(TableError):
            tamis.read(tmp_path / "t.feather")


def test_a_flipped_bit_in_a_feather_file(tmp_path):
    """Texts that are no UTF-8 ended in an error of Python's, codes without a level in a crash."""
    frame().to_feather(tmp_path / "t.feather", compression="uncompressed")
    content = bytearray((tmp_path / "t.feather").read_bytes())
    place = content.rindex(b"pqpq"[:2] if b"pqpq" not in content else b"pqpq")
    content[place] = 0xD0
    (tmp_path / "t.feather").write_bytes(bytes(content))
    with pytest.raises(TableError, match="is not a sound Feather file"):
        tamis.read(tmp_path / "t.feather")


def test_time_spans_are_read_as_before(tmp_path):
    """A study predicts what it learned from: a cast of Arrow's failed there."""
    rows = frame(150)
    rows["span"] = pd.to_timedelta(np.arange(150), unit="h")
    rows.to_parquet(tmp_path / "t.parquet")
    study = tamis.Study(tmp_path / "t.parquet", target="y", folder=tmp_path / "s", **QUICK).run()
    assert len(study.predict(tmp_path / "t.parquet")) == 150


def test_two_columns_of_one_name_in_a_feather_file(tmp_path):
    """pyarrow.feather ends with a TypeError."""
    table = pa.table([pa.array([1, 2]), pa.array([3, 4])], names=["a", "a"])
    with pa.OSFile(str(tmp_path / "t.feather"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(TableError, match="'a' appears more than once"):
        tamis.read(tmp_path / "t.feather")


@pytest.mark.parametrize("cell", [[1, 2], np.array([1, 2]), {"a": 1}], ids=["list", "array", "dict"])
def test_cells_that_hold_several_values(cell):
    """Lists of one length became a second dimension; other libraries' words stood in the sentence."""
    rows = frame()[["a"]].assign(c=[cell] * 60)
    with pytest.raises(KindError, match=r"column 'c' holds values that are neither .* type (list|ndarray|dict)"):
        TreeRegressor().fit(rows, rows["a"])


def test_cells_that_are_tuples_are_levels():
    """Tuples of one length became a second dimension."""
    rows = frame()[["a"]].assign(c=[(1, i % 3) for i in range(60)])
    assert len(TreeRegressor().fit(rows, rows["a"]).predict(rows)) == 60


def test_whole_numbers_beyond_64_bits_in_a_frame():
    """The conversion to Arrow overflowed."""
    rows = frame().assign(c=[10**30 + i for i in range(60)])
    assert tamis.read(rows).n_rows == 60


def test_a_study_of_intervals_in_an_arrow_table(tmp_path):
    """Arrow cannot unpack a dictionary of pandas' intervals: the lock ended in its words."""
    rows = frame(150)
    rows["part"] = pd.cut(rows["a"], 4)
    table = pa.Table.from_pandas(rows)
    levels = [next(c.levels for c in tamis.read(one).columns if c.name == "part") for one in (table, rows)]
    assert levels[0] == levels[1]
    study = tamis.Study(table, target="y", folder=tmp_path / "s", **QUICK).run()
    assert (study.predict(rows) == study.predict(table)).all()


def test_intervals_in_a_feather_file(tmp_path):
    """pandas, where it is imported, refuses to read back what it wrote, by a TypeError."""
    frame().assign(part=pd.cut(frame()["a"], 4)).to_feather(tmp_path / "t.feather")
    with pytest.raises(TableError, match="cannot be read back, such as intervals of pandas"):
        tamis.read(tmp_path / "t.feather")


@pytest.mark.parametrize("factor", [1e-300, 1e160, 1e300])
@pytest.mark.parametrize("name", ["b", "y"])
def test_a_study_of_numbers_whose_squares_have_no_value(tmp_path, name, factor):
    """Distances, correlations and leaks squared them: warnings of NumPy, and NaN or an overflow in the results."""
    rows = frame(150)
    rows["y"] = rows["a"] + rows["b"]
    rows[name] *= factor
    rows.loc[3, "b"] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(TableError, match=f"column '{name}' holds .* to be squared; .* it by a constant"):
            tamis.Study(rows, target="y", folder=tmp_path / "s", **QUICK).run()
        with pytest.raises(TableError, match="to be squared"):
            tamis.evaluate.leaks(rows[["a", "b"]] * factor, rows["a"] > 0)


def test_text_in_another_encoding_than_its_mark_says(tmp_path):
    """Python's words about codecs stood in the sentence."""
    (tmp_path / "t.csv").write_bytes("a,b\n1,2\n".encode("utf-16") + b"\xc2")
    with pytest.raises(TableError, match=r"is not utf-16 text throughout \(truncated data\); give its encoding="):
        tamis.read(tmp_path / "t.csv")


@pytest.mark.parametrize("place", range(0, 4000, 400))
def test_a_damaged_workbook(tmp_path, place):
    """A damaged part of a workbook ends in whatever openpyxl meets there: errors of zlib, of XML, of Python."""
    pytest.importorskip("openpyxl")
    frame().to_excel(tmp_path / "whole.xlsx", index=False)
    content = bytearray((tmp_path / "whole.xlsx").read_bytes())
    for k in range(8):
        content[(place + 37 * k) % len(content)] ^= 0x55
    (tmp_path / "t.xlsx").write_bytes(bytes(content))
    with suppress(TableError):  # bytes that nobody reads may be others
        tamis.read(tmp_path / "t.xlsx")


def test_moments_of_several_zones_in_one_column():
    """Some with a zone and some without."""
    when = np.array([datetime(2020, 1, 1 + i % 28) for i in range(60)], dtype=object)
    when[::2] = [one.replace(tzinfo=UTC) for one in when[::2]]
    rows = frame().assign(when=when)
    assert tamis.read(rows).n_rows == 60
    LinearRegressor(cv=2).fit(rows[["a", "when"]], rows["b"])


@pytest.mark.parametrize("factor", [1e-307, 1e307])
@pytest.mark.parametrize(
    "step",
    [one for name in transform.__all__ if isinstance(one := getattr(transform, name), type)],
    ids=lambda c: c.__name__,
)
def test_no_transform_warns_of_arithmetic(step, factor):
    """At the ends of the range either the answer is right, or a sentence says why there is none."""
    try:
        made = step()
    except TypeError:
        pytest.skip("needs parameters")
    rng = np.random.default_rng(0)
    X = (1 + np.abs(rng.normal(size=(40, 4)))) * factor / 4
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        try:
            found = np.asarray(made.fit(X, rng.integers(0, 2, 40)).transform(X))
        except TableError:
            return
    assert found.dtype.kind != "f" or np.isfinite(found).all()


def test_the_mean_of_numbers_whose_sum_has_no_value():
    """Holes were filled with infinity."""
    X = np.array([[1e307], [np.nan], *[[1.5e307]] * 40])
    assert transform.Impute("mean").fit(X).transform(X)[1, 0] == pytest.approx(61 / 41 * 1e307)


def test_moments_of_several_zones_as_a_target():
    """They cannot be ordered: Python's words about it came through."""
    when = np.array([datetime(2020, 1, 1 + i % 28) for i in range(60)], dtype=object)
    when[::2] = [one.replace(tzinfo=UTC) for one in when[::2]]
    with pytest.raises(TableError, match="gini takes a class target, but y holds 28 different values"):
        tamis.score.gini(frame()[["a", "b"]], when)


def test_a_database_whose_names_are_no_utf_8(tmp_path):
    """A flipped bit in the list of tables ended in Python's words about codecs."""
    pytest.importorskip("sqlalchemy")
    with sqlite3.connect(tmp_path / "t.db") as base:
        base.execute("CREATE TABLE letters (a, b)")
    content = (tmp_path / "t.db").read_bytes()
    content = content.replace(b"CREATE TABLE", b"CREAT\x91 TABLE").replace(b"letters", b"l\x91tters")
    (tmp_path / "t.db").write_bytes(content)
    with pytest.raises(TableError, match="holds text that is no UTF-8; mend the database"):
        tamis.read(f"sqlite:///{tmp_path / 't.db'}", query="letters")


def test_a_name_to_drop_that_is_no_text(tmp_path):
    """A damaged plan held a mapping in place of a name."""
    study = tamis.Study(frame(), target="y", folder=tmp_path / "s", **QUICK)
    with pytest.raises(TableError, match=r"there is no column \{\}"):
        refuse_unknown(study._fetched(), [{}])


@pytest.mark.parametrize(
    ("bad", "message"),
    [("p", "must hold numbers, but has 'p'"), (None, "no value in 1 row.*first in row 4"), (1e300, "too large or too")],
)
def test_one_of_several_targets_is_refused_as_a_single_one(bad, message):
    """Words of NumPy came through, and squares of 1e300 were infinite."""
    targets = np.arange(120.0).reshape(60, 2).astype(object)
    targets[3, 1] = bad
    for model in (TreeRegressor(), ForestRegressor(3), LinearRegressor(cv=2)):
        with pytest.raises(TableError, match=message):
            model.fit(frame()[["a", "b"]], targets)


@pytest.mark.parametrize("words", [[None] * 40, ["u"] * 40])
def test_linear_models_of_one_column_without_two_levels(words):
    """A part of a study may hold only missing values: no column was left, and the process ended in a division by 0."""
    X = pd.DataFrame({"a": pd.Categorical(words, categories=["u"])})
    y = np.random.default_rng(0).normal(size=40)
    for penalty in (None, "ridge", "lasso", "subset"):
        model = LinearRegressor(penalty, missing="mean").fit(X, y)
        np.testing.assert_allclose(model.predict(X), y.mean())
        np.testing.assert_array_equal(type(model).from_dict(model.to_dict()).predict(X), model.predict(X))
    for loss in ("logistic", "hinge", "squared_hinge", "cumulative_logit"):
        for n_classes in (2, 3):
            codes = np.minimum(np.arange(40) % 4, n_classes - 1)
            assert len(set(LinearClassifier(missing="mean", loss=loss).fit(X, codes).predict(X))) == 1


def test_a_spoiled_name_in_a_workbook_makes_no_long_sentence(tmp_path):
    """Python's words about the archive held four thousand letters of it."""
    book = tmp_path / "t.xlsx"
    frame().to_excel(book, index=False)
    content = bytearray(book.read_bytes())
    at = content.index(b"xl/workbook.xml")
    content[at - 4 : at - 2] = (4_000).to_bytes(2, "little")  # the length of the name, in front of the part
    book.write_bytes(content)
    with pytest.raises(TableError, match=r"is not a sound Excel workbook \(File name.*save it again as .xlsx") as told:
        tamis.read(book)
    assert len(str(told.value)) < 500
