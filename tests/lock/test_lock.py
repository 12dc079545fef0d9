"""The lock: rows chosen without the target, the same for any order, remembered on disk."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tamis.errors import ParameterError, StudyError
from tamis.lock import FEWEST, PREDICTED, Ledger, Lock
from tamis.table import Column, Table, categories, fetch


def _table(n: int = 300, seed: int = 0) -> Table:
    rng = np.random.default_rng(seed)
    numbers = [Column(f"c{j}", "numeric", np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n))) for j in range(3)]
    return Table([*numbers, categories("word", rng.choice(["a", "b", "ü", None], size=n))])


def _rows(table: Table, lock: Lock) -> set[tuple[str, ...]]:
    return {tuple(str(c.values[i]) for c in sorted(table.columns, key=lambda c: c.name)) for i in lock.rows}


def test_the_share_asked_for_is_locked():
    """A lock of another size would make the promise of 20% false."""
    assert len(Lock.of(_table(1000)).rows) == 200
    assert len(Lock.of(_table(1000), share=0.35).rows) == 350


def test_order_of_rows_and_columns_does_not_matter():
    """Shuffling the table would otherwise unlock rows that were locked before."""
    table = _table()
    shuffled = table.take(np.random.default_rng(1).permutation(300)).select([3, 1, 0, 2])
    assert _rows(table, Lock.of(table)) == _rows(shuffled, Lock.of(shuffled))
    assert Lock.of(table).digest == Lock.of(shuffled).digest


def test_equal_rows_fall_on_the_same_side():
    """A copy of a locked row among the training rows would leak its target."""
    table = _table(200)
    twice = table.take(np.r_[np.arange(200), np.arange(200)])
    locked = Lock.of(twice).mask(400)
    assert np.array_equal(locked[:200], locked[200:])


def test_the_code_of_a_level_does_not_matter():
    """A level list that grew (a new level elsewhere) must not change which rows are locked."""
    words = np.random.default_rng(0).choice(["a", "c"], 300)
    short = categories("w", words)
    long = Column("w", "categorical", np.where(words == "c", 2, 0).astype(np.int32), ("a", "b", "c"))
    number = Column("x", "numeric", np.random.default_rng(1).normal(size=300))
    assert Lock.of(Table([short, number])).digest == Lock.of(Table([long, number])).digest


def test_another_seed_locks_other_rows():
    """A lock that ignored the seed would let everybody know the test rows in advance."""
    table = _table()
    assert set(Lock.of(table, seed=0).rows) != set(Lock.of(table, seed=1).rows)


def test_any_kind_of_row_is_locked_as_often():
    """Uneven digests would lock some kinds of rows more often than others."""
    values = np.random.default_rng(0).permutation(40_000) / 8
    locked = Lock.of(Table([Column("x", "numeric", values)])).mask(40_000)
    shares = [locked[(values >= low) & (values < low + 500)].mean() for low in range(0, 5_000, 500)]
    assert max(abs(share - 0.2) for share in shares) < 5 * np.sqrt(0.16 / 4_000)


def test_few_different_rows_are_locked_by_their_number():
    """With 12 possible rows, two or three whole combinations would be locked: one sex only."""
    rng = np.random.default_rng(0)
    columns = {
        "sex": rng.choice(["f", "m"], 241),
        "age": rng.integers(0, 3, 241),
        "smokes": rng.choice(["y", "n"], 241),
    }
    lock = Lock.of(fetch(columns))
    locked = lock.mask(241)
    assert lock.numbered
    assert "equal rows can be on both sides" in lock.reason
    assert locked.sum() == 48
    rows = list(zip(*(values.tolist() for values in columns.values())))
    kinds = {row: [locked[i] for i, other in enumerate(rows) if other == row] for row in set(rows)}
    assert len(kinds) == 12
    assert sum(0 < np.mean(held) < 0.6 for held in kinds.values()) >= 11
    half = Lock.of(fetch({**columns, "weight": rng.integers(0, 40, 241)}))
    assert not half.numbered  # more than half of the rows are different: equal ones stay together


def test_columns_that_number_the_rows_take_no_part():
    """Copies of a row would be torn apart if their numbers made them different."""
    table = _table(200)
    twice = table.take(np.r_[np.arange(200), np.arange(200)])
    names = Column("row", "numeric", np.arange(400.0))
    words = categories("name", [f"row {i}" for i in range(400)])
    lock = Lock.of(Table([*twice.columns, names, words]))
    assert np.array_equal(lock.mask(400)[:200], lock.mask(400)[200:])
    assert set(lock.columns) == set(twice.names)


def _sources(tmp_path):
    """The same table as a file, as frames, and in memory."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    n = 150
    frame = pandas.DataFrame(
        {
            "number": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(6)),
            "whole": rng.integers(-50, 50, n),
            "word": rng.choice(["a", "b ", "ü", "None"], n),
            "truth": rng.random(n) < 0.5,
            "day": pandas.Timestamp("2021-03-01") + pandas.to_timedelta(rng.integers(0, 99, n), unit="D"),
            "moment": pandas.Timestamp("2021-03-01") + pandas.to_timedelta(rng.integers(0, 10**7, n), unit="s"),
            "id": np.arange(n),
            "y": rng.choice(["in", "out"], n),
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_csv(tmp_path / "semicolon.csv", index=False, sep=";", decimal=",")
    frame.to_parquet(tmp_path / "t.parquet")
    frame.astype({"whole": float, "number": object, "truth": str}).to_feather(tmp_path / "t.feather")
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True, date_format="iso")
    names = ("t.csv", "semicolon.csv", "t.parquet", "t.feather", "t.jsonl")
    return [frame, polars.from_pandas(frame), *(tmp_path / name for name in names), frame.astype({"word": "category"})]


