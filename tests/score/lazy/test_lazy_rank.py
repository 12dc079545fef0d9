"""Ranking the columns of a lazy table: the scores of the table in memory, the same bits for any engine and cut."""

from __future__ import annotations

import hashlib

import numpy as np
import pyarrow as pa
import pytest
from tests.table.lazy.parts import lazy_table, write_parts

from tamis import read
from tamis.engine import use
from tamis.errors import ParameterError, TableError
from tamis.score import rank
from tamis.table import LazyTable

NUMBERS = ["pearson", "anova", "mutual_information", "variance", "dispersion"]
CLASSES = ["anova", "mutual_information", "chi2", "gain_ratio", "gini", "symmetric_uncertainty", "stump", "variance"]


def _rows(n: int = 3_000) -> pa.Table:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 9, n).astype(float), rng.normal(100.0, 2.0, n)
    word = rng.choice(np.array(["x", "y", "z"]), n)
    holes = np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 5, n))
    y = a + (word == "x") * 2 + np.nan_to_num(holes) + rng.normal(0, 1, n)
    answer = pa.array(np.where(y > 6, "much", "little"), mask=rng.random(n) < 0.05)
    return pa.table(
        {"a": a, "b": b, "w": pa.array(word), "h": pa.array(holes, from_pandas=True), "y": y, "class": answer}
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_parts(tmp_path_factory.mktemp("rank"), _rows(), (1, 5), row_group_size=333)


def _lazy(folder, parts=5, **options) -> LazyTable:
    return lazy_table(folder / str(parts), 256, **options)


@pytest.mark.parametrize("by", NUMBERS)
def test_scores_for_numbers_are_those_in_memory(folder, by):
    """A large table's columns would be ranked by another formula than a small one's."""
    found, wanted = rank(_lazy(folder), "y", by=by), rank(_rows(), "y", by=by)
    scores, known = ({line["column"]: line for line in r.lines} for r in (found, wanted))
    same = ["a", "w", "h", "class"] if by == "mutual_information" else list(known)
    for name in same:
        tolerance = 0.12 if by == "mutual_information" else 1e-9
        assert scores[name]["score"] == pytest.approx(known[name]["score"], rel=tolerance, abs=1e-12)
        assert scores[name].get("sign") == known[name].get("sign")


@pytest.mark.parametrize("by", CLASSES)
def test_scores_for_classes_are_those_in_memory(folder, by):
    """A large table's columns would be ranked by another formula than a small one's; holes would be dropped."""
    found, wanted = rank(_lazy(folder), "class", by=by), rank(_rows(), "class", by=by)
    assert (found.rows, found.dropped) == (wanted.rows, wanted.dropped)
    scores, known = ({line["column"]: line["score"] for line in r.lines} for r in (found, wanted))
    for name in ("a", "w", "h"):
        assert scores[name] == pytest.approx(known[name], rel=1e-9)
    assert found.columns[0] == wanted.columns[0]


def test_bits_do_not_depend_on_threads_or_on_the_cut_of_the_files(folder):
    """Two runs of one study would differ, and nobody could say why."""
    digests = set()
    for parts in (1, 5):
        for threads in (1, 2):
            with use("local", n_jobs=threads):
                text = rank(_lazy(folder, parts), "y", by="pearson,mutual_information").to_json()
            digests.add(hashlib.sha256(text.encode()).hexdigest())
    assert len(digests) == 1


def test_relief_is_that_of_rows_drawn(folder):
    """Neighbours among all rows of a large table are out of reach; a column that matters must still stand out."""
    found, wanted = rank(_lazy(folder), "class", by="relief"), rank(_rows(), "class", by="relief")
    assert found.columns == wanted.columns  # 3,000 rows are fewer than those drawn
    assert found.lines[0]["score"] == pytest.approx(wanted.lines[0]["score"], rel=1e-9)


def test_what_cannot_be_ranked_says_so(folder):
    """Permutations, functions and misfitting targets would end in a traceback."""
    with pytest.raises(ParameterError, match="or rank a sample"):
        rank(_lazy(folder), "y", by="pearson", n_permutations=10)
    with pytest.raises(ParameterError, match="a function scores rows in memory"):
        rank(_lazy(folder), "y", by=[lambda X, y: np.zeros(5)])
    with pytest.raises(ParameterError, match="chi2 takes no target of numbers"):
        rank(_lazy(folder), "y", by="chi2")
    with pytest.raises(TableError, match="holds words"):
        rank(_lazy(folder), "class", by="pearson")


def test_a_short_table_of_many_files_is_ranked_in_memory(folder):
    """The same table in one file or in five would have scores that differ in the last digits."""
    rows = _rows()
    found = rank(str(folder / "5" / "*.parquet"), "y", by="mutual_information")
    assert found.to_json() == rank(rows, "y", by="mutual_information").to_json()
    assert isinstance(read(str(folder / "5" / "*.parquet")), LazyTable)
