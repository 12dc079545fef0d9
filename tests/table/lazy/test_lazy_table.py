"""A lazy table: the same names, kinds and values as the table in memory, whatever the files look like."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.dataset as pa_dataset
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from tamis import read
from tamis.errors import TableError
from tamis.table import LazyTable, Table
from tamis.table.inference.kinds import Rules
from tamis.table.lazy.deciding import SAMPLE_ROWS, sample_for_kinds
from tamis.table.lazy.files import files_of, footers_of
from tamis.table.lazy.formats import read_groups
from tamis.table.lazy.grid import GridSource

_spec = importlib.util.spec_from_file_location("lazy_files", Path(__file__).with_name("files.py"))
made = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(made)


def _joined(table: LazyTable) -> Table:
    batches = list(table.batches())
    values = {name: np.concatenate([b.column(name).values for b in batches]) for name in table.names}
    return values


@pytest.mark.parametrize("parts", [1, 3, 30])
def test_kinds_levels_and_values_are_those_of_the_table_in_memory(tmp_path, parts):
    """A table of many files would be read otherwise than the same table in one."""
    whole = made.mixed_table()
    lazy, inner = read(made.write_parts(whole, tmp_path, parts), target="y"), read(whole, target="y")
    assert isinstance(lazy, LazyTable)
    assert lazy.shape == inner.shape
    assert lazy.names == inner.names
    assert [(c.kind, c.levels) for c in lazy.heads] == [(c.kind, c.levels) for c in inner.columns]
    assert [(d.name, d.kind, d.used) for d in lazy.decisions] == [(d.name, d.kind, d.used) for d in inner.decisions]
    assert lazy.types == inner.types
    found = _joined(lazy)
    for column in inner.columns:
        np.testing.assert_array_equal(found[column.name], column.values)


def test_cells_do_not_follow_the_files_nor_their_groups(tmp_path):
    """Sums over cells would have other bits for files cut otherwise."""
    whole = made.mixed_table(1_000)
    cells = []
    for parts, group in ((1, 1_000), (7, 33)):
        files = files_of(Path(made.write_parts(whole, tmp_path / str(parts), parts, group)).parent)
        source = GridSource.of(footers_of(files), "the files", cell=64)
        cells.append([cell for part in source.partitions() for cell in part.cells()])
    assert [c.first for c in cells[0]] == list(range(0, 1_000, 64)) == [c.first for c in cells[1]]
    assert all(a.arrow.equals(b.arrow.combine_chunks()) or a.arrow.equals(b.arrow) for a, b in zip(*cells))
    assert [c.n_rows for c in cells[0]] == [64] * 15 + [40]


@pytest.mark.parametrize("form", ["arrow", "csv", "dataset", "folder", "query"])
def test_every_source_gives_the_same_rows(tmp_path, form):
    """What a table says would depend on the format of its files."""
    whole = made.mixed_table(400).drop_columns(["seen"])
    folder = tmp_path / "data"
    folder.mkdir()
    parts = [whole.slice(0, 150), whole.slice(150)]
    source, options = str(folder / "*"), {}
    for k, part in enumerate(parts):
        if form == "arrow":
            feather.write_feather(part, folder / f"{k}.arrow", chunksize=40)
        elif form == "csv":
            pa_csv.write_csv(part, folder / f"{k}.csv")
        elif form in ("folder", "dataset"):
            pq.write_table(part, folder / f"{k}.parquet", row_group_size=60)
    if form == "dataset":
        source = pa_dataset.dataset(folder)
    elif form == "folder":
        source = folder
    elif form == "query":
        sqlalchemy = pytest.importorskip("sqlalchemy")
        source, options = f"sqlite:///{tmp_path}/rows.db", {"query": "SELECT * FROM rows ORDER BY rowid", "lazy": True}
        engine = sqlalchemy.create_engine(source)
        whole.to_pandas().to_sql("rows", engine, index=False)
        engine.dispose()
    lazy, inner = read(source, target="y", **options), read(whole, target="y")
    assert isinstance(lazy, LazyTable)
    assert lazy.n_rows == 400
    assert [(c.name, c.kind) for c in lazy.heads] == [(c.name, c.kind) for c in inner.columns]
    found = _joined(lazy)
    np.testing.assert_allclose(found["y"], inner.column("y").values, rtol=1e-14)
    np.testing.assert_array_equal(found["colour"], inner.column("colour").values)


def test_the_row_that_breaks_a_decision_is_named(tmp_path):
    """A text among the numbers of the millionth row would be a mystery, or a silent hole."""
    n = SAMPLE_ROWS + 9_000
    texts = np.char.mod("%.1f", np.arange(n) % 97 / 10).astype(object)
    texts[50_004] = "unknown"
    pq.write_table(pa.table({"a": pa.array(texts), "y": np.arange(n) * 1.5}), tmp_path / "a.parquet")
    table = read(tmp_path, target="y")
    assert table.sample_rows < n
    assert "in a sample of" in table.decisions[0].reason
    with pytest.raises(TableError, match=r"column 'a' is numeric by a sample of .* row 50,005 .*holds 'unknown'"):
        list(table.batches())


def test_levels_and_varying_values_beyond_the_sample_are_found(tmp_path):
    """A class or a flag that only the last file has would be left out."""
    n = SAMPLE_ROWS + 9_000
    word, flag = np.full(n, "usual", dtype=object), np.zeros(n)
    word[::2], word[50_000], flag[50_000] = "other", "rare", 1.0
    pq.write_table(pa.table({"w": pa.array(word), "f": flag, "y": np.arange(n) % 1013 * 1.5}), tmp_path / "a.parquet")
    table = read(tmp_path, target="y")
    assert dict(zip(table.names, table.heads))["w"].levels == ("other", "rare", "usual")
    decision = next(d for d in table.decisions if d.name == "f")
    assert decision.used
    assert "row 50,001" in decision.reason
    assert sum(b.column("f").values.sum() for b in table.batches()) == 1.0


def test_a_file_of_other_columns_is_named(tmp_path):
    """A column that changes its name or type between files would be read as missing, or as texts."""
    pq.write_table(pa.table({"a": [1.0, 2.0], "b": [1, 2]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"a": [1.0, 2.0]}), tmp_path / "2.parquet")
    with pytest.raises(TableError, match=r"2\.parquet' has no column 'b'"):
        read(tmp_path)
    pq.write_table(pa.table({"a": ["x", "z"], "b": [1, 2]}), tmp_path / "2.parquet")
    with pytest.raises(TableError, match="column 'a' holds texts"):
        read(tmp_path)
    pq.write_table(pa.table({"a": [1, 2], "b": [1, 2], "c": [1, 2]}), tmp_path / "2.parquet")
    with pytest.raises(TableError, match="has a column 'c'"):
        read(tmp_path)


def test_whole_numbers_in_one_file_and_fractions_in_another_are_one_column(tmp_path):
    """Engines write a part without fractions as integers; it would be refused, or cut to whole numbers."""
    pq.write_table(pa.table({"a": [1, 2, 3], "b": [0.5, 1.5, 2.0]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"b": [3.5, 4.5], "a": [1.5, 2.5]}), tmp_path / "2.parquet")
    assert _joined(read(tmp_path))["a"].tolist() == [1.0, 2.0, 3.0, 1.5, 2.5]


def test_files_without_rows_are_passed_over_and_damaged_ones_named(tmp_path):
    """An empty part would end the job, a damaged one pass for the user's mistake."""
    part = pa.table({"a": [1.0, 2.0, 3.5], "b": [3.0, 4.5, 1.0]})
    pq.write_table(part, tmp_path / "1.parquet")
    pq.write_table(part.slice(0, 0), tmp_path / "2.parquet")
    pq.write_table(part, tmp_path / "3.parquet")
    assert read(tmp_path).n_rows == 6
    (tmp_path / "4.parquet").write_bytes(b"PAR1 cut off here")
    with pytest.raises(TableError, match=r"4\.parquet' cannot be read"):
        read(tmp_path)
    (tmp_path / "4.parquet").unlink()
    for name in ("1.parquet", "3.parquet"):
        pq.write_table(part.slice(0, 0), tmp_path / name)
    with pytest.raises(TableError, match="names but no rows"):
        read(tmp_path)