def test_the_source_does_not_matter(tmp_path):
    """1, 1.0 and the text 1, True and true, a date and its text are the same cells wherever they come from."""
    locks = [Lock.of(fetch(source), target="y") for source in _sources(tmp_path)]
    assert {tuple(lock.rows) for lock in locks} == {tuple(locks[0].rows)}
    assert {(lock.digest, lock.data, lock.target, lock.columns) for lock in locks} == {
        (locks[0].digest, locks[0].data, locks[0].target, locks[0].columns)
    }
    assert len(locks[0].rows) == 30
    assert "id" not in locks[0].columns


def test_a_sparse_matrix_is_locked_like_a_dense_one():
    """Zeros that are not stored are cells like others."""
    from scipy import sparse

    rng = np.random.default_rng(0)
    dense = np.where(rng.random((300, 40)) < 0.2, rng.normal(size=(300, 40)).round(1), 0.0)
    locks = [
        Lock.of(fetch(matrix), target="x3") for matrix in (dense, sparse.csr_matrix(dense), sparse.coo_matrix(dense))
    ]
    assert len({(lock.digest, lock.data, lock.target) for lock in locks}) == 1
    assert len({(Lock.of(fetch(m)).digest) for m in (dense > 0, sparse.csc_matrix(dense > 0))}) == 1


@pytest.mark.parametrize(("one", "other"), [(0.0, -0.0), (np.nan, None), (1, 1.0), ("x", " x "), ("NA", ""), ("2", 2)])
def test_equal_cells_of_other_bits_are_equal(one, other):
    """0.0 and -0.0, or two spellings of missing, are the same value and must not part equal rows."""
    base = np.arange(100.0) / 3
    tables = [fetch({"x": base, "cell": [cell] * 50 + ["word"] * 50}) for cell in (one, other)]
    assert Lock.of(tables[0]).data == Lock.of(tables[1]).data


@pytest.mark.parametrize(("one", "other"), [("a", "b"), ("007", "7"), (1, 2), ("2021-01-01", "2021-01-02"), ("", "a")])
def test_other_cells_are_other_data(one, other):
    """A table that was changed must not pass for the same."""
    base = np.arange(100.0) / 3
    tables = [fetch({"x": base, "cell": [cell, *["word"] * 99]}) for cell in (one, other)]
    assert Lock.of(tables[0]).data != Lock.of(tables[1]).data


def test_the_digest_of_the_data_depends_on_neither_seed_nor_order_nor_target():
    """Another seed, or the rows in another order, would pass for another table."""
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=200), "b": rng.choice(["u", "v"], 200), "y": rng.normal(size=200)}
    order = rng.permutation(200)
    data = Lock.of(fetch(columns), target="y").data
    assert Lock.of(fetch(columns), target="y", seed=5, share=0.4).data == data
    shuffled = {name: values[order] for name, values in reversed(columns.items())}
    assert Lock.of(fetch(shuffled), target="y").data == data
    assert Lock.of(fetch({**columns, "y": columns["y"] + 1}), target="y").data == data
    assert (
        Lock.of(fetch({**columns, "y": columns["y"] + 1}), target="y").target
        != Lock.of(fetch(columns), target="y").target
    )


def test_locked_rows_are_known_again_in_part_and_in_another_order():
    """Half of the locked rows among others are a look at them; some, or none, are not."""
    table, fresh = (Table.of(np.random.default_rng(seed).normal(size=(1000, 3))) for seed in (0, 1))
    lock = Lock.of(table)
    assert lock.again(table) == 200
    assert lock.again(table.take(np.random.default_rng(0).permutation(1000))) == 200
    assert lock.again(table.take(lock.rows[:120])) == 120
    assert lock.again(table.take(lock.rows[:80])) == 0
    assert lock.again(fresh) == 0
    assert lock.again(table.drop(["x1"])) == 200
    assert lock.again(fresh.drop(["x1"])) == 0


def test_rows_that_repeat_by_chance_are_not_known_again():
    """Rows of few kinds are found in every table; those that are not are what tells."""
    rng = np.random.default_rng(0)

    def draw(n):  # 12 kinds of frequent rows, and as many that come once
        kinds = rng.integers(0, 12, n).astype(float)
        return Table([Column("kind", "numeric", np.where(rng.random(n) < 0.45, kinds, rng.random(n)))])

    table = draw(2_000)
    lock = Lock.of(table)
    assert not lock.numbered
    assert lock.again(draw(2_000)) == 0
    assert lock.again(table) > 0


