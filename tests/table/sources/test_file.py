"""A source that cannot be gone back in is read whole."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import zipfile

import pytest

import tamis
from tamis.errors import TableError, TamisWarning
from tamis.table import read


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_pipe_is_read_whole(tmp_path, kind):
    """`tamis columns <(zcat t.csv.gz)` ended with "lseek failed"."""
    import pandas as pd

    frame = pd.DataFrame({"a": [0.5 * i for i in range(200)], "b": ["u", "v"] * 100})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    os.mkfifo(tmp_path / "pipe")
    content = (tmp_path / f"t.{kind}").read_bytes()
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(content,), daemon=True)
    writer.start()
    table = read(tmp_path / "pipe")
    writer.join(10)
    assert (table.n_rows, table.names) == (200, ("a", "b"))


@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="needs /dev/stdin")
def test_the_standard_input_is_a_file():
    """Tables come from other programs."""
    code = "from tamis.table import read; print(read('/dev/stdin').n_rows)"
    rows = "a,b\n" + "".join(f"{i / 3},x{i % 4}\n" for i in range(60))
    told = subprocess.run([sys.executable, "-c", code], input=rows, capture_output=True, text=True, check=False)
    assert told.stdout == "60\n", told.stderr


def test_a_dash_is_no_file():
    """Who pipes a table in learns what to give."""
    with pytest.raises(TableError, match="there is no file '-'; give /dev/stdin"):
        tamis.read("-")


def test_an_opendocument_sheet(tmp_path):
    """It was called a damaged Excel workbook."""
    with zipfile.ZipFile(tmp_path / "t.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", "<a/>")
    with pytest.raises(TableError, match=r"is an OpenDocument sheet \(.ods\), which is not read; save it as .xlsx"):
        tamis.read(tmp_path / "t.ods")


def test_formulas_without_values(tmp_path):
    """A column of formulas that no spreadsheet program has computed was empty without a word."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [["a", "twice", "empty"], *([k, f"=A{k + 2}*2", None] for k in range(5))]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.warns(TamisWarning, match=r"column\(s\) 'twice' of .* hold formulas whose values were not saved"):
        table = tamis.read(tmp_path / "t.xlsx")
    assert table.names == ("a",)