def test_a_sample_is_the_same_for_any_cut_of_the_files(tmp_path):
    """A study of a sample would change when its files are written anew."""
    whole = made.mixed_table(3_000)
    one, other = (read(made.write_parts(whole, tmp_path / str(k), k)).sample(100) for k in (1, 9))
    assert one.n_rows == 100
    assert one.digest() == other.digest()
    assert set(one.column("y").values) <= set(whole["y"].to_numpy())
    assert read(str(tmp_path / "1" / "*")).sample(9_999).n_rows == 3_000


def test_nothing_is_found_in_an_empty_folder_or_by_a_glob_without_files(tmp_path):
    """The user would look for the mistake in the table, not in the path."""
    for source in (tmp_path, str(tmp_path / "*.parquet")):
        with pytest.raises(TableError, match="check the path"):
            read(source)


def test_no_room_on_the_disk_is_said_in_a_sentence(tmp_path, monkeypatch):
    """A full disk while rows are written would end in a traceback of the library that writes."""
    from tamis.table.lazy.read_lazy import write_batches

    class Full:
        def __init__(self, *args, **kwargs):
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "ParquetWriter", Full)
    with pytest.raises(TableError, match="no room left on the disk"):
        write_batches([pa.record_batch({"a": [1]})], tmp_path / "x.parquet", "the rows")