def test_whole_groups_are_locked():
    """A patient with rows on both sides makes the locked score too good."""
    groups = categories("who", [f"p{i % 40}" for i in range(400)])
    locked = Lock.of(_table(400), groups=groups).mask(400)
    for code in range(40):
        assert len(set(locked[groups.values == code])) == 1
    assert 60 <= locked.sum() <= 100


def test_the_latest_rows_are_locked_by_time():
    """Locking the past would judge the model on what it could have remembered."""
    time = Column("when", "numeric", np.random.default_rng(0).permutation(300).astype(float))
    lock = Lock.of(_table(300), time=time)
    assert set(lock.rows) == set(np.flatnonzero(time.values >= 240))


def test_a_small_table_is_not_locked_and_says_so():
    """Fewer than 20 locked rows say nothing; pretending otherwise is dishonest."""
    lock = Lock.of(_table(90))
    assert len(lock.rows) == 0
    assert "at least 20" in lock.reason
    assert len(Lock.of(_table(FEWEST * 5)).rows) == FEWEST


def test_one_huge_group_cannot_be_locked():
    """Locking nearly everything because one group is huge would leave nothing to learn from."""
    groups = categories("who", ["same"] * 300)
    lock = Lock.of(_table(300), groups=groups)
    assert len(lock.rows) == 0
    assert "groups" in lock.reason


def test_a_share_out_of_range_is_refused():
    """A lock of 100% leaves nothing to learn from."""
    with pytest.raises(ParameterError, match=r"lock=1.5 .*\[0, 0.9\]"):
        Lock.of(_table(), share=1.5)


def test_written_and_read_back(tmp_path):
    """A lock that changed on its way through the disk would judge other rows."""
    lock = Lock.of(_table())
    lock.write(tmp_path)
    again = Lock.read(tmp_path)
    assert np.array_equal(lock.rows, again.rows)
    assert again.digest == lock.digest


def test_an_altered_lock_file_is_noticed(tmp_path):
    """Somebody who moves rows out of the lock must not go unnoticed."""
    Lock.of(_table()).write(tmp_path)
    facts = json.loads((tmp_path / "lock.json").read_text())
    facts["keys"][0] = "0" * 16
    (tmp_path / "lock.json").write_text(json.dumps(facts))
    with pytest.raises(StudyError, match="altered"):
        Lock.read(tmp_path)


FACTS = {"version": "1", "metric": "accuracy", "score": 0.5, "interval": (0.4, 0.6), "rows": 9}


def test_the_ledger_counts_and_marks_openings(tmp_path):
    """A second look that still called itself independent would be a lie."""
    lock = Lock.of(_table())
    first, second = Ledger(tmp_path).append(lock, **FACTS), Ledger(tmp_path).append(lock, **FACTS)
    assert first.independent
    assert not second.independent
    assert len(Ledger(tmp_path).openings(lock.digest, lock.data)) == 2


def test_openings_of_another_table_are_not_counted(tmp_path):
    """A ledger outlives the studies of its folder; what was seen of another table was not seen of this."""
    other, lock, seeded = Lock.of(_table(seed=1)), Lock.of(_table()), Lock.of(_table(), seed=1)
    Ledger(tmp_path).append(other, **FACTS)
    first = Ledger(tmp_path).append(lock, **FACTS)
    assert first.independent
    assert len(Ledger(tmp_path).openings(lock.digest, lock.data)) == 1
    again = Ledger(tmp_path).append(seeded, **FACTS)
    assert not again.independent
    assert "other locked rows of this table were looked at once before" in again.note


def test_a_prediction_of_locked_rows_is_a_look_but_no_opening(tmp_path):
    """Who has the answers and the targets needs no opening to know the score."""
    lock = Lock.of(_table())
    Ledger(tmp_path).append(lock, PREDICTED, version="1", rows=60)
    assert Ledger(tmp_path).openings() == []
    assert not Ledger(tmp_path).append(lock, **FACTS).independent


def test_an_emptied_ledger_counts_as_an_opening(tmp_path):
    """A file that was cut to nothing would make the next opening the first."""
    (tmp_path / "ledger.jsonl").write_bytes(b"\n")
    assert [look["kind"] for look in Ledger(tmp_path).looks()] == ["damaged"]


@pytest.mark.parametrize("line", ["not json", '{"kind": "opened", "sco', "[1, 2]", '{"when": "x"}', "\xff\xfe", "null"])
def test_a_damaged_line_counts_as_an_opening_and_bricks_nothing(tmp_path, line):
    """Skipping a damaged line would lose an opening; refusing it would lose the study."""
    lock = Lock.of(_table())
    (tmp_path / "ledger.jsonl").write_text(line, encoding="latin-1")
    assert len(Ledger(tmp_path).openings(lock.digest, lock.data)) == 1
    assert not Ledger(tmp_path).append(lock, **FACTS).independent
    found = Ledger(tmp_path).openings(lock.digest, lock.data)
    assert [look["kind"] for look in found] == ["damaged", "opened"]
    assert "line 1" in found[0]["note"]
