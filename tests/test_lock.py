"""The lock: rows chosen without the target, the same for any order, remembered on disk."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tamis.errors import ParameterError, StudyError
from tamis.lock import FEWEST, Ledger, Lock, row_digests
from tamis.table import Column, Table, categories


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


def test_signed_zero_and_nan_payloads_are_equal_values():
    """0.0 and -0.0, or two kinds of NaN, are the same value and must not part equal rows."""
    odd_nan = np.array([0x7FF8000000000001], dtype=np.uint64).view(np.float64)[0]
    column = Column("x", "numeric", np.array([0.0, -0.0, np.nan, odd_nan]))
    digests = row_digests([column], 0)
    assert digests[0] == digests[1]
    assert digests[2] == digests[3]


def test_the_code_of_a_level_does_not_matter():
    """A level list that grew (a new level elsewhere) must not change which rows are locked."""
    short = Column("w", "categorical", np.array([0, 1, -1], dtype=np.int32), ("a", "c"))
    long = Column("w", "categorical", np.array([0, 2, -1], dtype=np.int32), ("a", "b", "c"))
    assert np.array_equal(row_digests([short], 0), row_digests([long], 0))


def test_another_seed_locks_other_rows():
    """A lock that ignored the seed would let everybody know the test rows in advance."""
    table = _table()
    assert set(Lock.of(table, seed=0).rows) != set(Lock.of(table, seed=1).rows)


def test_digests_spread_evenly():
    """Uneven digests would lock some kinds of rows more often than others."""
    digests = row_digests([Column("i", "numeric", np.arange(100_000.0))], 7)
    counts = np.bincount((digests >> np.uint64(60)).astype(int), minlength=16)
    assert abs(counts - 6250).max() < 5 * np.sqrt(6250)


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
    assert "fewer than 20" in lock.reason
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


def test_the_ledger_counts_and_marks_openings(tmp_path):
    """A second look that still called itself independent would be a lie."""
    facts = {"version": "1", "digest": "d", "metric": "accuracy", "score": 0.5, "interval": (0.4, 0.6), "rows": 9}
    first, second = Ledger(tmp_path).append(**facts), Ledger(tmp_path).append(**facts)
    assert first.independent
    assert not second.independent
    assert len(Ledger(tmp_path).openings()) == 2


def test_a_damaged_ledger_is_not_overlooked(tmp_path):
    """Skipping a damaged line would lose an opening."""
    (tmp_path / "ledger.jsonl").write_text('{"when": "x"}\nnot json\n')
    with pytest.raises(StudyError, match="line 2"):
        Ledger(tmp_path).openings()