def test_rules_are_not_needed_to_know_a_glob_from_a_file(tmp_path):
    """A file whose name has a bracket would be taken for a pattern."""
    pq.write_table(pa.table({"a": [1.0, 2.0], "b": [2.0, 1.0]}), tmp_path / "a[1].parquet")
    assert isinstance(read(tmp_path / "a[1].parquet"), Table)
    assert Rules().tokens


def test_memory_of_reading_does_not_grow_with_the_groups_of_a_file(tmp_path):
    """A reader that keeps what it read of earlier groups would need memory in proportion to the rows."""
    rng = np.random.default_rng(0)
    held = {}
    for groups in (2, 16):
        path = tmp_path / f"{groups}.parquet"
        rows = pa.table({f"x{j}": rng.normal(size=groups * 20_000) for j in range(10)})
        pq.write_table(rows, path, row_group_size=20_000, compression="none", use_dictionary=False)
        del rows
        before, most = pa.total_allocated_bytes(), 0
        for batch in read_groups(str(path), "parquet", range(groups), [f"x{j}" for j in range(10)], [], 80):
            most = max(most, pa.total_allocated_bytes() - before)
            del batch
        held[groups] = most
    assert held[16] < 1.5 * held[2]


def _write_texts(folder, rows, parts):
    for k, cut in enumerate(np.array_split(np.arange(rows.num_rows), parts)):
        part = rows.slice(cut[0], len(cut))
        pa_csv.write_csv(part, folder / f"part-{k}.csv")


def test_text_files_without_rows_are_passed_over(tmp_path):
    """An empty part of an export would end the job."""
    rows = pa.table({"a": [1.5, 2.0, 3.5, 4.0], "b": ["u", "v", "u", "v"]})
    _write_texts(tmp_path, rows, 2)
    (tmp_path / "part-1b.csv").write_text("a,b\n")
    assert read(str(tmp_path / "*.csv")).n_rows == 4
    (tmp_path / "part-1b.csv").write_text("a,c\n")
    with pytest.raises(TableError, match=r"part-1b\.csv' has no column 'b'"):
        read(str(tmp_path / "*.csv"))
    for name in ("part-0.csv", "part-1.csv", "part-1b.csv"):
        (tmp_path / name).write_text("a,b\n")
    with pytest.raises(TableError, match=r"part-0\.csv' has names but no rows"):
        read(str(tmp_path / "*.csv"))


def test_a_row_of_a_text_file_is_named_by_that_file(tmp_path):
    """The user would look for a value in a temporary file that is gone."""
    n = 70_000
    words = [f"{k % 977}.5" for k in range(n)]
    words[65_000] = "oops"
    _write_texts(tmp_path, pa.table({"a": words, "b": [f"{k % 7}.25" for k in range(n)]}), 4)
    table = read(str(tmp_path / "*.csv"))
    with pytest.raises(TableError, match=r"row 65,001 \(row 12,501 of '.*part-3\.csv'\) holds 'oops'"):
        for _ in table.batches():
            pass


def test_a_file_without_a_byte_is_named(tmp_path):
    """An upload that failed would pass for a file of another format."""
    pq.write_table(pa.table({"a": [1.0, 2.0], "b": [2.0, 1.0]}), tmp_path / "1.parquet")
    (tmp_path / "2.parquet").write_bytes(b"")
    with pytest.raises(TableError, match=r"2\.parquet' is empty; make or fetch it again"):
        read(tmp_path)


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_part_that_was_replaced_since_is_noticed(tmp_path, kind):
    """Kinds and levels were decided by another file: its rows would be read by decisions that are not theirs."""
    import pyarrow.feather as feather
    import pyarrow.parquet as parquet

    def write(k, scale):
        part = pa.table({"a": [scale * i / 7 for i in range(500)], "b": ["u", "v"] * 250})
        path = tmp_path / f"p{k}.{kind}"
        parquet.write_table(part, path) if kind == "parquet" else feather.write_feather(part, path, "uncompressed")

    for k in range(2):
        write(k, 1.0)
    table = read(str(tmp_path), lazy=True)
    assert sum(len(batch) for batch in table.batches()) == 1000
    write(1, 1.0)  # the same rows, written again
    assert sum(len(batch) for batch in table.batches()) == 1000
    write(1, 3.0)
    with pytest.raises(TableError, match=rf"p1\.{kind}' was replaced since it was first read; read the table again"):
        list(table.batches())


def test_mixed_zones_and_double_names_are_named_with_their_file(tmp_path):
    """The reader's own words spoke of a field x, and named neither column nor file."""
    numbers = [i / 7 for i in range(60)]
    moments = [None if i % 9 == 0 else 1_600_000_000_000_000 + i * 10**9 for i in range(60)]
    for place, zones in (("two", ("UTC", "Europe/Berlin")), ("none", ("UTC", None))):
        (tmp_path / place).mkdir()
        for k, zone in enumerate(zones):
            when = pa.array(moments, pa.timestamp("us", zone))
            pq.write_table(pa.table({"a": numbers, "when": when}), tmp_path / place / f"p{k}.parquet")
        with pytest.raises(TableError, match=r"column 'when' holds .* in '.*p1\.parquet'.*time zone UTC"):
            read(str(tmp_path / place), lazy=True)
    (tmp_path / "twice").mkdir()
    twice = pa.table([pa.array(numbers), pa.array(numbers)], names=["a", "a"])
    pq.write_table(twice, tmp_path / "twice" / "p0.parquet")
    with pytest.raises(TableError, match=r"the column name 'a' appears more than once in '.*p0\.parquet'"):
        read(str(tmp_path / "twice"), lazy=True)


def test_a_source_whose_rows_cannot_be_read_ends_in_one_sentence():
    """A damaged Parquet file promises rows in its footer and holds none: Arrow's own words were shown."""

    class Damaged:
        n_rows, schema = 120, pa.schema([("a", pa.float64())])

        def span(self, first, n, texts):
            return self

        def cells(self):
            return iter(())

    with pytest.raises(TableError, match="no rows that can be read"):
        sample_for_kinds(Damaged())
